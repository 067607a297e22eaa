# SPDX-License-Identifier: MIT
"""Which options a reduced BusyBox gets; what its sources and binaries say; errors before anything is compiled."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bootlab.builders import busybox, busybox_config
from bootlab.builders.cache import Cache
from bootlab.errors import EnvironmentFault, ProgramBuildError, UserError
from bootlab.kernelsource.configuration import read_config, write_config
from bootlab.model.tree import BusyboxBuild, Entry, FileTree
from bootlab.startup.applets import names_in

SOURCES = {
    "util-linux/mount.c": "//applet:IF_MOUNT(APPLET(mount, BB_DIR_BIN, IF_DESKTOP(BB_SUID_MAYBE)))\n",
    "coreutils/test.c": "//applet:IF_TEST1(APPLET_NOFORK([,   test, BB_DIR_USR_BIN, BB_SUID_DROP, test))\n",
    "modutils/lsmod.c": "//applet:IF_LSMOD(IF_NOT_MODPROBE_SMALL(APPLET_NOEXEC(lsmod, lsmod, BB_DIR_SBIN, X, l)))\n",
    "shell/ash.c": "//applet:IF_ASH(APPLET(ash, BB_DIR_BIN, BB_SUID_DROP))\n"
    "//applet:IF_SH_IS_ASH(  APPLET_ODDNAME(sh,   ash, BB_DIR_BIN, BB_SUID_DROP, ash))\n",
    "procps/uptime.c": "////applet:IF_NEVER(APPLET(never, BB_DIR_BIN, BB_SUID_DROP))\n",
    "Makefile": "all:\n",
}
BASE = read_config(
    "CONFIG_MOUNT=y\nCONFIG_ASH=y\nCONFIG_SH_IS_ASH=y\n# CONFIG_SH_IS_NONE is not set\nCONFIG_LSMOD=y\n"
    'CONFIG_BUSYBOX_EXEC_PATH="/proc/self/exe"\n# CONFIG_STATIC is not set\n'
)


@pytest.fixture
def source(tmp_path) -> Path:
    tree = tmp_path / "source"
    for name, text in SOURCES.items():
        (tree / name).parent.mkdir(exist_ok=True, parents=True)
        (tree / name).write_text(text)
    return tree


def test_applets_of_a_source_tree(source):
    assert busybox_config.applet_options(source) == {
        "mount": ("MOUNT",),
        "[": ("TEST1",),
        "lsmod": ("LSMOD",),
        "ash": ("ASH",),
        "sh": ("SH_IS_ASH",),
    }


def test_only_the_applets_that_are_wanted(source):
    known = busybox_config.applet_options(source)
    got = busybox_config.reduced(BASE, known, ["mount", "["], [("FEATURE_EDITING", "n")])
    assert {name for name, value in got.items() if value == "y"} == {"MOUNT", "TEST1", "SH_IS_NONE", "STATIC"}
    assert got["BUSYBOX_EXEC_PATH"] == '"/proc/self/exe"'
    with_shell = busybox_config.reduced(BASE, known, ["sh"], [])
    assert {"ASH", "SHELL_ASH", "SH_IS_ASH"} <= {name for name, value in with_shell.items() if value == "y"}


KBUILD = """lib-y += bb_basename.o
lib-$(CONFIG_AWK) += xregcomp.o
lib-$(CONFIG_SED) += xregcomp.o
lib-$(CONFIG_SELINUX) += selinux_common.o
"""


def test_what_an_applet_needs_of_the_library_is_built_whatever_the_options_say(tmp_path):
    library = tmp_path / "libbb"
    library.mkdir()
    (library / "Kbuild.src").write_text(KBUILD)
    (library / "xregcomp.c").write_text(
        "void FAST_FUNC xregcomp(regex_t *preg, const char *regex,\n\tint cflags)\n{\n\tregcomp(preg);\n}\n"
    )
    (library / "selinux_common.c").write_text("void setfscreatecon_or_die(char *c)\n{\n\txregcomp(c, 1);\n}\n")
    log = "cut.c:(.text.cut_main+0x1a6): undefined reference to `xregcomp'\nld: undefined reference to `xregcomp'\n"
    assert busybox_config.undefined(log) == ("xregcomp",)
    assert busybox_config.build_what_defines(tmp_path, ["xregcomp"]) == ("xregcomp.o",)
    assert (library / "Kbuild.src").read_text() == KBUILD + "lib-y += xregcomp.o\n"
    # Once is enough: a symbol that is still missing then is missing for another reason.
    assert busybox_config.build_what_defines(tmp_path, ["xregcomp"]) == ()
    assert busybox_config.build_what_defines(tmp_path, ["getaddrinfo"]) == ()
    assert busybox_config.build_what_defines(tmp_path / "elsewhere", ["xregcomp"]) == ()


def test_without_applets_the_base_stays(source):
    got = busybox_config.reduced(BASE, busybox_config.applet_options(source), [], [("FEATURE_SH_NOFORK", "y")])
    assert got == BASE | {"STATIC": "y", "FEATURE_SH_NOFORK": "y"}
    assert read_config(write_config(got)) == got


def test_an_option_that_was_not_taken_is_named():
    assert busybox_config.refused({"A": "y"}, {"A": "y"}, ["A", "B"]) == ""
    assert busybox_config.refused({"A": "y"}, {}, ["A"]) == "A=y"


@pytest.mark.parametrize("applet", ["nosuch", "../x", ""])
def test_an_applet_that_there_is_not(source, tmp_path, applet):
    with pytest.raises(UserError, match="no applet"):
        busybox.build(BusyboxBuild(applets=(applet,), source=str(source)), "x86_64", Cache(tmp_path / "c"))


def test_no_source(tmp_path, monkeypatch):
    monkeypatch.setenv(busybox.SOURCE_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(EnvironmentFault, match=r"source of BusyBox is not in .*none") as caught:
        busybox.build(BusyboxBuild(), "x86_64", Cache(tmp_path / "c"))
    assert "fetch-busybox-source.sh" in caught.value.hint


def test_a_source_that_does_not_build_says_its_first_error(source, tmp_path):
    (source / "Makefile").write_text("%:\n\t@echo 'shell/ash.c:7:1: error: what is this'; false\n")
    with pytest.raises(ProgramBuildError, match=r"shell/ash.c:7: what is this"):
        busybox.build(BusyboxBuild(applets=("sh",), source=str(source)), "x86_64", Cache(tmp_path / "c"))
    assert list((tmp_path / "c" / "files").iterdir()) == []


def test_a_tree_without_builds_is_left_alone(tmp_path):
    tree = FileTree.of({"/a": Entry(kind="file", text="x")})
    assert busybox.with_busybox(tree, "x86_64", Cache(tmp_path)) is tree


def test_names_in_a_binary():
    table = b"\0[\0[[\0ash\0awk\0cat\0init\0mount\0sh\0\0"
    assert names_in(b"junk BusyBox v1.35.0 ()" + table) == {"[", "[[", "ash", "awk", "cat", "init", "mount", "sh"}
    assert names_in(b"some other program" + table) == frozenset()


@pytest.mark.skipif(shutil.which("busybox") is None, reason="busybox is not installed: scripts/setup-debian.sh run")
def test_names_in_the_binary_of_this_machine():
    program = Path(shutil.which("busybox") or "")
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    assert names_in(program.read_bytes()) == set(listed.split())
