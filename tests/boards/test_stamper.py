# SPDX-License-Identifier: MIT
"""The console's reader: telnet's commands, and what it writes."""

from __future__ import annotations

import os
import pty
import socket
import time

import pytest

from bootlab.boards import stamper
from bootlab.boards.reader import ConsoleReader, arrivals, written
from bootlab.boards.stamper import Telnet

IAC = b"\xff"


@pytest.mark.parametrize("cut", range(12))
def test_telnet_is_taken_out_wherever_it_is_cut(cut):
    stream = b"ab" + IAC + b"\xfb\x00" + b"c" + IAC + IAC + b"d" + IAC + b"\xfa\x2c\x01\xff\xf0" + b"e"
    telnet = Telnet()
    pieces = [telnet.strip(stream[:cut]), telnet.strip(stream[cut:])]
    assert b"".join(data for data, _ in pieces) == b"abc\xffde"
    assert b"".join(answer for _, answer in pieces) == IAC + b"\xfd\x00"


def test_telnet_refuses_what_it_does_not_know():
    assert Telnet().strip(IAC + b"\xfd\x18")[1] == IAC + b"\xfc\x18"
    assert Telnet().strip(IAC + b"\xfb\x01")[1] == IAC + b"\xfe\x01"


def wait_for(holds) -> None:
    until = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_each_piece_has_its_arrival(tmp_path):
    master, slave = pty.openpty()
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    with ConsoleReader(os.ttyname(slave), 1_500_000, tmp_path) as reader:
        for number, piece in enumerate((b"one\r\n", b"two\n\x00\xff", b"three")):
            os.write(master, piece)
            wait_for(lambda n=number: len(arrivals(tmp_path).ends) == n + 1)
        size = reader.size_bytes
    found = arrivals(tmp_path)
    assert (tmp_path / "console.raw").read_bytes() == b"one\r\ntwo\n\x00\xffthree"
    assert list(found.ends) == [5, 11, 16] == [*found.ends[:2], size]
    assert (
        before < found.raw_ns[0] < found.raw_ns[1] < found.raw_ns[2] < time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    )
    assert found.bytes_before(int(found.raw_ns[1])) == 5
    stamps = found.from_zero(int(found.raw_ns[1]), 5)
    assert stamps.at(0) == (0, -1)
    assert stamps.at(10)[0] == found.raw_ns[2] - found.raw_ns[1]
    os.close(master)
    os.close(slave)


def test_a_socket_is_read_and_its_end_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with ConsoleReader(f"tcp://127.0.0.1:{port}", 0, tmp_path) as reader:
            line, _ = server.accept()
            reader.send(b"boot\r")
            assert line.recv(64) == b"boot\r"
            line.sendall(b"hello\n")
            wait_for(lambda: reader.size_bytes == 6)
            assert reader.error == ""
            line.close()
            wait_for(lambda: reader.error)
            assert "gone" in reader.error


def test_a_disk_that_takes_a_part_gets_the_rest(monkeypatch):
    taken = []
    monkeypatch.setattr(stamper.os, "write", lambda _fd, data: taken.append(data[:3]) or len(data[:3]))
    stamper.put(7, b"characters")
    assert b"".join(taken) == b"characters"


def test_a_full_disk_ends_the_reader_and_is_said(tmp_path):
    (tmp_path / "console.raw").symlink_to("/dev/full")
    master, slave = pty.openpty()
    with ConsoleReader(os.ttyname(slave), 115_200, tmp_path) as reader:
        os.write(master, b"0123456789")
        wait_for(lambda: not reader.alive)
        assert reader.error == "the disk takes no more of the console"
    assert written(tmp_path).hole(0) == "the console's file has 0 bytes, and the guest wrote 10"
    os.close(master)
    os.close(slave)
