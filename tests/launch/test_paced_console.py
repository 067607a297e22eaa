# SPDX-License-Identifier: MIT
"""A console that is read at the pace of a line."""

from __future__ import annotations

import os
import threading

import pytest

from bootlab.errors import EnvironmentFault
from bootlab.launch import paced_console
from bootlab.launch.paced_console import PacedConsole


class Clock:
    """Time that goes on only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def fill(fd: int, most: int = 100_000) -> int:
    os.set_blocking(fd, False)
    for count in range(most):
        try:
            os.write(fd, b"x")
        except BlockingIOError:
            return count
    return most


@pytest.mark.parametrize(("baud", "ahead"), [(9_600, 16), (115_200, 64), (1_500_000, 256)])
def test_the_port_is_held_after_as_many_characters(tmp_path, baud, ahead):
    console = PacedConsole(tmp_path / "console.log", baud)
    assert (console.ahead, fill(console.fd)) == (ahead, ahead)
    # Every slot that is read lets the port go on: not only when the pipe is nearly empty.
    os.read(console._reader, 10)
    assert fill(console.fd) == 1


def test_everything_arrives_in_order_and_the_file_is_the_console(tmp_path):
    text = b"".join(b"line %d\r\n" % number for number in range(200))
    with PacedConsole(tmp_path / "console.log", 4_000_000) as console:
        for at in range(len(text)):
            os.write(console.fd, text[at : at + 1])
        for _ in range(5000):
            if (tmp_path / "console.log").stat().st_size == len(text):
                break
            threading.Event().wait(0.002)
    assert (tmp_path / "console.log").read_bytes() == text


@pytest.mark.parametrize("baud", [9_600, 115_200, 1_500_000])
def test_no_character_comes_before_the_line_has_carried_it(tmp_path, monkeypatch, baud):
    clock = Clock()
    monkeypatch.setattr(paced_console, "time", clock)
    console = PacedConsole(tmp_path / "console.log", baud)
    written = fill(console.fd)
    seen: list[tuple[float, int]] = []

    def put(taken: bytes) -> None:
        seen.append((clock.now - 100.0, len(taken) + (seen[-1][1] if seen else 0)))

    assert console._carry(put)
    assert seen[-1][1] == written
    for at_s, carried in seen:
        # Neither sooner than ten bits a character take, nor later than one nap after that.
        assert carried * 10 / baud - 1e-9 <= at_s < carried * 10 / baud + 0.0025


def test_a_packet_of_many_characters_takes_its_time(tmp_path, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(paced_console, "time", clock)
    console = PacedConsole(tmp_path / "console.log", 9_600)
    os.write(console.fd, b"y" * 96)
    os.write(console.fd, b"z")
    times: dict[bytes, float] = {}
    assert console._carry(lambda taken: times.update({taken[-1:]: clock.now - 100.0}))
    assert times[b"z"] >= 0.1


def test_the_end_of_the_port_ends_the_reader(tmp_path, monkeypatch):
    monkeypatch.setattr(paced_console, "time", Clock())
    console = PacedConsole(tmp_path / "console.log", 9_600)
    os.close(console.fd)
    assert not console._carry(lambda _taken: None)


def test_a_full_disk_ends_the_reader_and_nothing_else(tmp_path):
    (tmp_path / "full").symlink_to("/dev/full")
    with PacedConsole(tmp_path / "full", 115_200) as console:
        os.write(console.fd, b"x")
        console._thread.join(5)
        assert not console._thread.is_alive()
    assert console.written.hole(0) == "1 bytes of the console could not be written: the disk was full, or failed"


def test_a_disk_that_takes_a_part_gets_the_rest(tmp_path):
    class Nearly:
        taken = b""

        def write(self, data: bytes) -> int:
            self.taken += bytes(data[:3])
            return len(data[:3])

    nearly, console = Nearly(), PacedConsole(tmp_path / "console.log", 9_600)
    console._put(nearly, b"characters")
    assert nearly.taken == b"characters"
    assert console.written.hole(10) == ""
    assert console.written.hole(9) == "the console's file has 9 bytes, and the guest wrote 10"


def test_a_host_without_packet_pipes_says_so(tmp_path, monkeypatch):
    def refuse(*_arguments: int) -> int:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(paced_console.fcntl, "fcntl", refuse)
    with pytest.raises(EnvironmentFault, match="cannot be paced: Operation not permitted") as fault:
        PacedConsole(tmp_path / "console.log", 9_600)
    assert "console_baud" in fault.value.hint
