"""Is a stack faster with one more change? Judged with as few boots as that takes."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bootlab.analysis.sequential_test import SAME_NS, Design, apart, design
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.trial import judge_sample, why_broken_somewhere
from bootlab.model.sample import Sample
from bootlab.model.verdict import Verdict

SMALL = design(5)
"""How a step is judged that saves less than the base's range."""

_NONE = "no gain on top of the others"


class OnTop(msgspec.Struct, frozen=True, kw_only=True):
    """How far the base scatters, and by which rule small gains are judged.

    `full`: enough boots of the base were made for its range to tell how far a system scatters. `rule` None: a replay
    holds one boot of each. `sample` joins the boots of both sides.
    """

    rule: Design | None
    full: bool
    range_ns: int
    sample: Callable[[DitheredBoots, DitheredBoots], Sample]

    def compare(self, here: DitheredBoots, boots: DitheredBoots) -> tuple[Verdict, str]:
        """Judge a candidate against the stack so far; more boots of both are made where it takes them."""
        here.ask(1)
        if self.rule is None:
            found = judge_sample(self.sample(here, boots), None)
            return found.verdict, found.reason or (_NONE if found.verdict is not Verdict.FASTER else "")
        here.ask(2)
        while True:
            sample = self.sample(here, boots)
            if broken := why_broken_somewhere(sample):
                return Verdict.BROKEN, broken
            old, new = sample.base_goals_ns, sample.variant_goals_ns
            if len({r.meta.goal_clock for r in (*sample.base, *sample.variant)}) > 1 or len(new) < len(sample.variant):
                return Verdict.UNKNOWN, "the goal's time is not known, or the two are on different clocks"
            if max(new) >= min(old):
                return self._not_earlier(old, new), _NONE
            if self.full and apart(old, new, self.range_ns) > 0:
                return Verdict.FASTER, ""
            if len(new) < 2:
                boots.ask(2)
            elif len(old) < SMALL.base_boots:
                here.ask(SMALL.base_boots)
            elif len(new) < SMALL.most_boots:
                boots.ask(SMALL.most_boots)
            else:
                found = judge_sample(_first(sample, SMALL.base_boots), SMALL)
                return found.verdict, "" if found.verdict is Verdict.FASTER else _NONE

    def _not_earlier(self, old: tuple[int, ...], new: tuple[int, ...]) -> Verdict:
        later = min(new) > max(old) + SAME_NS
        if later and len(new) > 1 and apart(old, new, self.range_ns):
            return Verdict.SLOWER
        # One boot proves no loss, and what is far behind is not "the same" either.
        far = later and len(new) == 1 and min(new) - max(old) > self.range_ns
        return Verdict.UNKNOWN if far else Verdict.SAME


def _first(sample: Sample, count: int) -> Sample:
    return msgspec.structs.replace(sample, base=sample.base[:count], variant=sample.variant[:count])
