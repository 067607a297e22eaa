# SPDX-License-Identifier: MIT
"""What a console tells of a user space that never came to the goal."""

from __future__ import annotations

import pytest

from bootlab.hints import user_space as user_space_hint
from bootlab.model.recording import Line


def lines(*texts: str) -> tuple[Line, ...]:
    return tuple(Line(number, text, 0) for number, text in enumerate(texts, 1))


KERNEL = ("[    0.000000] Linux version 6.1", "[    3.063297] Run /init as init process")
# arch/x86, arch/arm and arch/arm64: the first lines of an Oops.
CRASHES = (
    (
        ("[ 1.0] BUG: kernel NULL pointer dereference, address: 0000000000000000", "[ 1.0] #PF: write access",
         "[ 1.0] RIP: 0010:sysrq_handle_crash+0x16/0x20", "[ 1.0] RIP: 0010:later+0x1/0x2"),
        "the kernel crashed in sysrq_handle_crash (line 1: 'BUG: kernel NULL pointer dereference, address:",
    ),
    (
        ("[ 1.0] Unable to handle kernel NULL pointer dereference at virtual address 00000000",
         "[ 1.0] Internal error: Oops: 805 [#1] SMP ARM", "[ 1.0] PC is at imx_probe+0x30/0x1c4"),
        "crashed in imx_probe (line 1",
    ),
    (
        ("[ 1.0] Unable to handle kernel paging request at virtual address 8000", "[ 1.0] pc : dw_pcie_read+0x1c/0x40"),
        "`bootlab where dw_pcie_read --source LINUX`",
    ),
    (("[ 1.0] Internal error: Oops: 17 [#1]", "[ 1.0] no registers"), "the kernel crashed: line 1, 'Internal error"),
)  # fmt: skip


@pytest.mark.parametrize(("texts", "said"), CRASHES)
def test_the_function_that_crashed(texts, said):
    assert said in user_space_hint.crash(lines(*texts))


def test_no_crash():
    assert user_space_hint.crash(lines(*KERNEL)) == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("hello", "[    3.100000] reboot: machine restart"), "restarted the machine after 'hello', before the goal"),
        (("[    3.100000] reboot: Power down",), "switched the machine off, without a word"),
        (("bye", "[    3.100000] reboot: System halted"), "halted the machine after 'bye'"),
        (("starting",), ""),
    ],
)
def test_who_ended_the_machine(words, said):
    found = user_space_hint.ended_by_itself(lines(*KERNEL, *words))
    assert (said in found) if said else found == ""


def test_a_machine_that_only_halts_where_it_ought_to_go_off():
    halted = lines(*KERNEL, "end of the report", "[    3.100000] reboot: System halted")
    found = user_space_hint.ended_by_itself(halted, r"reboot: Power down|^Power down\.")
    assert found == "the kernel halted the machine: no driver in it switches this machine off"
    assert "before the goal" in user_space_hint.ended_by_itself(halted, "login:")


def test_a_line_that_comes_again_and_again():
    said = user_space_hint.repeats(lines(*KERNEL, *["no sensor"] * 5))
    assert said == "'no sensor' comes again and again: a program waits for something that this system does not have"
    assert user_space_hint.repeats(lines(*KERNEL, *["no sensor"] * 4)) == ""
    others = [word for number in range(6) for word in (f"frame {number}", "sensor ok", f"gain {number}")]
    assert user_space_hint.repeats(lines(*KERNEL, *others, "sensor ok")) == "", "one line of many is no loop"
    assert user_space_hint.repeats(()) == ""


def test_lines_that_come_again_in_turn():
    kernels = "[   {}.{}11413] /dev/vda: Can't open blockdev"
    waiting = [text for n in range(10, 30) for text in (kernels.format(n, 1), kernels.format(n, 2), "mount: failed")]
    said = user_space_hint.repeats(lines(*KERNEL, *waiting))
    assert said.startswith("'mount: failed', with 1 other line, comes again and again"), said
    healthy = [f"unit {number}: step {step}" for number in range(20) for step in ("a", "b")]
    assert user_space_hint.repeats(lines(*KERNEL, *healthy)) == "", "programs that number their lines make progress"
    # A driver that makes one device after the other: its lines are alike but for their numbers.
    disks = [f"[    2.{number:06}] usb {number}-1: new device" for number in range(20)]
    assert user_space_hint.repeats(lines(*KERNEL, *disks, "ready")) == ""


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (KERNEL[:1], ""),
        (KERNEL, "/init was started and printed nothing"),
        ((*KERNEL, "[    3.200000] random: crng init done"), "/init was started and printed nothing"),
        ((*KERNEL, "starting"), "its one line does not match the goal 'ready'; it said last 'starting'"),
        ((*KERNEL, "one", "two", ""), "none of its 2 lines matches the goal 'ready'; it said last 'two'"),
        (("U-Boot 2023.01", "[    0.000000] Linux version 6.1"), ""),
        (("U-Boot 2023.01", "[    0.000000] Linux version 6.1", "starting"), "it said last 'starting'"),
        (("U-Boot 2023.01",), ""),
    ],
)
def test_a_user_space_that_falls_silent(texts, said):
    found = user_space_hint.silent(lines(*texts), "ready")
    assert (said in found) if said else found == ""
