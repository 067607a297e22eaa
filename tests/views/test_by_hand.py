# SPDX-License-Identifier: MIT
"""The script of the changes by hand: run on an unpacked tree, it leaves the tree of the result."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from bootlab.experiments.optimize.shrinking import UnusedOptions
from bootlab.model.change import (
    Change,
    DropFiles,
    DropInitramfsFiles,
    PutFile,
    SetBusybox,
    SetKernelForm,
    SetParam,
    apply_all,
)
from bootlab.model.kernel_change import AddKernelFragment, AddKernelPatch, SetKernelOptions
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import Initramfs
from bootlab.model.tree import Entry, FileTree
from bootlab.model.waterfall import Bar
from bootlab.views.run.by_hand import Made, script
from tests.experiments.fake_bench import SYSTEM

TREE = {
    "/bin": Entry(kind="dir", mode=0o755),
    "/bin/busybox": Entry(kind="file", mode=0o755, text="all of BusyBox\n"),
    "/sbin/init": Entry(kind="symlink", target="../bin/busybox"),
    "/etc/a file's name": Entry(kind="file", mode=0o644, text="x"),
    "/etc/rc": Entry(kind="file", mode=0o755, text="#!/bin/sh\n"),
    "/etc/old": Entry(kind="file", mode=0o644, text="old\n"),
}
CHANGES = (
    Change(technique="quiet", ops=(SetParam("quiet"),)),
    Change(technique="initramfs-slim", ops=(DropFiles(("/etc/old", "/etc/a file's name")),)),
    Change(
        technique="rc-scripts-merged",
        ops=(
            PutFile(
                "/sbin/init", Entry(kind="file", mode=0o755, text="#!/bin/sh\ncat <<'EOF'\n$HOME `x` \\n\nEOF\n\n")
            ),
            PutFile("/etc/rc", Entry(kind="file", mode=0o700, text="no end of line '%s'")),
            PutFile("/etc/new/deep/link", Entry(kind="symlink", target="../../rc")),
            PutFile("/var/lib", Entry(kind="dir", mode=0o711)),
        ),
    ),
    Change(technique="initramfs-modules", ops=(DropInitramfsFiles(("/bin/none.ko",)),)),
)


def made(*changes, **rest):
    return Made(
        name="small",
        changes=changes,
        bars=(Bar(changes=(changes[0].id,), before_ns=9_000_000, after_ns=7_000_000),),
        left_out_ns={changes[0].id: 1_500_000},
        base_cmdline="console=ttyS0",
        cmdline="console=ttyS0 quiet",
        **rest,
    )


def unpack(tree: FileTree, root: Path) -> None:
    for path, entry in tree.entries:
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry.kind == "dir":
            place.mkdir(exist_ok=True)
            place.chmod(entry.mode)
        elif entry.kind == "symlink":
            place.symlink_to(entry.target or "")
        else:
            place.write_text(entry.text or "", encoding="utf-8")
            place.chmod(entry.mode)


def seen(root: Path) -> dict[str, object]:
    """Return what is in a folder, without folders that nobody named."""
    found: dict[str, object] = {}
    for place in sorted(root.rglob("*")):
        name = f"/{place.relative_to(root)}"
        if place.is_symlink():
            found[name] = ("symlink", str(place.readlink()))
        elif place.is_file():
            found[name] = (oct(place.stat().st_mode & 0o7777), place.read_text(encoding="utf-8"))
        elif name in {"/bin", "/var/lib"}:
            found[name] = oct(place.stat().st_mode & 0o7777)
    return found


def run(text: str, folder: Path, **environment: str) -> str:
    (folder / "by-hand.sh").write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["sh", "by-hand.sh"], cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_run_on_the_bases_tree_it_leaves_the_results(tmp_path):
    system = msgspec.structs.replace(SYSTEM, initramfs=Initramfs(tree=FileTree.of(TREE), compression="none"))
    final = apply_all(system, CHANGES)
    assert system.tree is not None
    assert final.tree is not None
    for name, tree in (("by hand", system.tree), ("made", final.tree)):
        (tmp_path / name).mkdir()
        unpack(tree, tmp_path / name)
    run(script(made(*CHANGES)), tmp_path, ROOT=str(tmp_path / "by hand"))
    assert seen(tmp_path / "by hand") == seen(tmp_path / "made")
    assert (tmp_path / "by hand/bin/busybox").read_text() == "all of BusyBox\n", "not written through the link"
    assert (tmp_path / "cmdline.txt").read_text() == "console=ttyS0 quiet\n"


def test_kernel_options_fragments_and_patches_go_into_the_source(tmp_path):
    kernel = tmp_path / "linux"
    (kernel / "scripts/kconfig").mkdir(parents=True)
    for name in ("scripts/config", "scripts/kconfig/merge_config.sh"):
        (kernel / name).write_text('#!/bin/sh\necho "${0##*/} $*" >> said\n')
        (kernel / name).chmod(0o755)
    (kernel / "Makefile").write_text("olddefconfig:\n\t@echo olddefconfig >> said\n")
    (kernel / "main.c").write_text("one\n")
    patch = "--- a/main.c\n+++ b/main.c\n@@ -1 +1 @@\n-one\n+two\n"
    options = (("SMP", "n"), ("VT", "y"), ("SND", "m"), ("HZ", "100"), ("CMDLINE", '"a b"'))
    changes = (
        Change(technique="options", ops=(SetKernelOptions(options),)),
        Change(technique="fragment", ops=(AddKernelFragment("/a b/kernel.config"),)),
        Change(technique="patch", ops=(AddKernelPatch(KernelPatch(name="p", text=patch)),)),
    )
    run(script(made(*changes)), tmp_path, ROOT=str(tmp_path), KERNEL=str(kernel))
    assert (kernel / "said").read_text().splitlines() == [
        "config --disable SMP",
        "config --enable VT",
        "config --module SND",
        "config --set-val HZ 100",
        'config --set-val CMDLINE "a b"',
        "olddefconfig",
        "merge_config.sh -m .config /a b/kernel.config",
        "olddefconfig",
    ]
    assert (kernel / "main.c").read_text() == "two\n"


@pytest.mark.skipif(shutil.which("cpio") is None, reason="no cpio here")
def test_the_initramfs_is_packed_when_all_files_are_right(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    unpack(FileTree.of(TREE), root)
    # No change packs it in another way: the files alone are others.
    run(script(made(CHANGES[1], packed="gzip")), tmp_path, ROOT=str(root))
    listed = subprocess.run(
        "gzip -dc initramfs.cpio | cpio -t --quiet",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    assert {"bin/busybox", "etc/rc"} <= set(listed)
    assert b"etc/old" not in listed


def test_it_says_what_each_change_saved_costs_and_risks():
    own = UnusedOptions(("NET", "BLOCK"))
    change = Change(technique=own.id, ops=(SetKernelOptions(own.options),))
    text = script(made(change, CHANGES[0], besides=(own,)))
    assert "# 1. unused-options: Kernel options whose code never ran" in text
    assert "#    saved 2.000 ms" in text
    assert "#    the result without it: 1.500 ms later" in text
    assert "#    risk, function: what is first used after the goal" in text
    assert "#    risk, debuggability: " in text, "of quiet"


def test_what_no_script_can_do_is_left_to_a_person_with_all_it_takes():
    applets = tuple(f"applet{number}" for number in range(60))
    changes = (
        Change(technique="kernel-pvh", ops=(SetKernelForm("vmlinux"),)),
        Change(technique="busybox-applets", ops=(SetBusybox("/bin/busybox", applets),)),
    )
    todo = [line for line in script(made(*changes)).splitlines() if line.startswith("# TODO: ")]
    assert len(todo) == 2
    assert "vmlinux, in place of the packed image: `kernel` in this folder" in todo[0]
    assert all(name in todo[1] for name in applets), "none is cut off"
