# SPDX-License-Identifier: MIT
"""Two systems judged by the goals of their boots under the same dithers, apart from any technique."""

from __future__ import annotations

import msgspec

from bootlab.analysis.same_processors import require_same_processors
from bootlab.analysis.sequential_test import SAME_NS, Design, judge
from bootlab.model.sample import Sample
from bootlab.model.verdict import Verdict

NO_COMMON_CLOCK = "the goal's time is not known, or the two are on different clocks"


class SampleVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a sample says of two systems that both work, apart from any technique."""

    verdict: Verdict
    reason: str = ""
    wanted: int = 0
    saved_ns: int = 0


def judge_sample(sample: Sample, rule: Design | None) -> SampleVerdict:
    """Judge two systems by their goals. `wanted`: so many more boots of the variant are needed before it is said.

    `rule` None: a replay that holds one boot of each. Raise MeasurementError for boots on different processors.
    """
    require_same_processors((*sample.base, *sample.variant))
    base_ns, variant_ns = sample.base_goals_ns, sample.variant_goals_ns
    clocks = {r.meta.goal_clock for r in (*sample.base, *sample.variant)}
    if not base_ns or len(variant_ns) < len(sample.variant) or len(clocks) > 1:
        return SampleVerdict(verdict=Verdict.UNKNOWN, reason=NO_COMMON_CLOCK)
    if rule is None:
        saved = base_ns[0] - variant_ns[0]
        if abs(saved) <= SAME_NS:
            return SampleVerdict(verdict=Verdict.SAME, reason=f"within {SAME_NS / 1e6:.3f} ms", saved_ns=saved)
        reason = "the replay has no dithered boots: one boot of each side proves nothing"
        return SampleVerdict(verdict=Verdict.UNKNOWN, reason=reason, saved_ns=saved)
    judgement = judge(base_ns, variant_ns, rule)
    reason = ""
    if judgement.verdict is Verdict.SAME:
        reason = "no larger than what dithers cause"
        if abs(judgement.saved_ns) <= SAME_NS:
            reason = f"within {SAME_NS / 1e6:.3f} ms"
    return SampleVerdict(
        verdict=judgement.verdict or Verdict.UNKNOWN,
        reason=reason,
        wanted=judgement.wanted,
        saved_ns=judgement.saved_ns,
    )
