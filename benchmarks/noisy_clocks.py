#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often do the rules for noisy clocks err, and what do they see? Simulated boots, the rules of `gate` and `try`.

Usage: noisy_clocks.py FOLDER [--nulls 10000] [--gates 1000] [--only nulls,gates,power,…]

A boot takes 3 s; one boot's noise is 1 % (30 ms); differences below 1 % do not matter, as by default. Noises:

* normal: normal.
* tails: Student's t with 3 degrees of freedom, and a deviation of 1 %.
* heavy: normal of 1 %, and one boot in twelve up to 30 % later (a retry, an fsck): a deviation of 4.9 % in all.
* grid: multiples of 10 ms (a clock that ticks), so that many values are equal.
* drift: the machine gets slower by 1 % a block and jumps about by 3 % between blocks.
* wander: each boot is like the one before (a correlation of 0.9: temperature, load) by 2 %, and has its own 1 %.

Each result stands in FOLDER/NAME.json as counts; the seeds are fixed, so that a second run writes the same.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from bootlab.analysis.noisy import oddities, power
from bootlab.analysis.noisy.blocks import orders
from bootlab.analysis.noisy.interval import of_pairs, of_two
from bootlab.analysis.noisy.judgement import ALPHA, LEAST_BLOCKS, MOST_BLOCKS, Judged, Sequential, judge_apart
from bootlab.analysis.noisy.signed_rank import SignedRankTest
from bootlab.analysis.noisy.variants import compare
from bootlab.model.verdict import Verdict

JOBS = os.cpu_count() or 1
BOOT_NS = 3_000_000_000
NOISE_NS = 30_000_000
SMALLEST_NS = 30_000_000
Noise = Callable[[np.random.Generator, int], float]


def normal(random: np.random.Generator, _boot: int) -> float:
    return random.normal(0, NOISE_NS)


def heavy(random: np.random.Generator, _boot: int) -> float:
    late = random.uniform(0, 0.3) * BOOT_NS if random.random() < 1 / 12 else 0.0
    return random.normal(0, NOISE_NS) + late


def grid(random: np.random.Generator, _boot: int) -> float:
    return round(random.normal(0, NOISE_NS) / 1e7) * 1e7


def drift(random: np.random.Generator, boot: int) -> float:
    return random.normal(0, NOISE_NS) + boot * 0.005 * BOOT_NS


def tails(random: np.random.Generator, _boot: int) -> float:
    return float(random.standard_t(3)) * NOISE_NS / np.sqrt(3)


def wander(random: np.random.Generator, _boot: int) -> float:
    return random.normal(0, NOISE_NS)


SHAPES: dict[str, Noise] = {
    "normal": normal,
    "tails": tails,
    "heavy": heavy,
    "grid": grid,
    "drift": drift,
    "wander": wander,
}
ALIKE = 0.9
WANDER_NS = 0.02 * BOOT_NS
"""Standard deviation of what a boot has in common with its neighbours, in the noise `wander`."""


class Wandering:
    """The part of `wander` that boots share with their neighbours; nought for the other noises."""

    def __init__(self, random: np.random.Generator, noise: Noise) -> None:
        self.random, self.wanders = random, noise is wander
        self.level = random.normal(0, WANDER_NS) if self.wanders else 0.0

    def step(self) -> float:
        if self.wanders:
            self.level = ALIKE * self.level + self.random.normal(0, WANDER_NS * np.sqrt(1 - ALIKE**2))
        return self.level


def spread(noise: Noise) -> float:
    """Return the deviation of one boot as a share of it, drawn."""
    random = np.random.default_rng(1)
    return float(np.std([noise(random, 0) for _ in range(50_000)])) / BOOT_NS


def rounds(random: np.random.Generator, noise: Noise, effects_ns: Sequence[float]) -> Iterator[list[int]]:
    """Give the times of all sides, block after block, booted in the order that bootlab draws."""
    boot = 0
    wandering = Wandering(random, noise)
    for order in orders(len(effects_ns), seed=int(random.integers(1 << 31))):
        common = random.normal(0, 0.03 * BOOT_NS) if noise is drift else 0.0
        times = [0] * len(effects_ns)
        for side in order:
            times[side] = round(BOOT_NS + common + wandering.step() + noise(random, boot) + effects_ns[side])
            boot += 1
        yield times


def blocks(random: np.random.Generator, noise: Noise, effect_ns: float) -> Iterator[tuple[int, int]]:
    """Give the times of two sides."""
    yield from ((base, new) for base, new in rounds(random, noise, (0.0, effect_ns)))


def gate(random: np.random.Generator, noise: Noise, effect_ns: float, smallest_ns: int = SMALLEST_NS) -> Judged:
    rule = Sequential(smallest_ns=smallest_ns)
    for base, new in blocks(random, noise, effect_ns):
        if rule.add(base, new) is not None:
            return rule.judged()
    raise AssertionError


def alone(random: np.random.Generator, noise: Noise) -> Judged:
    """Look with the test of a difference alone: what it calls counts, however small it is."""
    rule = SignedRankTest(MOST_BLOCKS, ALPHA, near=True)
    saved: list[int] = []
    called = False
    for base, new in blocks(random, noise, 0.0):
        saved.append(base - new)
        called = len(saved) >= LEAST_BLOCKS and rule.look(saved)
        if called or len(saved) == MOST_BLOCKS:
            break
    verdict = Verdict.UNKNOWN
    if called:
        verdict = Verdict.FASTER if sum(saved) > 0 else Verdict.SLOWER
    return Judged(
        verdict=verdict,
        saved_ns=0,
        interval_ns=(0, 0),
        p_value=1.0,
        effect=0.0,
        smallest_ns=0,
        not_slower=False,
        boots=(len(saved), len(saved)),
    )


def counted(found: list[Judged]) -> dict[str, Any]:
    verdicts = Counter(one.verdict.value for one in found)
    return {
        "experiments": len(found),
        "verdicts": {name: verdicts.get(name, 0) for name in ("faster", "slower", "same", "unknown")},
        "boots_mean": round(float(np.mean([2 * one.boots[0] for one in found])), 2),
        "boots_most": max(2 * one.boots[0] for one in found),
    }


def each(row: Callable[..., dict[str, Any]], tasks: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Make the rows of a result, some at a time."""
    with ProcessPoolExecutor(JOBS) as pool:
        return [made.result() for made in [pool.submit(row, *task) for task in tasks]]


def _null_row(name: str, number: int, count: int) -> dict[str, Any]:
    random = np.random.default_rng(100 + number)
    return {"noise": name, **counted([alone(random, SHAPES[name]) for _ in range(count)])}


def _gate_row(name: str, number: int, planted: float, count: int) -> dict[str, Any]:
    random = np.random.default_rng(200 + number)
    found = counted([gate(random, SHAPES[name], planted * BOOT_NS) for _ in range(count)])
    return {"noise": name, "planted": planted, "spread": round(spread(SHAPES[name]), 4), **found}


def _some_row(share: float, count: int) -> dict[str, Any]:
    """Make gates on a change that makes a share of the boots 500 ms later, and the others not."""
    random = np.random.default_rng(250)
    found = []
    for _ in range(count):
        rule = Sequential(smallest_ns=SMALLEST_NS)
        for base, new in blocks(random, normal, 0.0):
            late = 500_000_000 if random.random() < share else 0
            if rule.add(base, new + late) is not None:
                break
        found.append(rule.judged())
    return {"share_of_boots": share, "late_ns": 500_000_000, **counted(found)}


def rate(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how many experiments on equal systems were called different, with the rows."""
    called = sum(row["verdicts"]["faster"] + row["verdicts"]["slower"] for row in rows)
    total = sum(row["experiments"] for row in rows)
    return {
        "nominal_rate": ALPHA,
        "called_different": called,
        "experiments": total,
        "rate": called / total,
        "rows": rows,
    }


def nulls(count: int) -> dict[str, Any]:
    """Two equal systems. Without a smallest difference that matters, so that the test alone protects."""
    rows = each(_null_row, [(name, number, -(-count // len(SHAPES))) for number, name in enumerate(SHAPES)])
    return rate(rows)


def gates(count: int) -> dict[str, Any]:
    """The gate as it is by default: equal systems, and a planted regression of 2 %, in at most 30 boots."""
    tasks = [(name, number, planted, count) for planted in (0.0, 0.02) for number, name in enumerate(SHAPES)]
    rows = each(_gate_row, tasks)
    some = each(_some_row, [(share, count) for share in (0.3, 0.5, 0.7)])
    return {"nominal_rate_of_slower": ALPHA / 2, "most_blocks": MOST_BLOCKS, "rows": rows, "some_boots": some}


def powers(count: int) -> dict[str, Any]:
    """Called different where the true difference is what `detectable` computes for a power, and noise is known."""
    rows = []
    for number, promised in enumerate((0.5, 0.8, 0.9, 0.95)):
        effect = power.detectable(NOISE_NS, blocks=MOST_BLOCKS, alpha=ALPHA, smallest_ns=1, power=promised)
        random = np.random.default_rng(300 + number)
        found = counted([gate(random, normal, effect, smallest_ns=1) for _ in range(count)])
        rows.append(
            {"promised": promised, "effect_ns": round(effect), "seen": found["verdicts"]["slower"] / count, **found}
        )
    return {"rows": rows}


def forecasts(count: int) -> dict[str, Any]:
    """Called different where the true difference is what a pilot of six boots foretells at a power of 90 %."""
    rows = []
    for number, (name, noise) in enumerate(SHAPES.items()):
        random = np.random.default_rng(400 + number)
        found, told = [], []
        for _ in range(count):
            pilot = [round(BOOT_NS + noise(random, boot)) for boot in range(power.PILOT_BOOTS)]
            said = power.forecast(pilot, blocks=MOST_BLOCKS, alpha=ALPHA, smallest_ns=SMALLEST_NS)
            told.append(said.detectable_ns)
            found.append(gate(random, noise, said.detectable_ns))
        row = counted(found)
        rows.append(
            {
                "noise": name,
                "told_ns_median": round(float(np.median(told))),
                "seen": row["verdicts"]["slower"] / count,
                **row,
            }
        )
    return {"promised": power.POWER, "rows": rows}


def aparts(count: int) -> dict[str, Any]:
    """Two equal systems whose boots were made apart: the Mann-Whitney test, by the number of boots of each side."""
    rows = []
    for boots in (5, 10, 20):
        for name in ("normal", "heavy", "grid"):
            random = np.random.default_rng(500 + boots)
            noise = SHAPES[name]
            found = []
            for _ in range(count // 9):
                sides = [[round(BOOT_NS + noise(random, 0)) for _ in range(boots)] for _ in range(2)]
                found.append(judge_apart(*sides, smallest_ns=1))
            rows.append({"noise": name, "boots_each": boots, **counted(found)})
    return rate(rows)


def _try_row(name: str, number: int, tried: int, boots: int, count: int) -> dict[str, Any]:
    """Try variants of which the last one is 2 % slower, where there are several, and the others change nothing."""
    random = np.random.default_rng(800 + number)
    planted = 0.02 * BOOT_NS if tried > 1 else 0.0
    effects = [0.0] * tried + [planted]
    called, wrong, seen = Counter[str](), 0, 0
    for _ in range(count):
        drawn = rounds(random, SHAPES[name], effects)
        sides = list(zip(*(next(drawn) for _ in range(boots)), strict=True))
        others = [[one for one in sides[1:] if one is not side] for side in sides[1:]]
        said = [
            compare(sides[0], side, tests=tried, smallest_ns=1, others_ns=beside).verdict
            for side, beside in zip(sides[1:], others, strict=True)
        ]
        nulls = said[:-1] if planted else said
        called.update(verdict.value for verdict in nulls)
        wrong += any(verdict in {Verdict.FASTER, Verdict.SLOWER} for verdict in nulls)
        last = compare(sides[0], sides[-1], tests=tried, others_ns=others[-1]).verdict
        seen += planted > 0 and last is Verdict.SLOWER
    found = {"noise": name, "variants": tried, "blocks": boots, "experiments": count, "experiments_wrong": wrong}
    return found | {"of_equal_variants": dict(called)} | ({"seen_2_percent": seen} if planted else {})


def tries(count: int) -> dict[str, Any]:
    """`try`: variants in the same blocks as the base. Equal ones without a smallest difference; 2 % with the usual."""
    each_count = -(-count // len(SHAPES))
    cases = [(1, 7), (3, 7), (8, 7), (8, 15)]
    tasks = [(n, number, tried, boots, each_count) for tried, boots in cases for number, n in enumerate(SHAPES)]
    return {"nominal_rate": ALPHA, "rows": each(_try_row, tasks)}


def intervals(count: int) -> dict[str, Any]:
    """How often the 95 % bootstrap interval holds the true difference (20 ms)."""
    rows = []
    true_ns = 20_000_000
    for boots in (6, 10, 15):
        for name in ("normal", "tails", "heavy", "drift", "wander"):
            random = np.random.default_rng(600 + boots)
            inside = {"pairs": 0, "apart": 0}
            for _ in range(count):
                drawn = blocks(random, SHAPES[name], -true_ns)
                base, new = (list(side) for side in zip(*(next(drawn) for _ in range(boots)), strict=True))
                saved = [one - other for one, other in zip(base, new, strict=True)]
                for kind, made in (("pairs", of_pairs(saved)), ("apart", of_two(base, new))):
                    inside[kind] += made.interval_ns[0] <= true_ns <= made.interval_ns[1]
            rows.append(
                {"noise": name, "boots_each": boots, "experiments": count}
                | {f"{k}_holds": v / count for k, v in inside.items()}
            )
    return {"nominal": 0.95, "rows": rows}


def odd(count: int) -> dict[str, Any]:
    """How often something odd is told of 15 boots where nothing is, and where a drift or a slow start was planted."""
    rows = []
    planted = {"nothing": (0.0, 0.0), "drift of 0.3 % a boot": (0.003, 0.0), "first boot 8 % later": (0.0, 0.08)}
    for name, (slope, first) in planted.items():
        random = np.random.default_rng(700)
        told = Counter[str]()
        for _ in range(count):
            values = [round(BOOT_NS * (1 + slope * boot) + normal(random, boot)) for boot in range(MOST_BLOCKS)]
            values[0] += round(first * BOOT_NS)
            told["drift"] += oddities.drift(values) is not None
            told["warm-up"] += oddities.warm_up(values) > 0
            told["outliers"] += bool(oddities.outliers(values))
        rows.append(
            {
                "planted": name,
                "experiments": count,
                "told": {k: told[k] / count for k in ("drift", "warm-up", "outliers")},
            }
        )
    return {"rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nulls", type=int, default=10_000)
    parser.add_argument("--gates", type=int, default=1_000)
    parser.add_argument("--only", default="nulls,gates,power,forecast,apart,intervals,oddities,tries")
    options = parser.parse_args()
    makers = {
        "nulls": lambda: nulls(options.nulls),
        "gates": lambda: gates(options.gates),
        "power": lambda: powers(options.gates),
        "forecast": lambda: forecasts(options.gates),
        "apart": lambda: aparts(options.nulls),
        "intervals": lambda: intervals(options.gates),
        "oddities": lambda: odd(options.gates),
        "tries": lambda: tries(options.nulls),
    }
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.only.split(","):
        head = {"format": "noisy-clocks", "version": 1, "what": name, "boot_ns": BOOT_NS, "noise_ns": NOISE_NS}
        found = head | makers[name]()
        (options.folder / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(name, json.dumps({key: value for key, value in found.items() if key not in {"rows", *head}}))
        for row in found["rows"]:
            print("  ", json.dumps(row))


if __name__ == "__main__":
    main()
