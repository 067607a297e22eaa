# SPDX-License-Identifier: MIT
"""Changes are values: system + change = another system."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.model.change import (
    AddParam,
    Change,
    DropFiles,
    DropInitramfsFiles,
    DropParam,
    ExtendParam,
    MountRootByKernel,
    MountRootDirectly,
    Op,
    PutFile,
    SetCompression,
    SetKernelForm,
    SetMachine,
    SetParam,
    apply_all,
)
from bootlab.model.cmdline import CommandLine
from bootlab.model.root import Root
from bootlab.model.system import Goal, Initramfs, Kernel, Machine, SystemDescription
from bootlab.model.tree import Entry, FileTree

TREE = FileTree.of({"/init": Entry(kind="file", text="x"), "/bin/sh": Entry(kind="symlink", target="busybox")})
SYSTEM = SystemDescription(
    name="s",
    kernel=Kernel(image="k"),
    goal=Goal(console="g"),
    cmdline=CommandLine.parse("a=1 blacklist=x,y a=2"),
    initramfs=Initramfs(tree=TREE),
)


@pytest.mark.parametrize(
    ("op", "cmdline"),
    [
        (SetParam("a", "3"), "a=3 blacklist=x,y"),
        (SetParam("new"), "a=1 blacklist=x,y a=2 new"),
        (ExtendParam("blacklist", "y,z"), "a=1 blacklist=x,y,z a=2"),
        (ExtendParam("other", "p,,q"), "a=1 blacklist=x,y a=2 other=p,q"),
        (AddParam("a", "3"), "a=1 blacklist=x,y a=2 a=3"),
        (DropParam("a"), "blacklist=x,y"),
        (DropParam("a", "2"), "a=1 blacklist=x,y"),
        (DropParam("none"), "a=1 blacklist=x,y a=2"),
    ],
)
def test_parameters(op, cmdline):
    assert str(op.apply(SYSTEM).cmdline) == cmdline
    assert str(SYSTEM.cmdline) == "a=1 blacklist=x,y a=2", "the system given is never edited"


def test_initramfs():
    assert SetCompression("xz", 3).apply(SYSTEM).initramfs.compression == "xz"
    assert [p for p, _ in DropFiles(("/init", "/no")).apply(SYSTEM).initramfs.tree.entries] == ["/bin/sh"]
    behind = msgspec.structs.replace(SYSTEM, root=Root(tree=SYSTEM.initramfs.tree))
    less = DropInitramfsFiles(("/init", "/no")).apply(behind)
    assert [p for p, _ in less.initramfs.tree.entries] == ["/bin/sh"]
    assert less.root == behind.root, "of a root behind it nothing is taken"
    put = PutFile("/a", Entry(kind="dir")).apply(SYSTEM).initramfs.tree
    assert [p for p, _ in put.entries] == ["/a", "/bin/sh", "/init"]
    assert put.get("/a").kind == "dir"


@pytest.mark.parametrize(
    "op", [SetCompression("xz"), DropFiles(("/init",)), DropInitramfsFiles(("/a",)), PutFile("/a", Entry(kind="dir"))]
)
def test_a_system_without_initramfs_stays_as_it_is(op):
    bare = msgspec.structs.replace(SYSTEM, initramfs=None)
    assert op.apply(bare) is bare


def test_machine_and_kernel():
    assert SetKernelForm("vmlinux").apply(SYSTEM).kernel == Kernel(image="k", form="vmlinux")
    changed = SetMachine(firmware="qboot", options=("a=b",)).apply(SYSTEM).machine
    assert changed == msgspec.structs.replace(Machine(), firmware="qboot", options=("a=b",))


def test_order_counts():
    one, two = Change(technique="t", ops=(SetParam("a", "8"),)), Change(technique="u", ops=(DropParam("a"),))
    assert str(apply_all(SYSTEM, (one, two)).cmdline) == "blacklist=x,y"
    assert str(apply_all(SYSTEM, (two, one)).cmdline) == "blacklist=x,y a=8"
    assert apply_all(SYSTEM, ()) is SYSTEM


def test_ids():
    assert Change(technique="quiet", ops=()).id == "quiet"
    assert Change(technique="initramfs-compression", ops=(), label="lz4").id == "initramfs-compression:lz4"


@pytest.mark.parametrize(
    "op",
    [SetParam("a"), ExtendParam("a", "b"), AddParam("a"), DropParam("a"), SetCompression("lz4"), DropFiles(("/a",)),
     DropInitramfsFiles(("/a",)),
     PutFile("/a", Entry(kind="char", major=1)), SetKernelForm("image"), SetMachine(cpus=2)],
)  # fmt: skip
def test_every_op_survives_json(op):
    raw = msgspec.json.encode(Change(technique="t", ops=(op,)))
    assert msgspec.json.decode(raw, type=Change).ops == (op,)
    assert isinstance(op, Op)


def test_tree_is_sorted_whatever_the_order():
    one = FileTree.of({"/b": Entry(kind="dir"), "/a": Entry(kind="dir")})
    assert one == FileTree().put("/a", Entry(kind="dir")).put("/b", Entry(kind="dir"))
    assert one.without(frozenset({"/a", "/z"})).as_dict().keys() == {"/b"}
    assert one.get("/z") is None
    one.as_dict().clear()
    assert len(one.entries) == 2


def test_a_root_that_the_kernel_mounts_needs_no_initramfs():
    op = MountRootByKernel("/dev/vda1", "ext4")
    there = msgspec.structs.replace(SYSTEM, root=Root())
    there = SetParam("root", "UUID=1").apply(there)
    changed = op.apply(there)
    assert changed.initramfs is None
    assert str(changed.cmdline).endswith("root=/dev/vda1 rootfstype=ext4 rootwait")
    assert op.apply(changed) == changed
    assert op.apply(SYSTEM) == SYSTEM, "an initramfs that is the root stays"


def test_an_initramfs_that_only_mounts_the_root():
    module = "/lib/modules/6/mmc_core.ko"
    entries = {path: Entry(kind="file", text="x") for path in (module, "/lib/modules/6/other.ko", "/kernel/x86/u.bin")}
    packed = Initramfs(tree=FileTree.of({**TREE.as_dict(), **entries}), compression="zstd")
    system = msgspec.structs.replace(SYSTEM, initramfs=packed, root=Root())
    op = MountRootDirectly((module, "/not/there.ko"), "ext4")
    direct = op.apply(system)
    tree = direct.initramfs.tree
    assert tree.get("/init").own == "mount-root"
    assert tree.get("/root.list").text == "fs ext4\nmodule /modules/00-mmc_core.ko\n"
    assert tree.get("/modules/00-mmc_core.ko") == entries[module]
    assert tree.get("/kernel/x86/u.bin") is not None, "the kernel's microcode stays"
    assert tree.get("/bin/sh") is None
    assert direct.initramfs.compression == "none"
    assert op.apply(direct) == direct
    assert op.apply(SYSTEM) == SYSTEM, "an initramfs that is the root stays"
