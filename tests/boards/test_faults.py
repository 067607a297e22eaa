# SPDX-License-Identifier: MIT
"""What a board's console shows is told from bytes alone."""

from __future__ import annotations

import pytest

from bootlab.boards.faults import BoardWatch, board_ending, unreadable
from bootlab.boards.virtual.uart import received
from bootlab.model.recording import Outcome
from bootlab.model.system import Goal, Kernel, SystemDescription

SYSTEM = SystemDescription(name="board", kernel=Kernel(image=""), goal=Goal(console="ready"))
TEXT = b"U-Boot 2025.01 (Jan 06 2025)\r\n[    0.000000] Linux version 6.6.30\r\n" * 6


def watch(*pieces: bytes, kernels: int = 1) -> BoardWatch:
    found = BoardWatch(None, SYSTEM, kernels=kernels)
    for piece in pieces:
        found.feed(piece)
    return found


def ending(found: BoardWatch, quiet_s: float = 10.0):
    return board_ending(found, quiet_s=quiet_s, prompt_s=5.0, baud=115_200)


def test_text_is_readable_in_any_language():
    assert unreadable(TEXT) == 0
    assert unreadable("Gerät bereit, 準備完了".encode()) == 0
    assert unreadable(b"") == 0


@pytest.mark.parametrize("sent", [9_600, 38_400, 57_600, 230_400, 921_600, 1_500_000])
def test_another_rate_is_unreadable(sent):
    assert received(TEXT, 115_200, 115_200) == TEXT
    seen = received(TEXT, sent, 115_200)
    assert seen
    assert unreadable(seen) > 0.25 or len(seen) < 48


def test_a_nearly_right_rate_is_the_right_one():
    assert received(TEXT, 115_200, 117_000) == TEXT


def test_a_restart_is_the_second_of_a_kind():
    assert ending(watch(b"U-Boot SPL 2025.01\r\nU-Boot 2025.01\r\nLinux version 6.6\r\n")) is None
    found = ending(
        watch(b"U-Boot SPL 2025.01\r\nU-Boot 2025.01\r\nLinux version 6.6\r\nRun /init\r\nU-Boot SPL 2025.01\r\n")
    )
    assert found.outcome is Outcome.REBOOTED
    assert "Run /init" in found.reason


def test_a_loader_that_is_a_linux_needs_two_kernels():
    twice = b"Linux version 5.4\r\nkexec\r\nLinux version 6.6\r\n"
    assert ending(watch(twice)).outcome is Outcome.REBOOTED
    assert ending(watch(twice, kernels=2)) is None


@pytest.mark.parametrize(
    "prompt", [b"=> ", b"U-Boot> ", b"barebox@Board:/ ", b"grub> ", b"Hit any key to stop autoboot:  0\r\n"]
)
def test_a_loader_that_waits(prompt):
    found = watch(b"U-Boot 2025.01\r\nDRAM: 512 MiB\r\n" + prompt)
    assert ending(found, quiet_s=1.0) is None
    assert ending(found).outcome is Outcome.STOPPED


def test_a_shell_behind_the_kernel_is_no_loader():
    assert ending(watch(b"[    0.000000] Linux version 6.6\r\n/ # ")) is None


def test_a_goal_in_noise_is_a_goal():
    found = watch(b"\x01\x02\x03" * 200, b"\r\nready\r\n")
    assert found.goal is not None
    assert ending(found) is None


def test_unreadable_from_the_start_needs_no_silence():
    noise = bytes(range(1, 8)) * 100
    assert ending(watch(noise), quiet_s=0.0).outcome is Outcome.GARBAGE
    late = watch(TEXT + b"readable until here it was\r\n", noise)
    assert ending(late, quiet_s=0.0) is None or ending(late).outcome is Outcome.REBOOTED


def test_what_came_before_power_does_not_count():
    found = BoardWatch(None, SYSTEM)
    found.skip(100)
    found.feed(b"ready\r\n")
    assert found.goal.match_end_bytes == 105
