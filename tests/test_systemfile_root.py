# SPDX-License-Identifier: MIT
"""[root] of a system file: the tree on a medium, the command line that mounts it, and what is wrong with it."""

import pytest

from bootlab.errors import SystemFileError
from bootlab.model.tree import FileTree
from bootlab.systemfile.loader import loads

HEAD = 'name = "x"\ntarget = "replay"\n'
GOAL = '[goal]\nconsole = "ready"\n'
FILES = '[root.files]\n"/sbin/init" = { text = "x" }\n'
STORAGE = '[storage]\nflash_bank = 1\nmtd_name = "root"\nmtd_block = "/dev/mtdblock1"\n'


def system(root: str, top: str = "", tables: str = ""):
    return loads(f"{HEAD}{top}{GOAL}{tables}[root]\n{root}{FILES}")


@pytest.mark.parametrize(
    ("root", "line"),
    [
        ("", "root=/dev/mmcblk0 rootfstype=ext4 rootwait"),
        ('file_system = "squashfs-gzip-4k"\n', "root=/dev/mmcblk0 rootfstype=squashfs rootwait"),
        ('medium = "disk"\n', "root=/dev/vda rootfstype=ext4"),
        ('medium = "pmem"\n', "root=/dev/pmem0 rootfstype=ext4"),
        ('medium = "flash"\nfile_system = "cramfs-xip"\n', "root=mtd:root rootfstype=cramfs"),
        ('medium = "flash"\nfile_system = "jffs2"\n', "root=/dev/mtdblock1 rootfstype=jffs2"),
        ('medium = "flash"\nfile_system = "ubifs"\n', "ubi.mtd=root root=ubi0:rootfs rootfstype=ubifs"),
    ],
)
def test_the_command_line_mounts_it(root, line):
    made = system(root, 'cmdline = "console=ttyAMA0 rw"\n', STORAGE)
    assert str(made.cmdline) == f"console=ttyAMA0 rw {line}"
    assert made.init_path == "/sbin/init"


def test_a_root_of_the_users_own_stays():
    made = system("", 'cmdline = "root=PARTUUID=1-2 init=/bin/x"\n')
    assert str(made.cmdline) == "root=PARTUUID=1-2 init=/bin/x"
    assert made.init_path == "/bin/x"


def test_folders_lie_over_each_other(tmp_path):
    for folder, text in (("low", "1"), ("high", "22")):
        (tmp_path / folder / "etc").mkdir(parents=True)
        (tmp_path / folder / "etc" / "same").write_text(text)
        (tmp_path / folder / folder).write_text("")
    made = system(f'dir = ["{tmp_path}/low", "{tmp_path}/high"]\n')
    assert made.tree is not None
    assert {"/low", "/high", "/etc/same", "/sbin/init"} <= set(made.tree.as_dict())
    assert made.tree.as_dict()["/etc/same"].source == f"{tmp_path}/high/etc/same"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (f'{GOAL}[root]\nfile_system = "ext5"\n{FILES}', "root.file_system"),
        (f"{GOAL}[root]\nsize_mib = 0\n{FILES}", "root.size_mib"),
        (f'{GOAL}[root]\nmedium = "flash"\n{FILES}', "root.medium"),
        (f'{GOAL}{STORAGE}[root]\nmedium = "flash"\nsize_mib = 8\n{FILES}', "root.size_mib"),
        (f'{GOAL}[machine]\nsd = "card"\n[root]\n{FILES}', "machine.sd"),
        (f"{GOAL}[root]\n", "root"),
        (f'{GOAL}[root]\nkeep = ["etc"]\n{FILES}', "root.keep[0]"),
        (f'{GOAL}[root]\n[root.files]\n"/x" = {{ text = "a", dir = true }}\n', 'root.files."/x"'),
        (f"{GOAL}[root]\npartition = 1\n{FILES}", "root.partition"),
        (f'{GOAL}[root]\nimage = "/bin/true"\n{FILES}', "root.files"),
        (f'{GOAL}[root]\nimage = "/bin/true"\npartition = 999\n', "root.partition"),
    ],
)
def test_mistakes_name_their_key(text, where):
    with pytest.raises(SystemFileError) as caught:
        loads(HEAD + text)
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("root", "line"),
    [
        ("", "root=/dev/mmcblk0 rootwait"),
        ("partition = 2\n", "root=/dev/mmcblk0p2 rootwait"),
        ('medium = "pmem"\npartition = 1\n', "root=/dev/pmem0p1"),
        ('medium = "disk"\npartition = 3\n', "root=/dev/vda3"),
    ],
)
def test_a_ready_image_is_mounted_from_its_partition(tmp_path, root, line):
    (tmp_path / "disk.img").write_bytes(bytes(4096))
    made = loads(f'{HEAD}{GOAL}[root]\nimage = "{tmp_path}/disk.img"\n{root}')
    assert str(made.cmdline) == line
    assert made.tree is None
    assert made.with_tree(FileTree()) is made
    assert made.init_path == "/sbin/init"


def test_an_initramfs_beside_a_root_leaves_the_tree_to_the_root():
    made = loads(f'{HEAD}{GOAL}[initramfs.files]\n"/init" = {{ text = "early" }}\n[root]\n{FILES}')
    assert made.tree is not None
    assert set(made.tree.as_dict()) == {"/sbin/init"}
    assert made.init_parameter == "init"
    assert made.initramfs is not None
    changed = made.with_tree(FileTree())
    assert changed.initramfs == made.initramfs
    assert changed.root is not None
    assert not changed.root.tree.entries
