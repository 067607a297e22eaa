# SPDX-License-Identifier: MIT
"""A root as files: the image, and the card, disk or bank that the machine is given."""

import shutil

import msgspec
import pytest

from bootlab.builders import root_image
from bootlab.builders.artefacts import build, with_root
from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.model.root import Root
from bootlab.model.storage import Storage
from bootlab.model.system import Goal, Kernel, Machine, SystemDescription
from bootlab.model.tree import Entry, FileTree

TREE = FileTree.of({"/sbin/init": Entry(kind="file", text="x" * 5000)})
STORAGE = Storage(flash_bank=1, mtd_block="/dev/mtdblock1")


@pytest.fixture
def system(tmp_path):
    (tmp_path / "k").write_bytes(b"kernel")
    kernel = Kernel(image=str(tmp_path / "k"))
    root = Root(tree=TREE, file_system="cramfs", medium="sd", size_mib=3)
    return SystemDescription(name="s", kernel=kernel, goal=Goal(console="x"), root=root)


def test_a_card_holds_the_image_and_is_a_power_of_two(system, tmp_path):
    made = build(system, Cache(tmp_path / "c"))
    assert made.root is not None
    assert made.root.stat().st_size == 4 << 20
    assert made.sizes_bytes["root"] < 1 << 20
    assert made.root.stat().st_blocks * 512 < 1 << 20, "a card is mostly holes"
    assert with_root(system, made).machine.sd == str(made.root)
    assert build(system, Cache(tmp_path / "other")).root.read_bytes() == made.root.read_bytes()


@pytest.mark.parametrize(("medium", "size_bytes"), [("disk", 3 << 20), ("flash", 64 << 20)])
def test_other_media(system, tmp_path, medium, size_bytes):
    root = msgspec.structs.replace(system.root, medium=medium)
    changed = msgspec.structs.replace(system, root=root, storage=STORAGE, machine=Machine(disks=("first",)))
    made = build(changed, Cache(tmp_path / "c"))
    assert made.root is not None
    assert made.root.stat().st_size == size_bytes
    machine = with_root(changed, made).machine
    wanted = {"disk": (("first", str(made.root)), ()), "flash": (("first",), ("", str(made.root)))}
    assert (machine.disks, machine.flash) == wanted[medium]


@pytest.mark.parametrize(
    ("root", "words"),
    [
        (Root(tree=TREE, file_system="jffs2"), "must be in flash"),
        (Root(tree=TREE, file_system="ntfs"), "not a file system"),
        (Root(tree=TREE, file_system="cramfs", medium="flash"), "does not say where"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, root, words):
    with pytest.raises(UserError, match=words):
        root_image.build(root, None, Cache(tmp_path))


@pytest.mark.skipif(
    not shutil.which("mke2fs", path="/usr/sbin:/sbin:/usr/bin"),
    reason="needs e2fsprogs: scripts/setup-debian.sh filesystems",
)
def test_the_sizes_of_card_and_file_system_are_apart(tmp_path):
    image = root_image.build(Root(tree=TREE), None, Cache(tmp_path))
    assert image.size_bytes % (1 << 20) == 0
