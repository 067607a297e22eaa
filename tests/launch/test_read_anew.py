# SPDX-License-Identifier: MIT
"""Another goal, mark or limit of a machine that was booted already: read out of the kept recording, or booted."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.experiments.bench import Bench
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.read_anew import read_anew
from bootlab.model.recording import Mark, Meta, Outcome
from bootlab.model.system import Check, Clockwork, Goal, Kernel, Limits, SystemDescription
from bootlab.recordings import recording_dir
from bootlab.recordings.stamps import Stamps

MS = 1_000_000
LINES = {"kernel": 10, "init: start": 20, "rcS: start": 30, "application: start": 45, "ready sum=7": 60, "login:": 2500}
BASE = SystemDescription(
    name="s", kernel=Kernel(image="k"), goal=Goal(console="login:"), marks=(("rc-scripts", "rcS"),), clock=Clockwork()
)
CONSOLE = "".join(f"{line}\n" for line in LINES).encode()
LIMITS = {"virtual_s": 120.0, "stall_virtual_s": 30.0, "wall_s": 1.0, "stall_wall_s": 1.0}


def kept(folder: Path, goal: str = "login:", **meta: object) -> Path:
    """Write the recording of a boot up to the login prompt, each line at its millisecond; or of one without a goal."""
    folder.mkdir(parents=True)
    reached = goal in LINES
    ends = np.cumsum([len(line) + 1 for line in LINES])
    ns = np.array([ms * MS for ms in LINES.values()])
    stamps = Stamps(ends=ends, ns=ns, insns=ns // 2, marks={})
    marks = (
        *(Mark("power-on", 0, 0, "reset"), Mark("user-space", 15 * MS, 7, "first instruction in user space")),
        Mark("rc-scripts", 30 * MS, 15, "console: rcS"),
        *((Mark("goal", 2500 * MS, 1250, "login:"),) if reached else ()),
    )
    meta = {"machine_key": "m"} | meta
    said = Meta(key="old", goal_ns=2500 * MS if reached else None, stamped=True, console_bytes=len(CONSOLE), **meta)
    recording_dir.save(folder, said, marks, CONSOLE, stamps)
    return folder


def plan(**changed: object) -> BootPlan:
    system = msgspec.structs.replace(BASE, **changed)
    return BootPlan(
        system=system, purpose="timing", key="new", machine_key="m", info=KernelInfo(), sizes_bytes={}, sha256={}
    )


def test_another_goal_and_another_mark(tmp_path):
    wanted = plan(
        goal=Goal(console="ready"), marks=(("application", "^application"),), check=Check(console=(r"sum=(\d+)",))
    )
    made = read_anew(kept(tmp_path / "old"), wanted, tmp_path / "new")
    assert made is not None
    assert (made.meta.key, made.meta.read_from, made.meta.outcome) == ("new", "old", Outcome.GOAL)
    assert (made.meta.goal_ns, made.meta.goal_insns) == (60 * MS, 30 * MS)
    assert made.console == CONSOLE[: CONSOLE.index(b"login:")]
    assert made.meta.check_groups == (("7",),)
    assert [(m.name, m.ns // MS) for m in made.marks] == [
        ("power-on", 0), ("user-space", 15), ("application", 45), ("goal", 60)
    ]  # fmt: skip
    assert recording_dir.load(tmp_path / "new", whole=True) == made
    assert "not booted again" in made.meta.notes[-1]


def test_how_the_kernel_was_built_is_kept_though_the_first_boot_did_not_know_it(tmp_path):
    config = tmp_path / "config-6.1"
    config.write_text("CONFIG_EXT4_FS=m\n", encoding="utf-8")
    known = plan(goal=Goal(console="ready"), kernel=Kernel(image="k", config=str(config)))
    made = read_anew(kept(tmp_path / "old"), known, tmp_path / "new")
    assert made is not None
    assert made.kernel_config == {"CONFIG_EXT4_FS": "m"}


def test_a_boot_that_ended_in_a_hang_holds_goals_too(tmp_path):
    old = kept(tmp_path / "old", outcome=Outcome.HANG)
    assert read_anew(old, plan(goal=Goal(console="ready")), tmp_path / "new") is not None


@pytest.mark.parametrize(
    "changed",
    [
        {"goal": Goal(console="never printed")},
        {"goal": Goal(console="login:"), "check": Check(console=("shutdown",))},
        {"clock": Clockwork(mode="free")},
    ],
    ids=["no such line", "no such check yet", "free"],
)
def test_only_a_boot_tells(tmp_path, changed):
    assert read_anew(kept(tmp_path / "old"), plan(**changed), tmp_path / "new") is None
    assert not (tmp_path / "new").exists()


FAILS = {
    "no such check": ({"goal": Goal(console="ready"), "check": Check(console=("shutdown",))}, Outcome.CHECK_FAILED),
    "check too late": ({"goal": Goal(console="ready"), "check": Check(console=("login:",))}, Outcome.CHECK_FAILED),
    "behind the limit": ({"limits": Limits(**{**LIMITS, "virtual_s": 2.0})}, Outcome.HANG),
    "a stall": ({"limits": Limits(**{**LIMITS, "stall_virtual_s": 2.0})}, Outcome.HANG),
}


@pytest.mark.parametrize("case", FAILS)
def test_a_kept_console_tells_of_failures_too(tmp_path, case):
    changed, outcome = FAILS[case]
    made = read_anew(kept(tmp_path / "old"), plan(**changed), tmp_path / "new")
    assert made is not None
    assert made.meta.outcome is outcome
    assert made.meta.reason
    assert made.console == CONSOLE[: CONSOLE.index(b"login:")]
    # What was read out of it is a whole beginning like any other.
    again = read_anew(tmp_path / "new", plan(**changed, marks=(("application", "^app"),)), tmp_path / "again")
    assert again is not None
    assert (again.meta.outcome, again.meta.reason, again.meta.read_from) == (outcome, made.meta.reason, "old")
    assert again.mark("application").ns == 45 * MS


# How a boot failed: the outcome, what the recording says of its end, the reason that a boot of another mark gives.
ENDED = {
    "nothing printed any more": ({"outcome": Outcome.HANG, "known_ns": 32_500 * MS + 1}, "nothing printed for 30 s"),
    "halted": ({"outcome": Outcome.HANG, "known_ns": 2500 * MS, "stopped": "halted"}, "the processor halted"),
    "switched off": ({"outcome": Outcome.NO_GOAL, "known_ns": 2600 * MS, "stopped": "exited"}, "switched itself off"),
}


@pytest.mark.parametrize("case", ENDED)
def test_a_mark_in_a_boot_that_failed_boots_nothing(tmp_path, case):
    meta, reason = ENDED[case]
    old = kept(tmp_path / "old", goal="never printed", **meta)
    wanted = plan(goal=Goal(console="also never"), marks=(("application", "^application"),))
    made = read_anew(old, wanted, tmp_path / "new")
    assert made is not None
    assert made.meta.outcome is meta["outcome"]
    assert reason in made.meta.reason
    assert made.meta.goal_ns is None
    assert [m.name for m in made.marks] == ["power-on", "user-space", "application"]
    # Of a machine that went on, the longer limit tells more than what is known; one that stopped prints nothing.
    longer = plan(goal=Goal(console="never"), limits=Limits(**{**LIMITS, "stall_virtual_s": 60.0}))
    assert (read_anew(old, longer, tmp_path / "longer") is None) == ("stopped" not in meta)


def test_a_panic_is_a_whole_console(tmp_path, monkeypatch):
    lines = {"kernel": 10, "application: start": 45, "Kernel panic - not syncing: x": 60, "---[ end Kernel panic": 61}
    monkeypatch.setattr("tests.launch.test_read_anew.LINES", lines)
    monkeypatch.setattr("tests.launch.test_read_anew.CONSOLE", "".join(f"{line}\n" for line in lines).encode())
    old = kept(tmp_path / "old", goal="never", outcome=Outcome.PANIC)
    earlier = read_anew(old, plan(goal=Goal(console="application: start")), tmp_path / "earlier")
    assert earlier is not None
    assert (earlier.meta.outcome, earlier.meta.goal_ns) == (Outcome.GOAL, 45 * MS)
    failed = read_anew(old, plan(marks=(("application", "^app"),)), tmp_path / "failed")
    assert failed is not None
    assert failed.meta.outcome is Outcome.PANIC
    assert failed.meta.reason.startswith("Kernel panic - not syncing: x")
    assert failed.mark("application").ns == 45 * MS


@pytest.mark.parametrize(
    "meta", [{"outcome": Outcome.EMULATOR_DIED}, {"outcome": Outcome.TIME_LIMIT}, {"host_limit": True}]
)
def test_what_the_host_ended_is_no_beginning(tmp_path, meta):
    assert read_anew(kept(tmp_path / "old", **meta), plan(goal=Goal(console="ready")), tmp_path / "new") is None


def test_the_bench_boots_nothing_for_another_mark(tmp_path):
    class Target:
        booted = 0

        def plan(self, system, purpose="timing"):
            raise AssertionError

        def boot(self, wanted, folder, *, stop, progress=None):
            self.booted += 1
            return recording_dir.load(kept(folder, machine_key=wanted.machine_key))

    target = Target()
    with Bench(target, tmp_path, jobs=1) as bench:
        first = msgspec.structs.replace(plan(), key="first")
        bench.wait(bench.submit_plan(first, "first"))
        marked = msgspec.structs.replace(plan(marks=(("application", "^app"),)), key="marked")
        found = bench.wait(bench.submit_plan(marked, "marked"))
        assert found.mark("application").ns == 45 * MS
        assert (target.booted, bench.boots_made, bench.boots_reused) == (1, 1, 1)
        # A boot that is asked for anew, another machine, and a goal that was not reached are booted.
        bench.wait(bench.submit_plan(msgspec.structs.replace(marked, key="other"), "anew", fresh=1))
        bench.wait(bench.submit_plan(msgspec.structs.replace(plan(), key="k2", machine_key="m2"), "other machine"))
        later = msgspec.structs.replace(plan(goal=Goal(console="nowhere")), key="k3")
        bench.wait(bench.submit_plan(later, "later"))
        assert target.booted == 4
