# SPDX-License-Identifier: MIT
"""Asking the emulator's monitor where an address lies."""

import socket
import threading

import pytest

from bootlab.errors import MeasurementError
from bootlab.launch import monitor


def answering(path, *answers: bytes) -> list[bytes]:
    """Serve one connection: each `gva2gpa` gets the next answer. Return what was said, as it grows."""
    heard: list[bytes] = []
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(path))
    server.listen(1)

    def serve() -> None:
        left = list(answers)
        line, _ = server.accept()
        with server, line:
            while left:
                heard.append(line.recv(4096))
                if b"gva2gpa" in heard[-1]:
                    line.sendall(left.pop(0))

    threading.Thread(target=serve, daemon=True).start()
    return heard


def test_the_answer_may_come_late(tmp_path):
    # Typed back letter by letter, as QEMU's readline does.
    heard = answering(
        tmp_path / "m", b"(qemu) gva2gpa 0xbf2642cc\x1b[K\r\nUnmapped\r\n", b"\x1b[D\r\ngpa: 0x2642cc\r\n"
    )
    assert monitor._ask(tmp_path / "m", 0xBF2642CC) == 0x2642CC
    assert any(b"cont" in said for said in heard)


@pytest.mark.parametrize("answer", [b"unknown command: 'gva2gpa'\r\n" + b"x" * (1 << 16)])
def test_another_answer_is_an_error(tmp_path, answer):
    answering(tmp_path / "m", answer)
    with pytest.raises(MeasurementError, match="does not say where 0x10 lies"):
        monitor._ask(tmp_path / "m", 0x10)


def test_no_monitor_is_an_error(tmp_path):
    with pytest.raises(MeasurementError):
        monitor._ask(tmp_path / "none", 0x10)
