# SPDX-License-Identifier: MIT
"""A tree looked at before any boot: what cannot run, and which of it keeps every boot from working."""

import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.tree_check import check_first_program, check_tree
from bootlab.errors import UserError
from bootlab.model.cmdline import CommandLine
from bootlab.model.root import Root
from bootlab.model.system import Goal, Initramfs, Kernel, Machine, SystemDescription
from bootlab.model.tree import Entry, FileTree
from tests.experiments.test_trim_plan import elf


def text(content, mode=0o755):
    return Entry(kind="file", text=content, mode=mode)


def link(target):
    return Entry(kind="symlink", target=target)


@pytest.fixture
def program(tmp_path):
    def make(**more):
        path = tmp_path / f"program{len(list(tmp_path.iterdir()))}"
        path.write_bytes(more.pop("data", None) or elf(**more))
        return Entry(kind="file", source=str(path), mode=0o755)

    return make


def system(entries, cmdline="", **more):
    given = {"initramfs": Initramfs(tree=FileTree.of(entries)), **more}
    return SystemDescription(
        name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), cmdline=CommandLine.parse(cmdline), **given
    )


def findings(entries, tmp_path, **more):
    return {one.path: one for one in check_tree(system(entries, **more), Cache(tmp_path / "cache"))}


def test_every_kind_of_trouble_is_named_with_its_file(program, tmp_path):
    found = findings(
        {
            "/init": program(loader=""),
            "/bin/good": program(loader="/lib/ld.so", needed=("libc.so",)),
            "/lib/ld.so": program(loader=""),
            "/lib/libc.so": program(loader=""),
            "/bin/no-loader": program(loader="/lib/other.so"),
            "/bin/no-library": program(loader="", needed=("libnone.so.1",)),
            "/bin/arm": program(loader="", machine=40),
            "/bin/broken": program(data=elf()[:70]),
            "/bin/script": text("#!/usr/bin/python3 -u\n"),
            "/bin/dos": text("#!/init\r\n"),
            "/bin/empty": text("#!\n"),
            "/bin/data": text("no program at all"),
            "/etc/not-executable": text("#!/nowhere\n", mode=0o644),
            "/loop": link("loop"),
            "/dangling": link("/proc/self/fd"),
        },
        tmp_path,
    )
    gone = "which is not in the tree: error -2 (No such file or directory)"
    assert {path: one.message for path, one in found.items()} == {
        "/bin/no-loader": f"needs its loader '/lib/other.so', {gone}",
        "/bin/no-library": "needs the library 'libnone.so.1', which is not in the tree: ld.so ends it with 127",
        "/bin/arm": "is for ARM, the machine is x86_64: error -8 (Exec format error)",
        "/bin/broken": "is a broken ELF file",
        "/bin/script": f"needs its interpreter '/usr/bin/python3', {gone}",
        "/bin/dos": "needs its interpreter '/init\\r', whose name ends with a carriage return: error -2 "
        "(No such file or directory)",
        "/bin/empty": "names no interpreter after #!",
        "/loop": "is a link in a loop",
    }
    assert not any(one.fatal for one in found.values())
    assert all(one.hint for one in found.values())


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"/etc": Entry(kind="dir")}, "/init is not in the tree"),
        ({"/init": text("#!/bin/sh\n")}, r"/bin/sh \(interpreter of /init\) is not in the tree"),
        ({"/init": text("x", mode=0o644)}, "not executable .*error -13"),
        ({"/init": text("echo hello\n")}, "neither an ELF program nor a script"),
        ({"/init": link("init")}, "loop"),
    ],
)
def test_a_first_program_that_cannot_start_is_an_error_before_any_boot(entries, words, tmp_path):
    with pytest.raises(UserError, match=f"the first program cannot start: .*{words}") as caught:
        check_first_program(system(entries), Cache(tmp_path / "cache"))
    assert "boot --force" in caught.value.hint
    assert next(iter(findings(entries, tmp_path).values())).fatal


def test_libraries_of_the_first_program_count(program, tmp_path):
    entries = {"/init": program(loader="/ld.so", needed=("libx.so",)), "/ld.so": program(loader="")}
    with pytest.raises(UserError, match=r"/init needs the library libx\.so, which is not in the tree"):
        check_first_program(system(entries), Cache(tmp_path / "cache"))


def test_an_initramfs_larger_than_memory(program, tmp_path):
    with (tmp_path / "large").open("wb") as out:
        out.truncate(4 << 30)
    entries = {"/init": program(loader=""), "/large": Entry(kind="file", source=str(tmp_path / "large"))}
    with pytest.raises(UserError, match="the machine has 268435456 bytes of memory"):
        check_first_program(system(entries), Cache(tmp_path / "cache"))


def test_systems_that_are_left_alone(program, tmp_path):
    cache = Cache(tmp_path / "cache")
    check_first_program(system({}, target="replay"), cache)
    check_first_program(system({}, initramfs=None), cache)
    # Modules in an initramfs without a program, a root on a disk.
    check_first_program(system({"/lib/modules/x.ko": text("x")}, "root=/dev/vda"), cache)
    check_first_program(system({"/init": text("x", mode=0o644)}, "rdinit=/go", initramfs=None), cache)


def test_a_root_on_a_medium_is_looked_at_too(program, tmp_path):
    root = Root(tree=FileTree.of({"/sbin/init": program(loader="", machine=62)}))
    arm = system({}, initramfs=None, root=root, machine=Machine(arch="arm"))
    with pytest.raises(UserError, match="/sbin/init is a program for x86-64; the machine is arm"):
        check_first_program(arm, Cache(tmp_path / "cache"))


def test_a_file_that_cannot_be_read_is_a_clear_error(tmp_path):
    entries = {"/init": Entry(kind="file", source=str(tmp_path / "gone"), mode=0o755)}
    with pytest.raises(UserError, match="gone cannot be read"):
        check_first_program(system(entries), Cache(tmp_path / "cache"))
