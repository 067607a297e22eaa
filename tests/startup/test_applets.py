# SPDX-License-Identifier: MIT
"""What of a BusyBox a start uses."""

import pytest

from bootlab.model.system import Goal, Initramfs, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.startup import applets, scripts
from bootlab.startup.files import TreeFiles

# The banner, and the table of names in the order in which BusyBox keeps it.
BUSYBOX = (
    "BusyBox v1.35.0 (Debian 1:1.35.0-4)\0" + "\0".join(("busybox", "echo", "init", "mount", "reboot", "sh")) + "\0"
)


@pytest.fixture
def system(tmp_path) -> SystemDescription:
    (tmp_path / "busybox").write_bytes(BUSYBOX.encode() + b"\0")
    tree = {
        "/bin/busybox": Entry(kind="file", source=str(tmp_path / "busybox"), mode=0o755),
        "/bin/sh": Entry(kind="symlink", target="busybox"),
        "/sbin/init": Entry(kind="symlink", target="../bin/busybox"),
        "/etc/inittab": Entry(kind="file", text="::sysinit:/etc/rcS\n::ctrlaltdel:/bin/busybox reboot\n"),
        "/etc/rcS": Entry(kind="file", text="#!/bin/sh\nmount -t proc proc /proc\n", mode=0o755),
        "/init": Entry(kind="symlink", target="sbin/init"),
    }
    return SystemDescription(
        name="s", kernel=Kernel(image="k"), goal=Goal(console="x"), initramfs=Initramfs(tree=FileTree.of(tree))
    )


def test_the_programs_own_name_is_no_applet(system):
    files = TreeFiles.of(system)
    found = applets.find(files)
    assert found is not None
    assert "busybox" in found.applets
    used = applets.use(files, found, system, scripts.find(files, system.init_path), None)
    assert set(used.applets) >= {"mount", "reboot", "sh"}
    assert "busybox" not in used.applets


@pytest.mark.parametrize("word", [".", "source"])
def test_a_file_that_a_script_reads_into_itself_is_a_script_of_the_start(system, word):
    assert system.initramfs is not None
    tree = system.initramfs.tree.put("/etc/rcS", Entry(kind="file", text=f"#!/bin/sh\n{word} /etc/app\n", mode=0o755))
    tree = tree.put(
        "/etc/app", Entry(kind="file", text=". /etc/app\nsum=$(busybox mount | echo)\nexec busybox reboot\n")
    )
    files = TreeFiles.of(system.with_tree(tree))
    found = applets.find(files)
    assert found is not None
    used = applets.use(files, found, system, scripts.find(files, system.init_path), None)
    assert set(used.applets) >= {"mount", "echo", "reboot"}
