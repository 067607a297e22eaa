#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A lab of boards, simulated for a month: how long CI's jobs wait for a board, and what the history must take.

Usage: lab_simulation.py [OUT.json] [--days 28] [--seed 1]

Nothing is booted. What a boot takes besides the board's own time is drawn from boots of the virtual board
(`benchmarks/board/faults.json`); bytes and the database's rate come from the load test
(`benchmarks/history-load.json`). Assumed:

* A gate takes 12 to 30 boots: 6 to 15 blocks of base and new system, as `bootlab gate` does, each as often as any
  other.
* The lab has boards of four types, equally many of each; a gate runs on one board from its first boot to its last.
* Gates come at random; four of five within the eight working hours of a day, seven days a week.
* A board takes 60 s to boot and to settle, by a factor of e^(0.2 normal); one boot in fifty ends in a fault, and is
  made again.
* A board that stops for good does so every 60 days on average, and is mended at nine in the morning.

The same seed gives the same result.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from bootlab.analysis.noisy.judgement import LEAST_BLOCKS, MOST_BLOCKS

HERE = Path(__file__).resolve().parent
KEPT = HERE / "lab" / "simulation.json"
DAY_S, HOUR_S = 86_400.0, 3_600.0
TYPES, BOARD_S, SPREAD, FAULTS = 4, 60.0, 0.2, 0.02
WORKING_H, IN_WORKING_HOURS = (9, 17), 0.8
DIES_AFTER_S = 60 * DAY_S
GATE_BOOTS = (2 * LEAST_BLOCKS, 2 * MOST_BLOCKS)
STALL_S = 60.0
"""How long a board may be silent before a boot counts as hanging: that of a new board file."""
RUNS = ((20, 1_000), (20, 5_000), (20, 10_000), (20, 20_000), (8, 1_000), (4, 1_000))
"""Boards, and boots a day."""


def kept(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / name).read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class Measured:
    """What the other benchmarks kept. Seconds."""

    besides_s: tuple[float, ...]
    faulty_s: tuple[float, ...]

    @classmethod
    def load(cls) -> Measured:
        """Read the kept results."""
        boots = kept("board/faults.json")["boots"]
        good = [one for one in boots if one["outcome"] == "goal"]
        return cls(
            besides_s=tuple(one["took_s"] - one["goal_ns"] / 1e9 for one in good),
            faulty_s=tuple(one["took_s"] for one in boots if one["outcome"] != "goal"),
        )


@dataclass
class Lab:
    """Boards of several types, each with a queue of gates. Times in seconds."""

    boards: int
    boots_a_day: int
    days: int
    seed: int
    measured: Measured
    waits: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    busy_s: float = 0.0
    boots: int = 0
    faults: int = 0
    deaths: int = 0

    def run(self) -> None:  # noqa: PLR0912 - one loop over events
        """Simulate all days, and go on until the last gate has ended."""
        rng = random.Random(self.seed)
        events: list[tuple[float, int, str, int]] = []
        number = 0

        def push(at: float, kind: str, what: int) -> None:
            nonlocal number
            number += 1
            heapq.heappush(events, (at, number, kind, what))

        for at in self._arrivals(rng):
            push(at, "gate", rng.randrange(TYPES))
        per_type = max(1, self.boards // TYPES)
        free, queues = [per_type] * TYPES, [deque[float]() for _ in range(TYPES)]
        broken = [0] * TYPES
        for board in range(per_type * TYPES):
            push(rng.expovariate(1 / DIES_AFTER_S), "dies", board % TYPES)
        while events:
            now, _, kind, of = heapq.heappop(events)
            if kind == "gate":
                queues[of].append(now)
            elif kind == "ends":
                # A board that died while it was busy leaves at its gate's end: the gate is over by then.
                if broken[of]:
                    broken[of] -= 1
                else:
                    free[of] += 1
            elif kind == "mended":
                free[of] += 1
                if now < self.days * DAY_S:
                    push(now + rng.expovariate(1 / DIES_AFTER_S), "dies", of)
            elif now < self.days * DAY_S:
                self.deaths += 1
                if free[of]:
                    free[of] -= 1
                else:
                    broken[of] += 1
                push(_next_morning(now), "mended", of)
            while queues[of] and free[of]:
                free[of] -= 1
                self.waits.append(now - queues[of].popleft())
                took = self._gate_s(rng)
                self.busy_s += took
                self.ends.append(now + took)
                push(now + took, "ends", of)

    def _arrivals(self, rng: random.Random) -> list[float]:
        low, high = GATE_BOOTS
        gates = round(self.boots_a_day / ((low + high) / 2))
        start, end = (hour * HOUR_S for hour in WORKING_H)
        found = []
        for day in range(self.days):
            for _ in range(gates):
                if rng.random() < IN_WORKING_HOURS:
                    at = rng.uniform(start, end)
                else:
                    at = rng.uniform(end, start + DAY_S) % DAY_S
                found.append(day * DAY_S + at)
        return found

    def _gate_s(self, rng: random.Random) -> float:
        took = 0.0
        for _ in range(rng.randint(*GATE_BOOTS)):
            while rng.random() < FAULTS:
                took += rng.choice(self.measured.faulty_s) + STALL_S
                self.faults += 1
                self.boots += 1
            took += BOARD_S * rng.lognormvariate(0, SPREAD) + rng.choice(self.measured.besides_s)
            self.boots += 1
        return took


def _next_morning(now: float) -> float:
    morning = now - now % DAY_S + WORKING_H[0] * HOUR_S
    return morning if morning > now else morning + DAY_S


def row(boards: int, boots_a_day: int, *, days: int, seed: int) -> dict[str, Any]:
    """Simulate one lab."""
    lab = Lab(boards, boots_a_day, days, seed, Measured.load())
    lab.run()
    waits = sorted(lab.waits)
    last_s = max(lab.ends)
    a_day = lab.boots / days / 1000
    load = [one for one in kept("history-load.json")["rows"] if one["database"] == "postgresql"]
    # What the history takes in the busiest hour: each gate's boots at its end.
    hours = [int(end // HOUR_S) for end in lab.ends]
    busiest = max(hours.count(hour) for hour in set(hours)) * lab.boots / len(lab.ends) / HOUR_S
    return {
        "boards": boards,
        "boots_a_day": boots_a_day,
        "gates": len(waits),
        "boots": lab.boots,
        "faults": lab.faults,
        "boards_mended": lab.deaths,
        "busy": round(lab.busy_s / (boards * days * DAY_S), 4),
        "wait_min_median": round(median(waits) / 60, 2),
        "wait_min_95": round(waits[int(0.95 * len(waits))] / 60, 2),
        "wait_min_longest": round(waits[-1] / 60, 2),
        "behind_h": round(max(0.0, last_s - days * DAY_S) / HOUR_S, 2),
        "history_boots_per_s_busiest_hour": round(busiest, 3),
        "history_boots_per_s_measured": min(one["boots_per_s"] for one in load),
        "database_mb_a_day": round(a_day * max(r["database_bytes_per_1000_boots"] for r in load) / 1e6, 2),
        "recordings_mb_a_day": round(
            lab.boots / days * max(r["recording_bytes_per_1000_boots"] for r in load) / 1e9, 2
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, nargs="?", default=KEPT)
    parser.add_argument("--days", type=int, default=28)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    measured = Measured.load()
    found = {
        "format": "lab-simulation",
        "version": 1,
        "days": options.days,
        "seed": options.seed,
        "gate_boots": GATE_BOOTS,
        "besides_ms_median": round(1000 * median(measured.besides_s), 1),
        "rows": [row(boards, boots, days=options.days, seed=options.seed) for boards, boots in RUNS],
    }
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for one in found["rows"]:
        print(json.dumps(one))


if __name__ == "__main__":
    main()
