# SPDX-License-Identifier: MIT
"""A stack whose goal waits for the second to turn: steps are compared where the wait begins."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from bootlab.analysis.sequential_test import design
from bootlab.experiments.base import with_dithers
from bootlab.experiments.bench import Bench
from bootlab.experiments.stack import Stacker
from bootlab.experiments.trials import try_all
from bootlab.model.recording import Mark, Meta
from bootlab.model.verdict import Verdict
from bootlab.recordings import recording_dir
from bootlab.recordings.stamps import Stamps
from tests.experiments.fake_bench import MS, FakeTarget, FakeTechnique, additive, base_of

SECOND = 1000 * MS


class WaitingTarget(FakeTarget):
    """An application that works for so many milliseconds, and then waits for the second to turn."""

    def boot(self, plan, folder, *, stop, progress=None):
        folder.mkdir(parents=True)
        seed = plan.system.clock.seed
        self.booted.append(f"{plan.system.cmdline} {seed}")
        params = frozenset(str(p) for p in plan.system.cmdline.params)
        # A dither moves everything by some microseconds.
        came = round(self.cost(params) * MS) + seed * 7919 % 31 * 10_000
        turned = -(-came // SECOND) * SECOND
        lines = (("app: start", 1 * MS, 1 * MS), ("app: waiting", came, came), ("app: turned", turned, came + 10_000))
        console = "".join(f"{text}\n" for text, _, _ in lines).encode()
        ends = np.cumsum([len(text) + 1 for text, _, _ in lines])
        stamps = Stamps(
            ends=ends,
            ns=np.array([ns for _, ns, _ in lines]),
            insns=np.array([worked >> 1 for _, _, worked in lines]),
            marks={},
        )
        meta = Meta(
            key=plan.key,
            shift=1,
            goal_ns=turned + 20_000,
            goal_insns=(came + 30_000) >> 1,
            check_groups=(("same",),),
            stamped=True,
            cmdline=str(plan.system.cmdline),
        )
        recording_dir.save(folder, meta, (Mark("power-on", 0, 0),), console, stamps)
        return recording_dir.load(folder)


def stacked(tmp_path, cost, boots):
    techniques = tuple(FakeTechnique(name) for name in ("a", "b", "slow"))
    with Bench(WaitingTarget(cost), tmp_path, jobs=1) as bench:
        base = with_dithers(bench, base_of(bench), design(boots))
        tried = try_all(bench, base, techniques)
        return tried, Stacker(bench, base, techniques).run(tried.trials)


@pytest.mark.parametrize("boots", [5, 21])
@pytest.mark.parametrize("base_ms", [1500, 1030.05, 999.85], ids=["in the midst", "crossing", "on the edge"])
def test_a_stack_is_compared_before_the_wait(tmp_path, base_ms, boots):
    tried, found = stacked(tmp_path, additive(base_ms, a=30, b=12, slow=-25), boots)
    verdicts = {t.change.id: t.verdict for t in tried.trials}
    assert verdicts == {"a": Verdict.FASTER, "b": Verdict.FASTER, "slow": Verdict.SLOWER}
    assert [c.id for c in found.changes] == ["a", "b"], "the larger saving before the wait comes first"
    assert found.hold is not None
    assert (found.hold.after, found.hold.before) == ("app: waiting", "app: turned")
    for step, saved_ms in zip(found.steps, (30, 12), strict=True):
        assert step.kept
        assert abs(step.saved_ns - saved_ms * MS) < MS, "not by a turn of the second"
    assert all(row.kept for row in found.left_out)


def test_a_goal_that_waits_for_nothing_is_compared_as_it_is(tmp_path):
    class Working(WaitingTarget):
        def boot(self, plan, folder, **words):
            made = super().boot(plan, folder, **words)
            came = next(line for line in made.lines if line.text == "app: waiting")
            meta = msgspec.structs.replace(made.meta, goal_ns=came.first_ns + 5, goal_insns=came.insns + 2)
            recording_dir.save(folder, meta, made.marks, b"app: start\n", None)
            return recording_dir.load(folder)

    with Bench(Working(additive(1500, a=30)), tmp_path, jobs=1) as bench:
        base = with_dithers(bench, base_of(bench), design(5))
        found = Stacker(bench, base, (FakeTechnique("a"),)).run(try_all(bench, base, (FakeTechnique("a"),)).trials)
    assert found.hold is None
    assert [c.id for c in found.changes] == ["a"]
