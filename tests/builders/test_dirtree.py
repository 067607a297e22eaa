"""A folder as a tree: odd names, links, what no archive can hold."""

import os
import socket

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
