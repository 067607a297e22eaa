# SPDX-License-Identifier: MIT
"""What a table of goals says: how often the judge calls a difference that means nothing, and which gains it sees."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

from bootlab.analysis.sequential_test import apart, design, judge
from bootlab.model.verdict import Verdict

SHARP = (Verdict.FASTER, Verdict.SLOWER)
RULES = (5, 6, 9, 21)
GAINS_MS = (1, 2, 5, 20)


def interval(hits: int, draws: int) -> str:
    """Return a share with its 95 % interval (Wilson)."""
    if not draws:
        return "no draws"
    z, share = 1.96, hits / draws
    centre = (share + z * z / (2 * draws)) / (1 + z * z / draws)
    half = z * math.sqrt(share * (1 - share) / draws + z * z / (4 * draws * draws)) / (1 + z * z / draws)
    low, high = max(0.0, centre - half), centre + half
    return f"{100 * share:.2f} % ({hits} of {draws}; 95 %: {100 * low:.2f} to {100 * high:.2f} %)"


def middle(values: list[int]) -> float:
    """Return the median."""
    ordered = sorted(values)
    return (ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2


def draw(goals: list[list[int]], draws: int, base_boots: int, *, gain_ns: int = 0) -> tuple[int, int]:
    """Draw experiments from the table: how many were called faster or slower, of how many.

    `gain_ns`: taken from the variant's goals first; then how many were called faster.
    """
    wanted = (Verdict.FASTER,) if gain_ns else SHARP
    rule, chance, hits = design(base_boots), random.Random(base_boots), 0
    bases = [i for i, row in enumerate(goals) if len(row) >= rule.base_boots]
    variants = [i for i, row in enumerate(goals) if len(row) >= rule.most_boots]
    if not bases or len(variants) < 2:
        return 0, 0
    for _ in range(draws):
        base = chance.choice(bases)
        variant = chance.choice([i for i in variants if i != base])
        # The variant's dithers are among the base's, as in an experiment.
        common = min(len(goals[base]), len(goals[variant]))
        order = chance.sample(range(common), rule.most_boots)
        others = [i for i in range(len(goals[base])) if i not in order]
        taken = (*order, *chance.sample(others, max(0, rule.base_boots - len(order))))[: rule.base_boots]
        old, count = tuple(goals[base][i] for i in taken), 1
        new = tuple(goals[variant][i] - gain_ns for i in order)
        while (found := judge(old, new[:count], rule)).verdict is None:
            count += found.wanted
        hits += found.verdict in wanted
    return hits, draws


def draw_pool(goals: list[list[int]], draws: int, base_boots: int) -> int:
    """Draw both sides of each experiment from all boots together: how many were called faster or slower.

    Where the changes are alike (see alike()) this is the rate over the system's own scatter, not over a few bases.
    """
    rule, chance, hits = design(base_boots), random.Random(base_boots), 0
    pool = [value for row in goals for value in row]
    for _ in range(draws):
        drawn = chance.sample(pool, rule.base_boots + rule.most_boots)
        old, new, count = tuple(drawn[: rule.base_boots]), drawn[rule.base_boots :], 1
        while (found := judge(old, tuple(new[:count]), rule)).verdict is None:
            count += found.wanted
        hits += found.verdict in SHARP
    return hits


def draw_shuffled(goals: list[list[int]], base_boots: int, shuffles: int, draws: int = 2000) -> list[float]:
    """Deal all boots out anew to the changes, and draw experiments from each such table: the rates, lowest first.

    They show how far few bases alone carry the rate away from the rule's, where the changes are alike.
    """
    chance, rates = random.Random(7), []
    flat = [value for row in goals for value in row]
    for _ in range(shuffles):
        chance.shuffle(flat)
        rest = iter(flat)
        hits, of = draw([[next(rest) for _ in row] for row in goals], draws, base_boots)
        rates.append(hits / of if of else 0.0)
    return sorted(rates)


def alike(goals: list[list[int]], shuffles: int = 2000) -> tuple[float, float]:
    """Compare the changes with each other: variance between them over that within, and how often chance gives more."""
    least = min(len(row) for row in goals)
    rows, chance = [row[:least] for row in goals], random.Random(3)

    def ratio(rows: list[list[int]]) -> float:
        means = [statistics.fmean(row) for row in rows]
        between = least * sum((mean - statistics.fmean(means)) ** 2 for mean in means) / (len(rows) - 1)
        within = sum((value - mean) ** 2 for row, mean in zip(rows, means, strict=True) for value in row)
        return between / (within / (len(rows) * (least - 1)))

    seen, flat = ratio(rows), [value for row in rows for value in row]
    more = 0
    for _ in range(shuffles):
        chance.shuffle(flat)
        more += ratio([flat[i : i + least] for i in range(0, len(flat), least)]) >= seen
    return seen, more / shuffles


def in_order(goals: list[list[int]], base_boots: int) -> tuple[int, int]:
    """Judge every change against every base, with the dithers in the order in which a trial takes them."""
    rule, hits, of = design(base_boots), 0, 0
    for i, base in enumerate(goals):
        for j, variant in enumerate(goals):
            if i == j or len(base) < rule.base_boots or len(variant) < rule.most_boots:
                continue
            old, count = tuple(base[: rule.base_boots]), 1
            while (found := judge(old, tuple(variant[:count]), rule)).verdict is None:
                count += found.wanted
            hits, of = hits + (found.verdict in SHARP), of + 1
    return hits, of


def draw_apart(goals: list[list[int]], draws: int) -> tuple[int, int]:
    """Draw steps of a stack: two boots of each side, further apart than the whole range of a third one's boots."""
    chance, hits = random.Random(2), 0
    references = [i for i, row in enumerate(goals) if len(row) >= 19]
    if not references or len(goals) < 3:
        return 0, 0
    for _ in range(draws):
        reference = chance.choice(references)
        base, variant = chance.sample([i for i in range(len(goals)) if i != reference], 2)
        i, j = chance.sample(range(min(len(goals[base]), len(goals[variant]))), 2)
        width = max(goals[reference]) - min(goals[reference])
        hits += apart((goals[base][i], goals[base][j]), (goals[variant][i], goals[variant][j]), width) != 0
    return hits, draws


def tell(kept: dict[str, Any], draws: int, shuffles: int = 0) -> None:
    """Print what a file of goals says."""
    goals = kept.get("goals_ns", [])
    assert isinstance(goals, list)
    if goals:
        flat = [value for row in goals for value in row]
        print(f"{kept['system']}: {len(goals)} null changes, {len(flat)} boots, goals {min(flat) / 1e6:.3f} to "
              f"{max(flat) / 1e6:.3f} ms, median {middle(flat) / 1e6:.3f}")  # fmt: skip
        medians = [middle(row) / 1e6 for row in goals]
        print(f"  medians of the changes: {min(medians):.3f} to {max(medians):.3f} ms")
        if len(goals) > 1 and min(map(len, goals)) > 1:
            variance, chance = alike(goals)
            print(f"  variance between the changes over that within: {variance:.2f}; chance gives it in {chance:.0%}")
    for boots in RULES:
        hits, of = draw(goals, draws, boots)
        if of:
            rate = 100 * design(boots).error_rate
            pool = draw_pool(goals, draws, boots)
            print(f"  {boots} boots of the base: {interval(hits, of)}; counted for the rule: {rate:.2f} %")
            print(f"    both sides drawn from all boots together: {interval(pool, draws)}")
            if shuffles:
                rates = draw_shuffled(goals, boots, shuffles)
                more = sum(rate >= hits / of for rate in rates) / len(rates)
                print(f"    boots dealt out anew, {shuffles} times: {100 * statistics.fmean(rates):.2f} % in the mean, "
                      f"{100 * rates[-1]:.2f} % at most; {more:.0%} of them as much as here")  # fmt: skip
            seen = (
                f"{ms} ms {100 * draw(goals, draws, boots, gain_ns=ms * 1_000_000)[0] / draws:.1f} %" for ms in GAINS_MS
            )
            print("    gains taken from the drawn goals, called faster: " + ", ".join(seen))
            print("    all pairs, dithers in order: {} of {}".format(*in_order(goals, boots)))
    hits, of = draw_apart(goals, draws)
    if of:
        print(f"  two against two, further apart than the range of others: {interval(hits, of)}")
    trials = kept.get("trials", [])
    assert isinstance(trials, list)
    if trials:
        print(f"  whole trials: {interval(sum(t['verdict'] in SHARP for t in trials), len(trials))}")
    planted_gains = kept.get("gains", [])
    assert isinstance(planted_gains, list)
    for gain_ms in sorted({g["gain_ms"] for g in planted_gains}):
        of_it = [g for g in planted_gains if g["gain_ms"] == gain_ms]
        seen = sum(g["verdict"] == Verdict.FASTER for g in of_it)
        saved = middle([g["saved_ns"] for g in of_it]) / 1e6
        print(f"  planted {gain_ms} ms: seen in {seen} of {len(of_it)}, saved {saved:.3f} ms")
    if told := kept.get("visible_gain_ns"):
        assert isinstance(told, dict)
        words = ", ".join(f"{ns / 1e6:.3f} ms with {boots} boots" for boots, ns in told.items() if ns)
        print(f"  told before, to be seen in nine of ten: {words}")
