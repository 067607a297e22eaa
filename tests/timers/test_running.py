# SPDX-License-Identifier: MIT
"""The system that is booted to try timers, and what its console says."""

from __future__ import annotations

import pytest

from bootlab.errors import TargetError
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.recordings.console import split_lines
from bootlab.timers.programs import TIMERSTRESS
from bootlab.timers.running import output_of, system_for


def test_kernel_and_parameters_stay_and_the_root_does_not():
    system = SystemDescription(
        name="board",
        kernel=Kernel(image="/k"),
        goal=Goal(console="login:"),
        cmdline=CommandLine.parse("console=ttyS0 root=/dev/vda rootwait init=/sbin/app quiet"),
    )
    made = system_for(system, TIMERSTRESS, ["stress", "--timers", "10"], seconds=60)
    assert str(made.cmdline) == "console=ttyS0 quiet"
    assert made.kernel == system.kernel
    tree = made.initramfs.tree
    assert tree.get("/etc/timers").text == "raise-limits\n/bin/timerstress stress --timers 10\n"
    assert tree.get("/init").source
    plain = system_for(system, TIMERSTRESS, ["limit"], seconds=1, raise_limits=False)
    assert plain.initramfs.tree.get("/etc/timers").text == "/bin/timerstress limit\n"


def recording(console: bytes, outcome: Outcome = Outcome.GOAL, clock: str = "virtual") -> Recording:
    meta = Meta(outcome=outcome, reason="why", goal_clock=clock, goal_insns=42)
    return Recording(meta=meta, lines=split_lines(console, None), marks=(), console=console, path="/rec")


def test_facts_and_clock_are_those_of_the_boot():
    console = b"@timers fact clocksource hpet\r\n@timers fact clockevent \x1b[2J\r\n@timers end 0\r\n"
    place = output_of(recording(console), "board").place
    assert place.facts == {"clocksource": "hpet"}
    assert (place.clock, place.instructions) == ("virtual", 42)
    assert output_of(recording(console, clock="wall"), "board").place.instructions is None


def test_a_program_that_failed_is_an_error_with_its_words():
    with pytest.raises(TargetError, match="timerstress: cannot create the timers: EAGAIN"):
        output_of(recording(b"timerstress: cannot create the timers: EAGAIN\r\n@timers end 1\r\n"), "board")
    with pytest.raises(TargetError, match="status 126"):
        output_of(recording(b"@timers end 126\n"), "board")
    with pytest.raises(TargetError, match="did not run the timers: why"):
        output_of(recording(b"", Outcome.PANIC), "board")
