# SPDX-License-Identifier: MIT
"""`bootlab rootfs`: access times of a folder, what cannot run in a tree, mistakes that are named."""

import json
import os

import pytest

from tests.cli.test_verbs import bootlab

__all__ = ["bootlab"]

YEAR_2024_NS = 1_704_067_200 * 10**9


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root/etc").mkdir(parents=True)
    for name in ("used", "unused"):
        (tmp_path / "root/etc" / name).write_text("x" * 10)
    return tmp_path / "root"


def test_mark_and_read(bootlab, root, tmp_path):
    said = bootlab("rootfs", "atime", root, "--mark")
    assert said.code == 0
    assert "3 names are marked" in said.out
    assert "next: boot the board" in said.err
    os.utime(root / "etc/used", ns=(YEAR_2024_NS, 0))
    said = bootlab("rootfs", "atime", root, "--output", tmp_path / "used.json")
    assert said.out == "read      /etc/used\n"
    assert "1 of 3 names were used; 1 files (10 B) were not" in said.err
    assert json.loads((tmp_path / "used.json").read_text())["format"] == "bootlab-accesses"
    assert bootlab("rootfs", "atime", root, "--json").json["unused_files"] == 1


def test_since_and_newer(bootlab, root):
    for path in (root / "etc/used", root / "etc/unused", root / "etc"):
        os.utime(path, ns=(10**9, 10**9))
    os.utime(root / "etc/used", ns=(YEAR_2024_NS, YEAR_2024_NS))
    assert bootlab("rootfs", "atime", root, "--since", "2023-12-31").out == "read      /etc/used\n"
    assert bootlab("rootfs", "atime", root, "--newer", "/etc/used").out == "read      /etc/used\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--since", "yesterday"], "is not a time"),
        (["--mark", "--newer", "x"], "exclude each other"),
        ([], "has bootlab's mark"),
        (["--newer", "/none"], "the marker"),
    ],
)
def test_mistakes(bootlab, root, words, message):
    said = bootlab("rootfs", "atime", root, *words)
    assert said.code == 2
    assert message in said.err
    assert "hint:" in said.err


SYSTEM = """
name = "tree"
[kernel]
image = "kernel"
[goal]
console = "ready"
[initramfs.files]
"/init" = { text = "#!/bin/sh", mode = "0755" }
"/bin/other" = { text = "#!/bin/none", mode = "0755" }
"""


@pytest.fixture
def system(tmp_path):
    (tmp_path / "kernel").write_bytes(b"no kernel")
    path = tmp_path / "system.toml"
    path.write_text(SYSTEM)
    return path


def test_check(bootlab, system):
    said = bootlab("rootfs", "check", system)
    assert said.code == 2
    assert "error: /init: the first program cannot start: /bin/sh (interpreter of /init) is not in the tree" in said.out
    assert "warning: /bin/other: needs its interpreter '/bin/none'" in said.out
    system.write_text(SYSTEM + '"/bin/sh" = { source = "/bin/ls", mode = "0755" }\n')
    assert [one["fatal"] for one in bootlab("rootfs", "check", system, "--json").json][:2] == [True, False]


def test_a_boot_that_cannot_work_is_refused(bootlab, system):
    said = bootlab("boot", system)
    assert said.code == 2
    assert "the first program cannot start: /bin/sh (interpreter of /init) is not in the tree" in said.err
    assert "bootlab boot --force" in said.err
    assert "cannot start" not in bootlab("boot", system, "--force").err


def test_trim_mistakes(bootlab, system, tmp_path):
    assert "is not an absolute path" in bootlab("rootfs", "trim", system, "--keep", "etc").err
    (tmp_path / "list").write_text("nothing here\n")
    assert "names no file" in bootlab("rootfs", "trim", system, "--accesses", tmp_path / "list").err
    (tmp_path / "list").write_text('{"seen": 1}')
    assert "is not a list of accesses" in bootlab("rootfs", "trim", system, "--accesses", tmp_path / "list").err
    assert "cannot be read" in bootlab("rootfs", "trim", system, "--accesses", tmp_path / "none").err
