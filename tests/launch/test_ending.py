# SPDX-License-Identifier: MIT
"""How a boot ended, case by case: numbers in, verdict out."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.launch import ending
from bootlab.launch.ending import Clocks, judge
from bootlab.launch.watch import ConsoleWatch, GoalSeen
from bootlab.model.recording import Outcome
from bootlab.model.system import Check, Clockwork, Goal, Kernel, Limits, SystemDescription

SYSTEM = SystemDescription(
    name="s",
    kernel=Kernel(image="k"),
    goal=Goal(console="g"),
    check=Check(console=("c",)),
    limits=Limits(virtual_s=100, stall_virtual_s=10, wall_s=60, stall_wall_s=20),
)
QUIET = Clocks(wall_s=1.0, quiet_wall_s=0.1, still_wall_s=0.1, virtual_ns=1, quiet_virtual_ns=1)
NO_STAMPS = {"virtual_ns": None, "quiet_virtual_ns": None}


class Seen(msgspec.Struct):
    """What a console shows; stands for ConsoleWatch."""

    goal: GoalSeen | None = None
    goal_line_open: bool = False
    checks_done: bool = False
    panic: str = ""
    panic_complete: bool = False
    size_bytes: int = 100
    last_text: str = "last words"
    exec_failure: str = ""
    pending_initcall: str = "slow_init"


GOAL = GoalSeen(5, 6)


def judged(seen: Seen, words: str = "", *, exit_code: int | None = None, mode: str = "exact", **numbers):
    system = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode=mode))
    clocks = msgspec.structs.replace(QUIET, **numbers)
    return judge(system, seen, clocks, exit_code=exit_code, emulator_words=lambda: words)


@pytest.mark.parametrize(
    ("seen", "numbers", "outcome", "said"),
    [
        (Seen(), {}, None, ""),
        (Seen(goal=GOAL, checks_done=True), {}, Outcome.GOAL, ""),
        (Seen(goal=GOAL, checks_done=True, goal_line_open=True), {}, None, ""),
        (Seen(goal=GOAL, checks_done=True, goal_line_open=True), {"quiet_wall_s": 50}, None, ""),
        (Seen(goal=GOAL, checks_done=True, goal_line_open=True), {"quiet_virtual_ns": 300_000_001}, Outcome.GOAL, ""),
        (Seen(goal=GOAL, checks_done=True, goal_line_open=True), {"halted": True}, Outcome.GOAL, ""),
        (Seen(goal=GOAL, checks_done=True, goal_line_open=True), {"quiet_wall_s": 0.5, **NO_STAMPS}, Outcome.GOAL, ""),
        (Seen(goal=GOAL, checks_done=True), {"exit_code": 1}, Outcome.GOAL, ""),
        (Seen(goal=GOAL), {"since_goal": (1, 1)}, None, ""),
        (Seen(goal=GOAL), {"since_goal": (6, 1)}, None, ""),
        (Seen(goal=GOAL), {"since_goal": (2100, 1)}, None, ""),
        (Seen(goal=GOAL), {"since_goal": (6, 1), **NO_STAMPS}, Outcome.CHECK_FAILED, "functional check is missing"),
        (Seen(goal=GOAL), {"halted": True}, Outcome.CHECK_FAILED, "nothing can wake it"),
        (Seen(goal=GOAL), {"since_goal": (1, 3_000_000_000)}, Outcome.CHECK_FAILED, "functional check is missing"),
        (Seen(goal=GOAL), {"exit_code": 0}, Outcome.CHECK_FAILED, "ended after the goal"),
        (Seen(goal=GOAL), {"wall_s": 1e6, "since_goal": (1, 1)}, None, ""),
        (Seen(panic="Kernel panic: x"), {"virtual_ns": 10**15, "quiet_virtual_ns": 10**15}, Outcome.PANIC, ""),
        (Seen(panic="Kernel panic: x"), {"virtual_ns": 10**15}, None, ""),
        (Seen(panic="Kernel panic: x", panic_complete=True), {}, Outcome.PANIC, "Kernel panic: x"),
        (Seen(panic="Kernel panic: x"), {"quiet_wall_s": 19}, None, ""),
        (Seen(panic="Kernel panic: x"), {"quiet_wall_s": 1, **NO_STAMPS}, Outcome.PANIC, "Kernel panic: x"),
        (Seen(panic="Kernel panic: x"), {"halted": True}, Outcome.PANIC, "Kernel panic: x"),
        (Seen(panic="Kernel panic: x"), {"exit_code": 0}, Outcome.PANIC, "Kernel panic: x"),
        (Seen(panic="p", panic_complete=True, exec_failure="(error -8)"), {}, Outcome.WRONG_ARCH, "p"),
        (
            Seen(panic="p", panic_complete=True, exec_failure="Failed to execute /init (error -2)\n"),
            {},
            Outcome.PANIC,
            "p; /init (error -2): it, the interpreter of its #! line or its dynamic loader is not there",
        ),
        (
            Seen(
                panic="p",
                panic_complete=True,
                exec_failure="Starting init: /sbin/init exists but couldn't execute it (error -8)\n",
            ),
            {},
            Outcome.WRONG_ARCH,
            "/sbin/init (error -8): it is for another processor",
        ),
        (
            Seen(panic="Attempted to kill init! exitcode=0x00007f00", panic_complete=True),
            {},
            Outcome.PANIC,
            "ended with 127",
        ),
        (
            Seen(),
            {"quiet_virtual_ns": 11 * 10**9},
            Outcome.HANG,
            "10 s of virtual time; the last line was 'last",
        ),
        (Seen(), {"quiet_wall_s": 59}, None, ""),
        (Seen(), {"still_wall_s": 21}, Outcome.HANG, "stood still for 20 s of host time"),
        (Seen(), {"halted": True}, Outcome.HANG, "nothing can wake it"),
        (Seen(), {"quiet_wall_s": 21, **NO_STAMPS}, Outcome.HANG, "20 s of host time"),
        (Seen(), {"virtual_ns": 101 * 10**9}, Outcome.HANG, "no goal within 100 s of virtual time"),
        (Seen(size_bytes=0), {"still_wall_s": 21}, Outcome.NO_CONSOLE, "not one byte"),
        (Seen(), {"wall_s": 61}, Outcome.TIME_LIMIT, "60 s of host time"),
        (Seen(size_bytes=0), {"wall_s": 61}, Outcome.NO_CONSOLE, "not one byte"),
        (Seen(), NO_STAMPS, None, ""),
        (Seen(size_bytes=ending.CONSOLE_LIMIT_BYTES + 1), {}, Outcome.HANG, "64 MiB printed"),
        (Seen(), {"exit_code": 0}, Outcome.NO_GOAL, "'last words'"),
        (Seen(size_bytes=0), {"exit_code": 0}, Outcome.NO_CONSOLE, "without one byte"),
        (Seen(), {"exit_code": -9}, Outcome.EMULATOR_DIED, "signal 9"),
        (Seen(), {"exit_code": 1}, Outcome.EMULATOR_DIED, "exit code 1"),
        (Seen(size_bytes=0), {"exit_code": -11}, Outcome.EMULATOR_DIED, "signal 11"),
        (Seen(size_bytes=0), {"exit_code": 1}, Outcome.CANNOT_START, "exit code 1"),
    ],
)
def test_endings(seen, numbers, outcome, said):
    found = judged(seen, **numbers)
    assert (found.outcome if found else None) is outcome
    assert said in (found.reason if found else "")


@pytest.mark.parametrize(
    ("seen", "numbers", "by_host"),
    [
        (Seen(), {"still_wall_s": 21}, True),
        (Seen(size_bytes=0), {"still_wall_s": 21}, True),
        (Seen(), {"wall_s": 61}, True),
        (Seen(size_bytes=0), {"wall_s": 61}, True),
        (Seen(), {"quiet_wall_s": 21, **NO_STAMPS}, True),
        (Seen(goal=GOAL), {"since_goal": (6, 1), **NO_STAMPS}, True),
        (Seen(goal=GOAL), {"since_goal": (6, 1), **NO_STAMPS, "mode": "free"}, False),
        (Seen(), {"quiet_virtual_ns": 11 * 10**9}, False),
        (Seen(), {"halted": True}, False),
        (Seen(), {"exit_code": 0}, False),
        (Seen(), {"exit_code": -11}, True),
        (Seen(size_bytes=0), {"exit_code": 1}, False),
    ],
)
def test_what_the_host_ended_is_marked(seen, numbers, by_host):
    assert judged(seen, **numbers).host_limit is by_host


@pytest.mark.parametrize(
    ("code", "words", "said"),
    [
        (-9, "", "signal 9 (SIGKILL) from outside"),
        (-15, "", "signal 15 (SIGTERM) from outside"),
        (-7, "", "signal 7 (SIGBUS) from outside"),
        (-25, "", "signal 25 (SIGXFSZ) from outside"),
        (0, "qemu-system-x86_64: terminating on signal 15 from pid 7 (sh)", "signal 15 (SIGTERM) from outside"),
        (
            1,
            "qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory",
            "Cannot allocate memory",
        ),
        (1, "bootlab-stamp: cannot create the file named by out=", "bootlab's own plugin: cannot create the file"),
        (
            1,
            "qemu-system-x86_64: Could not load plugin a.so: not an ELF",
            "bootlab's own plugin: qemu-system-x86_64: C",
        ),
    ],
)
@pytest.mark.parametrize("seen", [Seen(), Seen(goal=GOAL), Seen(panic="p"), Seen(size_bytes=0)])
def test_who_is_killed_from_outside_has_shown_nothing(seen, code, words, said):
    found = judged(seen, words, exit_code=code)
    assert found.host_limit
    assert found.outcome in {Outcome.EMULATOR_DIED, Outcome.CANNOT_START}
    assert said in found.reason


def test_a_machine_that_stands_still_while_its_emulator_waits_is_told_apart():
    assert not judged(Seen(), still_wall_s=21).waited
    found = judged(Seen(), still_wall_s=21, waits=True)
    assert found.waited
    assert "QEMU did not compute" in found.reason
    assert not judged(Seen(), quiet_virtual_ns=11 * 10**9, waits=True).waited, "virtual time moved"


def test_a_hang_names_the_initcall():
    assert judged(Seen(), halted=True).last_initcall == "slow_init"


def test_qemus_own_words_are_found_among_advice():
    words = "qemu-system-x86_64: unsupported machine type\nUse -machine help to list supported machines"
    assert judged(Seen(size_bytes=0), words, exit_code=1).reason == "QEMU: qemu-system-x86_64: unsupported machine type"


def test_the_stand_in_has_what_the_watch_has(tmp_path):
    watch = ConsoleWatch(tmp_path / "c", SYSTEM)
    assert all(hasattr(watch, name) for name in Seen.__struct_fields__)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_a_code_of_its_own_and_a_hint(outcome):
    assert [o for o in Outcome if o.exit_code == outcome.exit_code] == [outcome]
    assert bool(outcome.hint) is (outcome is not Outcome.GOAL)


@pytest.mark.parametrize(
    ("since_goal", "mode", "late"),
    [
        ((1, 7_900_000_000), "exact", False),
        ((1, 8_100_000_000), "exact", True),
        ((7.9, 1), "free", False),
        ((8.1, 1), "free", True),
    ],
)
def test_a_system_says_how_long_its_check_may_take(since_goal, mode, late):
    limits = msgspec.structs.replace(SYSTEM.limits, check_s=8.0)
    system = msgspec.structs.replace(SYSTEM, limits=limits, clock=Clockwork(mode=mode))
    clocks = msgspec.structs.replace(QUIET, since_goal=since_goal)
    found = judge(system, Seen(goal=GOAL), clocks, exit_code=None, emulator_words=str)
    assert (found is not None) is late
