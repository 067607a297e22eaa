# SPDX-License-Identifier: MIT
"""A folder as a tree: odd names, links, what no archive can hold."""

import os
import socket
from pathlib import Path

import pytest

from bootlab.builders.dirtree import read_directory
from bootlab.errors import UserError
from bootlab.model.tree import Entry


def test_a_folder(tmp_path):
    (tmp_path / "etc").mkdir(mode=0o750)
    (tmp_path / "etc" / "odd name \n%").write_text("x")
    (tmp_path / "etc" / "odd name \n%").chmod(0o640)
    (tmp_path / "dangling").symlink_to("/nowhere/..")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "fifo", 0o600)
    assert read_directory(tmp_path).as_dict() == {
        "/dangling": Entry(kind="symlink", target="/nowhere/..", mode=0o777),
        "/etc": Entry(kind="dir", mode=0o750),
        "/etc/odd name \n%": Entry(kind="file", source=str(tmp_path / "etc" / "odd name \n%"), mode=0o640),
        "/fifo": Entry(kind="fifo", mode=0o600),
        "/loop": Entry(kind="symlink", target=".", mode=0o777),
    }


def test_the_owner_is_root(tmp_path):
    (tmp_path / "a").touch()
    entry = read_directory(tmp_path).get("/a")
    assert (entry.uid, entry.gid) == (0, 0)


@pytest.mark.parametrize("name", ["/", "/usr/.."])
def test_the_root_of_this_machine_is_no_tree(name):
    with pytest.raises(UserError, match="root of this machine"):
        read_directory(Path(name))


def test_what_the_kernel_makes_up_is_no_tree():
    with pytest.raises(UserError, match=r"/proc is a file system of this machine's kernel \(proc\)"):
        read_directory(Path("/proc"))


@pytest.mark.parametrize("call", ["stat", "readlink"])
def test_a_folder_in_which_files_vanish(tmp_path, monkeypatch, call):
    (tmp_path / "link").symlink_to("x")
    (tmp_path / "file").touch()
    real = os.scandir

    def gone(*_arguments, **_named):
        raise FileNotFoundError(2, "No such file or directory", "link")

    class Vanishing:
        def __init__(self, item):
            self.name, self.path, self._item = item.name, item.path, item

        def stat(self, **named):
            return gone() if call == "stat" else self._item.stat(**named)

    monkeypatch.setattr("bootlab.builders.dirtree.os.scandir", lambda here: [Vanishing(item) for item in real(here)])
    if call == "readlink":
        monkeypatch.setattr(Path, "readlink", gone)
    with pytest.raises(UserError, match=r"changed while it was read: .*: No such file") as caught:
        read_directory(tmp_path)
    assert "cp -a" in caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes device nodes")
def test_device_nodes(tmp_path):
    try:
        os.mknod(tmp_path / "null", 0o20666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("no right to make device nodes")
    assert read_directory(tmp_path).get("/null").minor == 3


def test_a_socket_is_left_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        assert list(read_directory(tmp_path).as_dict()) == ["/file"]


def test_a_name_that_is_not_utf8(tmp_path):
    (tmp_path / os.fsdecode(b"\xff")).touch()
    with pytest.raises(UserError, match="not UTF-8"):
        read_directory(tmp_path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        read_directory(tmp_path / "none")
