# SPDX-License-Identifier: MIT
"""Stages, equality with its causes, statistics: pure functions of recordings and samples."""

from __future__ import annotations

import itertools
import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.analysis.equality import compare_boots, likely_causes
from bootlab.analysis.noisy.variants import compare
from bootlab.analysis.schedule import stage_verdicts
from bootlab.analysis.smallest import smallest_that_matters
from bootlab.analysis.stages import stage_deltas, stages_of, timeline_of
from bootlab.model.launch import Medium
from bootlab.model.recording import Diagnosis, Initcall, Line, Mark, Meta, Outcome, Recording
from bootlab.model.system import Clockwork, Goal, Kernel, Machine, SystemDescription
from bootlab.model.timeline import ALL_STAGES, STAGES
from bootlab.model.verdict import Verdict
from bootlab.views.run.equality_text import sentence
from tests.launches import PLUGIN, launch

SYSTEM = SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console="g"))
MARKS = [start for _, start, _ in ALL_STAGES]


def booted(**marks: int) -> Recording:
    return marked({name.replace("_", "-"): ns for name, ns in marks.items()})


def marked(times: dict[str, int]) -> Recording:
    return Recording(
        meta=Meta(goal_ns=times.get("goal")), lines=(), marks=tuple(Mark(name, ns) for name, ns in times.items())
    )


def test_stages_of_a_whole_boot_and_of_a_way_down():
    recording = marked({mark: n * 10 for n, mark in enumerate([*MARKS, "goal"])})
    assert [(s.name, s.start_ns, s.duration_ns) for s in stages_of(recording)] == [
        ("initrd" if name == "user space" else name, n * 10, 10) for n, (name, _, _) in enumerate(ALL_STAGES)
    ]
    plain = booted(power_on=0, user_space=10, rc_scripts=20, goal=40)
    assert [s.name for s in stages_of(plain)] == ["firmware", "user space", "RC scripts"]


def test_what_was_not_seen_belongs_to_the_stage_before():
    stages = stages_of(booted(power_on=0, start_kernel=30, goal=100))
    assert [(s.name, s.duration_ns) for s in stages] == [("firmware", 30), ("kernel", 70)]


def test_a_kernel_started_by_kexec_has_stages_of_its_own():
    times = {"power-on": 0, "start-kernel": 10, "user-space": 20, "kexec": 30, "kernel-2": 40, "user-space-2": 50}
    names = ["firmware", "kernel", "user space", "kexec", "kernel 2", "user space 2"]
    assert [s.name for s in stages_of(marked(times | {"goal": 60}))] == names
    assert [s.name for s in stages_of(marked(times | {"rc-scripts": 55, "goal": 60}))] == [*names, "RC scripts"]
    # User space precedes neither of the two.
    assert [s.name for s in stages_of(marked(times | {"user-space-2": 35, "goal": 60}))] == names[:-1]
    assert [s.name for s in stages_of(marked(times | {"user-space": 5, "goal": 60}))] == [
        "firmware", "kernel", "kexec", "kernel 2", "user space 2"
    ]  # fmt: skip


def test_marks_in_another_order_and_behind_the_goal():
    stages = stages_of(booted(power_on=0, user_space=10, application=20, rc_scripts=30, goal=40))
    assert [(s.name, s.duration_ns) for s in stages] == [
        ("firmware", 10), ("user space", 10), ("application", 10), ("RC scripts", 10)
    ]  # fmt: skip
    late = stages_of(booted(power_on=0, user_space=10, goal=40, rc_scripts=50))
    assert [(s.name, s.duration_ns) for s in late] == [("firmware", 10), ("user space", 30)]


def test_no_marks_no_stages():
    assert stages_of(booted()) == ()
    assert stages_of(booted(goal=3)) == ()
    assert [s.name for s in stages_of(booted(power_on=0, start_kernel=5, user_space=9))] == ["firmware", "kernel"]


@given(st.dictionaries(st.sampled_from(MARKS), st.integers(0, 10**12)), st.integers(0, 10**12))
def test_stages_cover_everything_without_a_gap(marks, goal):
    stages = stages_of(booted(**{**{k.replace("-", "_"): v for k, v in marks.items()}, "power_on": 0, "goal": goal}))
    assert sum(s.duration_ns for s in stages) == goal
    for one, following in itertools.pairwise(stages):
        assert one.start_ns + one.duration_ns == following.start_ns


def test_deltas():
    before, after = booted(power_on=0, start_kernel=30, goal=100), booted(power_on=0, user_space=50, goal=60)
    assert [(d.stage, d.before_ns, d.after_ns) for d in stage_deltas(before, after)] == [
        ("firmware + kernel + user space", 100, 60)
    ]


def test_a_mark_that_one_boot_lacks_moves_no_time_to_another_stage():
    before = booted(power_on=0, user_space=100, rc_scripts=386, application=700, goal=900)
    after = booted(power_on=0, user_space=100, application=690, goal=890)
    assert [(d.stage, d.before_ns, d.after_ns) for d in stage_deltas(before, after)] == [
        ("firmware", 100, 100),
        ("user space + RC scripts", 600, 590),
        ("application", 200, 200),
    ]
    (told,) = [s for s in stage_verdicts((before,), (after,)) if "RC" in s.stage]
    assert (told.stage, told.saved_ns) == ("user space + RC scripts", 10)
    swapped = booted(power_on=0, user_space=100, rc_scripts=690, goal=890)
    assert [(d.stage, d.before_ns, d.after_ns) for d in stage_deltas(after, swapped)] == [
        ("firmware", 100, 100),
        ("user space + RC scripts + application", 790, 790),
    ]


def test_behind_an_initrd():
    boot = booted(power_on=0, user_space=10, switch_root=30, units=50, application=70, goal=90)
    assert [s.name for s in stages_of(boot)] == ["firmware", "initrd", "init", "units", "application"]
    assert not {"switch-root", "units", "rc-scripts"} & set(timeline_of(boot).missing)
    assert "rc-scripts" in timeline_of(booted(power_on=0, goal=9)).missing
    assert not {"kernel-entry", "decompression"} & set(timeline_of(booted(power_on=0, efi_stub=1, goal=9)).missing)


def test_a_diagnosis_keeps_its_own_clock():
    recording = booted(power_on=0, goal=9)
    call = Initcall(name="i", start_ns=1, duration_ns=2, returned=-19, level="device", module="m")
    timeline = timeline_of(recording, Diagnosis(recording=recording, initcalls=(call,)))
    (span,) = timeline.diagnostic
    assert (span.clock, span.lane, span.detail) == ("printk", "initcalls device", "returned -19 [m]")
    assert timeline.missing == tuple(start for _, start, _ in STAGES[1:])
    assert {s.clock for s in timeline.spans} == {"virtual"}


def printed(text: str, **meta: object) -> Recording:
    lines = tuple(Line(n + 1, t, 0) for n, t in enumerate(text.split("\n")))
    return Recording(meta=Meta(goal_ns=5, goal_insns=2, **meta), lines=lines, marks=(), console=text.encode())


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (printed("a\nb"), ""),
        (printed("a\nc"), "boot 1 and boot 2 print different things, first: 'b' / 'c'"),
        (printed("a\nb\nc"), "(more lines)"),
        (printed("a\nb", outcome=Outcome.PANIC), "boot 1 ended with goal, boot 2 with panic"),
        (msgspec.structs.replace(printed("a\nb"), meta=Meta(goal_ns=5, goal_insns=3)), "after 2 and after 3 instr"),
        (msgspec.structs.replace(printed("a\nb"), meta=Meta(goal_ns=7, goal_insns=2)), "at 5 ns and at 7 ns"),
    ],
)
def test_boots_are_compared_to_the_byte(other, said):
    found = compare_boots(SYSTEM, (printed("a\nb"), other), {})
    assert found.equal is (not said)
    assert said in found.difference
    assert found.causes == ()


NEVER = printed("", outcome=Outcome.CANNOT_START)
BY_HOST = printed("a", outcome=Outcome.TIME_LIMIT, host_limit=True)
HUNG = printed("a", outcome=Outcome.HANG)


@pytest.mark.parametrize(
    ("boots", "equal", "said"),
    [
        ((NEVER, NEVER), None, "0 of 2 boots ran: there is nothing to compare"),
        ((BY_HOST, BY_HOST), None, "0 of 2 boots ran: there is nothing to compare"),
        ((printed("a"), NEVER), None, "1 of 2 boots ran: there is nothing to compare"),
        ((HUNG, HUNG), True, "2 of 2 boots equal: console byte for byte, but none reached the goal"),
        ((printed("a"),) * 3, True, "3 of 3 boots equal: console byte for byte, goal to the instruction"),
        (
            (NEVER, printed("a"), printed("a")),
            True,
            (
                "2 of 3 boots equal: console byte for byte, goal to the instruction; 1 boot did not run and is not "
                "compared"
            ),
        ),
        ((NEVER, printed("a"), HUNG), False, "the boots differ: boot 2 ended with goal, boot 3 with hang"),
        ((), None, "0 of 0 boots ran: there is nothing to compare"),
    ],
)
def test_only_boots_that_ran_are_equal(boots, equal, said):
    """Two boots that never started were equal, console byte for byte, goal to the instruction."""
    found = compare_boots(SYSTEM, boots, {})
    assert found.equal is equal
    assert sentence(found) == said


@pytest.mark.parametrize(
    ("words", "config", "machine", "lines", "cause"),
    [
        ((), {}, Machine(), ("", ""), None),
        (("-rtc", "base=utc"), {}, Machine(), ("", ""), "real-time clock"),
        (("-rtc", "base=2026-01-01,clock=host"), {}, Machine(), ("", ""), "real-time clock"),
        ((), {}, Machine(), ("rtc_cmos 00:03: setting system clock to 2026", ""), "real-time clock"),
        (("-cpu", "max"), {}, Machine(), ("", ""), "RDRAND"),
        (("-cpu", "max,rdrand=on,rdseed=off"), {}, Machine(), ("", ""), "RDRAND"),
        (("-cpu", "max,+rdseed,rdrand=off"), {}, Machine(), ("", ""), "RDRAND"),
        (("-cpu", "max,-rdseed,-rdrand"), {}, Machine(), ("", ""), None),
        (("-cpu", "Haswell"), {}, Machine(), ("", ""), "RDRAND"),
        (("-cpu", "Haswell,rdrand=off,rdseed=off"), {}, Machine(), ("", ""), None),
        (("-cpu", "cortex-a72"), {}, Machine(arch="arm64"), ("", ""), None),
        (("-cpu", "qemu64"), {}, Machine(), ("", ""), None),
        (("-drive", "file=/d,if=virtio"), {}, Machine(), ("", ""), "virtio-blk is not exact"),
        (("-device", "nvme,drive=d"), {}, Machine(), ("", ""), "nvme is not exact"),
        (("-device", "virtio-rng-pci"), {}, Machine(), ("", ""), "virtio-rng-pci is not exact"),
        (("-nic", "user,model=e1000"), {}, Machine(), ("", ""), None),
        (("-device", "sdhci-pci", "-device", "sd-card,drive=d"), {}, Machine(), ("", ""), None),
        (("-device", "nvdimm,memdev=m"), {}, Machine(), ("", ""), None),
        (("-nic", "tap,model=e1000"), {}, Machine(), ("", ""), "network backend tap"),
        (("-device", "my-card"), {}, Machine(), ("", ""), "my-card was never tested"),
        (("-smp", "16"), {}, Machine(), ("", ""), "more than one processor"),
        (("-smp", "cpus=4"), {}, Machine(), ("", ""), "more than one processor"),
        (("-smp", "cpus=1,maxcpus=4"), {}, Machine(), ("", ""), None),
        ((), {"CONFIG_HZ_PERIODIC": "y"}, Machine(), ("", ""), "HZ_PERIODIC"),
        ((), {"CONFIG_HZ_PERIODIC": "n"}, Machine(), ("", ""), None),
    ],
)
def test_each_cause_is_named_alone(words, config, machine, lines, cause):
    found = likely_causes(msgspec.structs.replace(SYSTEM, machine=machine), launch(*words), config, lines, "7.2.22")
    assert len(found) == (cause is not None), found
    assert cause is None or cause in found[0]


@pytest.mark.parametrize(
    ("started", "config", "cause"),
    [
        (launch(clock=None), {}, "real-time clock"),
        (launch(cpu="max"), {}, "RDRAND"),
        (launch("-cpu", "qemu64", cpu="max"), {}, None),
        (launch(media=(Medium(file="/d", bus="virtio"),)), {}, "virtio-blk is not exact"),
        (launch(devices=("nvme,drive=d",)), {}, "nvme is not exact"),
        (launch(processors=2), {}, "more than one processor"),
        (launch("-smp", "1", processors=2), {}, None),
        (launch(plugins=(PLUGIN,)), {"CONFIG_HZ_PERIODIC": "y"}, None),
        (None, {"CONFIG_HZ_PERIODIC": "y"}, None),
    ],
)
def test_each_cause_in_what_was_started(started, config, cause):
    found = likely_causes(SYSTEM, started, config, ("", ""), "7.2.22")
    assert len(found) == (cause is not None), found
    assert cause is None or cause in found[0]


def test_the_boots_themselves_say_what_was_started():
    first = printed("a")
    started = msgspec.structs.replace(first.meta, launch=launch("-rtc", "base=utc"))
    found = compare_boots(SYSTEM, (msgspec.structs.replace(first, meta=started), printed("b")), {})
    assert "real-time clock" in found.causes[0]


def test_free_running_is_a_cause():
    free = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))
    assert any("free-running" in c for c in likely_causes(free, launch(clock=None), {}, ("", "")))


def samples(count: int, middle_ms: float, spread_ms: float, seed: int, drift_ms: float = 0.0) -> tuple[int, ...]:
    rng = random.Random(seed)
    return tuple(int((rng.gauss(middle_ms, spread_ms) + drift_ms * n) * 1e6) for n in range(count))


def test_clear_differences():
    base = samples(10, 1000, 5, 1)
    faster = compare(base, samples(10, 900, 5, 2))
    assert faster.verdict is Verdict.FASTER
    assert faster.interval_ns[0] <= faster.saved_ns <= faster.interval_ns[1]
    assert faster.cliffs_delta == 1.0
    assert compare(base, samples(10, 1100, 5, 2)).verdict is Verdict.SLOWER


@pytest.mark.parametrize("seed", range(20))
def test_no_difference_is_never_a_gain(seed):
    base, other = samples(10, 1000, 8, seed), samples(10, 1000, 8, seed + 1000)
    assert compare(base, other).verdict in {Verdict.SAME, Verdict.UNKNOWN}
    drifting = compare(samples(10, 1000, 8, seed, 20), samples(10, 1000, 8, seed + 1000, 20))
    assert drifting.verdict in {Verdict.SAME, Verdict.UNKNOWN}


def test_a_difference_too_small_to_matter():
    assert compare(samples(30, 1000, 0.1, 1), samples(30, 999, 0.1, 2)).verdict is Verdict.SAME


def test_too_few_or_too_wild():
    assert compare((10**9,) * 2, (5 * 10**8,) * 2).verdict is Verdict.UNKNOWN
    assert compare(samples(8, 1000, 400, 1), samples(8, 950, 400, 2)).verdict is Verdict.UNKNOWN
    assert compare((10**9,) * 7, (10**9,) * 7).verdict is Verdict.SAME


def test_many_variants_need_more_proof():
    base, other = samples(5, 1000, 5, 1), samples(5, 900, 5, 2)
    assert compare(base, other).verdict is Verdict.FASTER
    assert compare(base, other, tests=40).verdict is Verdict.UNKNOWN


def test_it_says_the_same_each_time():
    base, other = samples(9, 1000, 50, 1), samples(9, 980, 50, 2)
    assert compare(base, other) == compare(base, other)
    assert smallest_that_matters(10**9, exact=False) == 10_000_000
    assert smallest_that_matters(10**6, exact=False) == 5_000_000


def test_a_drift_between_blocks_hides_no_difference():
    drift = [round(index * 0.05 * 10**9) for index in range(10)]
    base = tuple(time + more for time, more in zip(samples(10, 1000, 5, 1), drift, strict=True))
    other = tuple(time + more for time, more in zip(samples(10, 970, 5, 2), drift, strict=True))
    assert compare(base, other).verdict is Verdict.FASTER
    assert compare(base, other, paired=False).verdict is not Verdict.FASTER


def test_other_variants_of_the_blocks_show_what_all_have_in_common():
    drift = [round(index * 0.05 * 10**9) for index in range(7)]
    sides = [
        tuple(time + more for time, more in zip(samples(7, middle, 3, seed), drift, strict=True))
        for seed, middle in enumerate((1000, 960, 1000, 1000, 1000, 1000, 1000, 1000))
    ]
    alone = compare(sides[0], sides[1], tests=7)
    assert alone.verdict is Verdict.UNKNOWN
    beside = compare(sides[0], sides[1], tests=7, others_ns=sides[2:])
    assert beside.verdict is Verdict.FASTER
    assert compare(sides[0], sides[2], tests=7, others_ns=[sides[1], *sides[3:]]).verdict is not Verdict.FASTER
