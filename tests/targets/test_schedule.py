# SPDX-License-Identifier: MIT
"""Whose turn is it (qemu-plugin/smp/schedule.c), against a machine of numbers: no QEMU."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bootlab.data import source_folder

INSN_NS = 2
QUANTUM_NS = 5000
NOBODY = -1
_IDLE = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_uint)
_TIME = ctypes.CFUNCTYPE(ctypes.c_int64)


class _Questions(ctypes.Structure):
    _fields_ = (("idle", _IDLE), ("jumped_ns", _TIME), ("next_timer_ns", _TIME))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    made: Path = tmp_path_factory.mktemp("schedule") / "schedule.so"
    source = source_folder("smp", "schedule.c", top="qemu-plugin") / "schedule.c"
    subprocess.run([compiler, "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", made, source], check=True)
    found = ctypes.CDLL(str(made))
    for name in ("global_ns", "left_ns", "local_ns", "read_ns", "look_ns"):
        getattr(found, f"schedule_{name}").restype = ctypes.c_int64
    for name in ("goes_on", "wakes"):
        getattr(found, f"schedule_{name}").restype = ctypes.c_bool
    return found


class Team:
    """Processors that follow scripts: ("run", ns), ("read",), ("wake", processor), ("sleep", ns), ("halt",).

    It does what QEMU's loop does: timers fire at global time; when all are idle, the clock jumps to the next timer.
    `cut`: ns after which a turn is cut, as a kick does. `hasty`: the clock jumps as soon as the last one halts.
    """

    def __init__(
        self, library, *scripts: list[tuple], cut: Callable[[], int] = lambda: 1 << 40, hasty: bool = False
    ) -> None:
        self._lib, self._cut, self._hasty = library, cut, hasty
        self._scripts = [list(script) for script in scripts]
        self.asleep = [not script for script in scripts]
        self.timers: list[tuple[int, int]] = []
        self.jumped = 0
        self.turns = 0
        self.log: list[tuple[int, str, int]] = []
        questions = _Questions(
            _IDLE(lambda processor: self.asleep[processor]),
            _TIME(lambda: self.jumped),
            _TIME(lambda: self._deadline() - self.now if self.timers else -1),
        )
        self._questions = questions  # the library calls into it
        self._state = ctypes.create_string_buffer(8192)
        library.schedule_start(self._state, ctypes.byref(questions), len(scripts), ctypes.c_int64(QUANTUM_NS))

    @property
    def now(self) -> int:
        return self._lib.schedule_global_ns(self._state)

    def _deadline(self) -> int:
        return max(self.now, min(at for at, _ in self.timers))

    def _fire(self) -> bool:
        due = [timer for timer in self.timers if timer[0] <= self.now]
        for timer in due:
            self.timers.remove(timer)
            self.asleep[timer[1]] = False
        return bool(due)

    def play(self) -> Team:
        for _ in range(200_000):
            self._fire()
            turn = self._lib.schedule_turn(self._state)
            if turn != NOBODY:
                self._slice(turn)
            elif all(self.asleep) and self.timers:
                self.jumped += self._deadline() - self.now
            elif all(self.asleep):
                return self
        raise AssertionError("it never ends")

    def _slice(self, turn: int) -> None:
        self.turns += 1
        script = self._scripts[turn]
        left = min(self._lib.schedule_left_ns(self._state), self._cut())
        assert left > 0
        left, into = -(-left // INSN_NS) * INSN_NS, 0
        while into < left and script:
            step = script.pop(0)
            if step[0] == "run":
                ran = min(step[1], left - into)
                into += ran
                if ran < step[1]:
                    script.insert(0, ("run", step[1] - ran))
                continue
            into += INSN_NS
            if step[0] == "read":
                self.log.append((turn, "read", self._lib.schedule_read_ns(self._state, ctypes.c_int64(into))))
            elif step[0] == "wake":
                self.asleep[step[1]] = False
                if self._lib.schedule_wakes(self._state, step[1], ctypes.c_int64(into)):
                    break
            else:
                now = self._lib.schedule_local_ns(self._state, ctypes.c_int64(into))
                self.asleep[turn] = True
                if step[0] == "sleep":
                    self.timers.append((now + step[1], turn))
                self.log.append((turn, step[0], now))
                break
        self.asleep[turn] |= not script
        self._lib.schedule_ran(self._state, ctypes.c_int64(into))
        if self._hasty and all(self.asleep) and self.timers:
            self.jumped += self._deadline() - self.now

    def at(self, turn: int, what: str) -> list[int]:
        return [ns for who, kind, ns in self.log if (who, kind) == (turn, what)]


def test_work_in_parallel_takes_its_time_once(library):
    job = [("run", 1_000_000), ("read",), ("halt",)]
    team = Team(library, job, job, job, job).play()
    for turn in range(4):
        (end,) = team.at(turn, "read")
        assert end == pytest.approx(1_000_000, abs=QUANTUM_NS)


def test_one_that_is_alone_needs_no_quantum(library):
    team = Team(library, [("run", 1_000_000), ("halt",)], []).play()
    assert team.turns <= 2


def test_waits_take_their_time_and_the_clock_is_never_behind(library):
    script = [("sleep", 3_000_000), ("read",), ("sleep", 1_000), ("read",), ("halt",)]
    team = Team(library, script, [("run", 500), ("halt",)]).play()
    first, second = team.at(0, "sleep")
    assert team.at(0, "read")[0] == pytest.approx(first + 3_000_000, abs=2 * INSN_NS)
    assert team.at(0, "read")[1] == pytest.approx(second + 1_000, abs=2 * INSN_NS)


def test_the_woken_start_when_they_were_woken(library):
    team = Team(library, [("run", 100_000), ("wake", 1), ("run", 100_000), ("halt",)], [("read",), ("halt",)])
    team.asleep[1] = True
    assert team.play().at(1, "read")[0] == pytest.approx(100_000, abs=4 * INSN_NS)


def test_no_clock_steps_back(library):
    script = [step for _ in range(400) for step in (("run", 731), ("read",))] + [("halt",)]
    other = [step for _ in range(400) for step in (("run", 519), ("read",))] + [("halt",)]
    team = Team(library, script, other).play()
    read = [ns for _, what, ns in team.log if what == "read"]
    assert read == sorted(read)


def a_script(dice: random.Random, others: list[int]) -> list[tuple]:
    steps: list[tuple] = []
    for _ in range(60):
        kind = dice.choice(["run", "run", "run", "read", "wake", "sleep"])
        if kind == "run":
            steps.append(("run", INSN_NS * dice.randrange(1, 20_000)))
        elif kind == "wake":
            steps.append(("wake", dice.choice(others)))
        elif kind == "sleep":
            steps.append(("sleep", dice.randrange(1, 300_000)))
        else:
            steps.append(("read",))
    return [*steps, ("halt",)]


@pytest.mark.parametrize("seed", range(25))
def test_where_a_turn_is_cut_changes_nothing(library, seed):
    """What makes boots equal on a loaded host: kicks come when they like."""
    dice = random.Random(seed)
    count = dice.randrange(2, 5)
    scripts = [a_script(dice, [i for i in range(count) if i != own]) for own in range(count)]
    calm = Team(library, *scripts).play()
    for cuts in range(3):
        kicks = random.Random(f"{seed}-{cuts}")
        kicked = Team(
            library, *scripts, cut=lambda kicks=kicks: kicks.choice([2, 100, 3000, 1 << 40]), hasty=cuts == 1
        ).play()
        assert kicked.turns > calm.turns
        assert kicked.log == calm.log


def test_nobody_has_to_catch_up_behind_a_jump(library):
    """The clock jumps right behind the last halt, before anybody looked who is idle.

    The one that halted last must not go on where it was, 100 ms behind, a turn for every few instructions.
    """
    first = [("run", 10_000), ("sleep", 100_000_000), ("run", 1_000_000), ("read",), ("halt",)]
    second = [("sleep", 100_015_000), ("run", 1_000_000), ("halt",)]
    team = Team(library, first, second, hasty=True)
    end = team.play().at(0, "read")[0]
    assert end == pytest.approx(101_010_000, abs=2 * QUANTUM_NS)
    assert team.turns < 3 * 1_000_000 / QUANTUM_NS
