# SPDX-License-Identifier: MIT
"""A root tree moved between initramfs and medium: tree, parameters and first program."""

import msgspec
import pytest

from bootlab.builders.images.formats import FORMATS
from bootlab.model import root_place
from bootlab.model.change import Change, PutFile
from bootlab.model.cmdline import CommandLine
from bootlab.model.root import Root
from bootlab.model.system import Goal, Initramfs, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree

TREE = FileTree.of({"/bin/sh": Entry(kind="file"), "/etc/init": Entry(kind="file")})


def system(line: str, **place) -> SystemDescription:
    return SystemDescription(
        name="s", kernel=Kernel(image="k"), goal=Goal(console="x"), cmdline=CommandLine.parse(line), **place
    )


def moved(start: SystemDescription, ops) -> SystemDescription:
    return Change(technique="t", ops=ops).apply(start)


def test_into_the_initramfs_and_back():
    on_card = root_place.mounted(system("console=ttyAMA0 rw", root=Root(tree=TREE, keep=("/etc/*",), size_mib=64)))
    inside = moved(on_card, root_place.to_initramfs(on_card, "lz4"))
    assert inside.initramfs == Initramfs(tree=TREE, compression="lz4", keep=("/etc/*",))
    assert inside.root is None
    assert str(inside.cmdline) == "console=ttyAMA0 rdinit=/etc/init"
    back = moved(inside, root_place.to_medium(inside, "squashfs-xz", "sd"))
    assert back.initramfs is None
    assert back.root == Root(tree=TREE, file_system="squashfs-xz", medium="sd", keep=("/etc/*",))
    assert str(back.cmdline) == ("console=ttyAMA0 root=/dev/mmcblk0 rootfstype=squashfs rootwait ro init=/etc/init")


def test_a_format_that_is_mounted_in_its_own_way_says_so():
    start = system("rootflags=x", root=Root(tree=TREE))
    for medium, device in (("sd", "/dev/mmcblk0"), ("disk", "/dev/vda")):
        line = str(moved(start, root_place.to_medium(start, "xfs-norecovery", medium)).cmdline).split()
        assert {f"root={device}", "rootfstype=xfs", "rootflags=norecovery", "ro"} <= set(line)
    assert "rootflags" not in str(moved(start, root_place.to_medium(start, "xfs-unclean", "sd")).cmdline)


def test_the_first_program_is_found_as_the_kernel_does():
    assert system("", root=Root(tree=FileTree())).init_path == "/sbin/init"
    assert system("", root=Root(tree=TREE)).init_path == "/etc/init"
    assert system("rdinit=/x", root=Root(tree=TREE)).init_path == "/etc/init"
    assert system("init=/x", initramfs=Initramfs(tree=TREE)).init_path == "/init"
    assert str(system("", root=Root(tree=TREE)).with_init("/a").cmdline) == "init=/a"


def test_operations_on_files_reach_a_tree_wherever_it_lies():
    put = (PutFile("/new", Entry(kind="file")),)
    for place in ({"root": Root(tree=TREE)}, {"initramfs": Initramfs(tree=TREE)}):
        changed = moved(system("", **place), put)
        assert changed.tree is not None
        assert changed.tree.get("/new") == Entry(kind="file")
    assert moved(system(""), put) == system("")


def test_every_format_is_named_by_its_file_system():
    kernels = {"cramfs", "romfs", "jffs2", "ubifs", "squashfs", "erofs", "ext2", "ext3", "ext4"}
    kernels |= {"xfs", "btrfs", "f2fs"}
    assert {form.fstype for form in FORMATS} == kernels


@pytest.mark.parametrize("word", ["roothash=ab", "boot=live", "init=/nix/store/a-nixos/init"])
def test_an_initrd_that_finds_the_root_itself_is_left_to_it(word: str):
    with_initrd = msgspec.structs.replace(system(f"{word} ro", root=Root(image="/d.img")), initrd="/i")
    assert root_place.mounted(with_initrd) is with_initrd
    alone = msgspec.structs.replace(with_initrd, initrd=None)
    assert root_place.mounted(alone).cmdline.value("root") == "/dev/mmcblk0"
