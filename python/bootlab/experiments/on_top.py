# SPDX-License-Identifier: MIT
"""Is a stack faster with one more change? Judged with as few boots as that takes."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import msgspec

from bootlab.analysis.sequential_test import SAME_NS, Design, apart, design, lost, no_later
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.judged_sample import NO_COMMON_CLOCK, judge_sample
from bootlab.experiments.on_board import End, at_both, ends_of
from bootlab.experiments.trial import why_broken_somewhere
from bootlab.model.costs import Costs
from bootlab.model.sample import Sample, goals_ns
from bootlab.model.verdict import Verdict

SMALL = design(5)
"""How a step is judged that saves less than the base's range."""

_NONE = "no gain on top of the others"
_DEPENDS = "on top of the others it depends on the board"


class OnTop(msgspec.Struct, frozen=True, kw_only=True):
    """How far the base scatters, and by which rule small gains are judged.

    `full`: enough boots of the base were made for its range to tell how far a system scatters. `rule` None: a replay
    holds one boot of each. `sample` joins the boots of both sides. `costs`: of the board whose time decides; None: the
    exact time does.
    """

    rule: Design | None
    full: bool
    range_ns: int
    sample: Callable[[DitheredBoots, DitheredBoots], Sample]
    costs: Costs | None = None

    def compare(self, here: DitheredBoots, boots: DitheredBoots) -> tuple[Verdict, str]:
        """Judge a candidate against the stack so far; more boots of both are made where it takes them."""
        here.ask(1)
        found: list[tuple[Verdict, str]] = []
        for end in ends_of(self.costs, here.wait(1)[0], boots.wait(1)[0]):
            found.append(self._compare(here, boots, end))
            # Where it saves least it is faster: so it is everywhere.
            if found[0][0] in {Verdict.FASTER, Verdict.BROKEN, Verdict.UNKNOWN}:
                return found[0]
        verdict = at_both(tuple(one for one, _ in found))
        return (verdict, _DEPENDS) if verdict is Verdict.DEPENDS else found[-1]

    def _compare(self, here: DitheredBoots, boots: DitheredBoots, end: End) -> tuple[Verdict, str]:
        if self.rule is None:
            judgement = judge_sample(end.sample(self.sample(here, boots)), None)
            return judgement.verdict, judgement.reason or (_NONE if judgement.verdict is not Verdict.FASTER else "")
        here.ask(2)
        while True:
            sample = end.sample(self.sample(here, boots))
            if broken := why_broken_somewhere(sample):
                return Verdict.BROKEN, broken
            old, new = sample.base_goals_ns, sample.variant_goals_ns
            if len({r.meta.goal_clock for r in (*sample.base, *sample.variant)}) > 1 or len(new) < len(sample.variant):
                return Verdict.UNKNOWN, NO_COMMON_CLOCK
            if max(new) >= min(old):
                return self._not_earlier(old, new)
            if self.full and apart(old, new, self.range_ns) > 0:
                return Verdict.FASTER, ""
            if len(new) < 2:
                boots.ask(2)
            elif len(old) < SMALL.base_boots:
                here.ask(SMALL.base_boots)
            elif len(new) < SMALL.most_boots:
                boots.ask(SMALL.most_boots)
            else:
                judgement = judge_sample(_first(sample, SMALL.base_boots), SMALL)
                return judgement.verdict, "" if judgement.verdict is Verdict.FASTER else _NONE

    def against(
        self, here: DitheredBoots, boots: DitheredBoots, most_boots: int, told: Callable[[], None]
    ) -> tuple[str, Verdict, int]:
        """Judge a system with less against the stack: why it is broken, else its verdict and what it saves.

        `most_boots`: so many of the stack are made where the first one does not tell; `told` looks at all boots.
        """
        rows = []
        for end in ends_of(self.costs, here.wait(1)[0], boots.wait(1)[0]):
            row = self._against(here, boots, end, most_boots, told)
            if row[0]:
                return row
            rows.append(row)
        verdict = at_both(tuple(verdict for _, verdict, _ in rows))
        # A figure of the exact column stays exact, whatever decided.
        sample = self.sample(here, boots)
        old, new = sample.base_goals_ns, sample.variant_goals_ns
        exact_ns = round(statistics.median(old) - statistics.median(new)) if old and new else 0
        return "", verdict, rows[0][2] if self.costs is None else exact_ns

    def _against(
        self, here: DitheredBoots, boots: DitheredBoots, end: End, most_boots: int, told: Callable[[], None]
    ) -> tuple[str, Verdict, int]:
        sample = end.sample(self.sample(here, boots))
        here_ns, first_ns = sample.base_goals_ns, goals_ns(sample.variant[:1])
        alike = len({r.meta.goal_clock for r in (*sample.base, sample.variant[0])}) == 1
        if self.full and first_ns and alike and lost(here_ns, first_ns[0], self.range_ns):
            return "", Verdict.SLOWER, round(statistics.median(here_ns)) - first_ns[0]
        if first_ns and alike and no_later(here_ns, first_ns[0]):
            return "", Verdict.SAME, round(statistics.median(here_ns)) - first_ns[0]
        here.ask(most_boots)
        while True:
            sample = end.sample(self.sample(here, boots))
            told()
            if broken := why_broken_somewhere(sample):
                return broken, Verdict.BROKEN, 0
            judgement = judge_sample(sample, self.rule)
            if not judgement.wanted:
                return "", judgement.verdict, judgement.saved_ns
            boots.ask(boots.asked + judgement.wanted)

    def _not_earlier(self, old: tuple[int, ...], new: tuple[int, ...]) -> tuple[Verdict, str]:
        later = min(new) > max(old) + SAME_NS
        if later and len(new) > 1 and apart(old, new, self.range_ns):
            return Verdict.SLOWER, f"{_NONE}: it loses time"
        # One boot proves no loss, and what is far behind is not "the same" either.
        if later and len(new) == 1 and min(new) - max(old) > self.range_ns:
            on_board = "on this board " if self.costs is not None else ""
            why = f"{on_board}its one boot comes to its goal later than all of theirs, and no second one was made"
            return Verdict.UNKNOWN, f"{_NONE}: {why}"
        return Verdict.SAME, _NONE


def _first(sample: Sample, count: int) -> Sample:
    return msgspec.structs.replace(sample, base=sample.base[:count], variant=sample.variant[:count])
