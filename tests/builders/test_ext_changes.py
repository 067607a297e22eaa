# SPDX-License-Identifier: MIT
"""A ready image looked at for how it starts, and a copy of it with a few files changed: nothing is packed anew."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest

from bootlab.builders import root_image
from bootlab.builders.cache import Cache
from bootlab.builders.images import tool
from bootlab.errors import UserError
from bootlab.model.change import DropFiles, PutFile
from bootlab.model.root import Root
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.sources import startup_part
from tests.sources import images

MASK = Entry(kind="symlink", mode=0o777, target="/dev/null")

pytestmark = pytest.mark.skipif(
    tool.path_of("debugfs") is None or tool.path_of("mke2fs") is None, reason="e2fsprogs is not there"
)


@pytest.fixture
def disk(tmp_path) -> Path:
    """A partitioned disk with systemd's units behind links, as Debian's merged /usr has them."""
    root = tmp_path / "root"
    for folder in ("etc/systemd/system/multi-user.target.wants", "usr/lib/systemd/system", "usr/sbin", "usr/bin"):
        (root / folder).mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")
    (root / "sbin").symlink_to("usr/sbin")
    (root / "usr/sbin/init").symlink_to("../lib/systemd/systemd")
    (root / "usr/lib/systemd/systemd").write_bytes(b"\x7fELF" + bytes(4000))
    (root / "usr/lib/systemd/system/web.service").write_text("[Unit]\nDescription=Web\n")
    (root / "usr/bin/data").write_bytes(b"not for the start" * 100)
    return images.mbr(tmp_path / "disk.img", [(0x83, images.ext(tmp_path / "part", root, mib=8))])


def on(disk: Path) -> SystemDescription:
    tree, start_bytes = startup_part.read(disk, 1)
    root = Root(image=str(disk), partition=1, medium="disk", tree=tree, given=tree, start_bytes=start_bytes)
    return SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), root=root)


def test_what_says_how_a_system_starts_is_read(disk):
    system = on(disk)
    tree = system.startup
    assert tree is not None
    assert system.tree is None, "the whole tree is nobody's to pack"
    assert system.init_path == "/sbin/init"
    entries = tree.as_dict()
    assert entries["/lib"].target == "usr/lib"
    assert entries["/usr/lib/systemd/system/web.service"].text == "[Unit]\nDescription=Web\n"
    assert entries["/usr/lib/systemd/systemd"].text is None
    assert "/usr/bin/data" not in entries
    assert not system.root.put.entries


def test_an_image_that_nothing_changes_boots_as_it_is(disk, tmp_path):
    assert root_image.build(on(disk).root, None, Cache(tmp_path / "cache")).path == disk


def test_a_changed_copy(disk, tmp_path):
    before, program = disk.read_bytes(), tmp_path / "program"
    program.write_bytes(b"\x7fELF, or so")
    system = on(disk)
    for op in (
        PutFile("/etc/systemd/system/web.service", MASK),
        PutFile("/lib/systemd/system/web.service", Entry(kind="file", mode=0o640, text='new "text"\n')),
        PutFile("/etc/systemd/system/early.target.wants/a b.service", MASK),
        PutFile("/agent", Entry(kind="file", mode=0o755, source=str(program), uid=7)),
        DropFiles(("/usr/sbin/init",)),
    ):
        system = op.apply(system)
    cache = Cache(tmp_path / "cache")
    made = root_image.build(system.root, None, cache).path
    assert made != disk
    assert disk.read_bytes() == before
    tree, start_bytes = startup_part.read(made, 1)
    entries = tree.as_dict()
    assert entries["/etc/systemd/system/web.service"] == MASK
    assert entries["/usr/lib/systemd/system/web.service"].text == 'new "text"\n'
    assert entries["/usr/lib/systemd/system/web.service"].mode == 0o640
    assert entries["/etc/systemd/system/early.target.wants/a b.service"] == MASK
    assert "/usr/sbin/init" not in entries
    partition = tmp_path / "changed"
    partition.write_bytes(made.read_bytes()[start_bytes:])
    check = tool.find("e2fsck", "e2fsprogs", "to check")
    done = subprocess.run([check, "-fn", str(partition)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    shown = tool.run([tool.find("debugfs", "e2fsprogs", ""), "-R", "stat /agent", str(partition)])
    assert "Mode:  0755" in shown
    assert "User:     7" in shown
    again = Cache(tmp_path / "again")
    assert root_image.build(system.root, None, again).path.read_bytes() == made.read_bytes()
    other = PutFile("/agent", Entry(kind="file", mode=0o755, text="other")).apply(system)
    assert root_image.build(other.root, None, cache).path != made


def test_what_does_not_fit_is_said(disk, tmp_path):
    large = tmp_path / "large"
    large.write_bytes(b"x" * (9 << 20))
    system = PutFile("/large", Entry(kind="file", source=str(large))).apply(on(disk))
    with pytest.raises(UserError, match=r"does not fit|cannot be changed"):
        root_image.build(system.root, None, Cache(tmp_path / "cache"))


def test_a_file_system_that_is_not_read_is_never_changed(tmp_path):
    plain = tmp_path / "plain.img"
    plain.write_bytes(bytes(1 << 20))
    assert startup_part.read(plain, 0) == (FileTree(), 0)
    assert startup_part.read(plain, 3) == (FileTree(), 0)
    system = msgspec.structs.replace(on_nothing(plain), name="t")
    assert system.startup is None
    assert PutFile("/x", MASK).apply(system) == system


def on_nothing(path: Path) -> SystemDescription:
    return SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), root=Root(image=str(path)))
