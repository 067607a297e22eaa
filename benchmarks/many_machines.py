# SPDX-License-Identifier: MIT
"""Simulates the schedule of many boots on many machines: how long, how busy, what dying machines cost.

    python benchmarks/many_machines.py [--boots 10000] [--machines 100] [--cores 4] [--boot-s 18] ...

Nothing is booted. Every figure rests on the lengths that are given: take `wall_s` of boots of your own.
"""

from __future__ import annotations

import argparse
import heapq
import random
from collections import deque
from dataclasses import dataclass, field

IMAGE_MB, LINK_MB_S = 30.0, 110.0
"""Kernel and initramfs, read once by each machine that boots them, over one 1 Gbit/s link that all machines share."""
DISPATCH_S = 0.002
"""What the scheduler takes for a job, one after another."""
REPLACED_AFTER_S = 300.0


@dataclass
class Campaign:
    """Boots in rounds: a round begins when the one before has ended. `rounds`: how many boots each has."""

    rounds: deque[int]
    running: int = 0
    number: int = 0


@dataclass
class Outcome:
    """What a simulation came to, seconds."""

    wall_s: float = 0.0
    busy_s: float = 0.0
    lost_s: float = 0.0
    deaths: int = 0
    most_waiting: int = 0


@dataclass
class Simulation:
    """A list schedule: whoever is free takes the oldest job."""

    machines: int
    cores: int
    boot_s: float
    spread: float
    mtbf_s: float | None
    seed: int = 1
    events: list[tuple[float, int, str, object]] = field(default_factory=list)

    def run(self, campaigns: list[Campaign]) -> Outcome:  # noqa: PLR0912, PLR0915 - one loop over events
        """Simulate until every boot is made."""
        rng, out, number = random.Random(self.seed), Outcome(), 0
        waiting: deque[Campaign] = deque()
        free = deque((machine, core) for core in range(self.cores) for machine in range(self.machines))
        alive, epoch = [True] * self.machines, [0] * self.machines
        under_way: dict[int, tuple[int, int, float, Campaign]] = {}
        read: list[set[tuple[int, int]]] = [set() for _ in range(self.machines)]
        link_free = dispatch_free = now = 0.0

        def push(at: float, kind: str, what: object) -> None:
            nonlocal number
            number += 1
            heapq.heappush(self.events, (at, number, kind, what))

        def begin_round(campaign: Campaign) -> None:
            if campaign.rounds:
                campaign.running = campaign.rounds.popleft()
                campaign.number += 1
                waiting.extend([campaign] * campaign.running)

        for campaign in campaigns:
            begin_round(campaign)
        if self.mtbf_s is not None:
            for machine in range(self.machines):
                push(rng.expovariate(1 / self.mtbf_s), "dies", machine)
        left = sum(c.running + sum(c.rounds) for c in campaigns)
        while left:
            out.most_waiting = max(out.most_waiting, len(waiting))
            while waiting and free:
                machine, core = free.popleft()
                if not alive[machine]:
                    continue
                dispatch_free = max(dispatch_free, now) + DISPATCH_S
                campaign = waiting.popleft()
                begins = dispatch_free
                if (image := (id(campaign), campaign.number)) not in read[machine]:
                    read[machine].add(image)
                    begins = link_free = max(link_free, begins) + IMAGE_MB / LINK_MB_S
                number += 1
                under_way[number] = (machine, core, now, campaign)
                push(begins + self.boot_s * rng.lognormvariate(0, self.spread), "ends", (number, epoch[machine]))
            now, _, kind, what = heapq.heappop(self.events)
            if kind == "ends":
                job, at_epoch = what
                if job not in under_way:
                    continue
                machine, core, since, campaign = under_way.pop(job)
                assert at_epoch == epoch[machine]
                out.busy_s += now - since
                free.append((machine, core))
                left -= 1
                campaign.running -= 1
                if not campaign.running:
                    begin_round(campaign)
            elif kind == "dies":
                read[what].clear()
                alive[what], epoch[what], out.deaths = False, epoch[what] + 1, out.deaths + 1
                for job in [job for job, row in under_way.items() if row[0] == what]:
                    _, _, since, campaign = under_way.pop(job)
                    out.lost_s += now - since
                    waiting.appendleft(campaign)
                push(now + REPLACED_AFTER_S, "back", what)
            else:
                alive[what] = True
                free = deque(slot for slot in free if slot[0] != what)
                free.extend((what, core) for core in range(self.cores))
                push(now + rng.expovariate(1 / self.mtbf_s), "dies", what)
        out.wall_s = now
        return out


def campaigns(kind: str, boots: int) -> list[Campaign]:
    """Return the boots: all independent, or as optimisations of 100 boots (a base, then steps of one and four)."""
    if kind == "independent":
        return [Campaign(deque([boots]))]
    shape = [4, 21, *([1, 4] * 15)]
    many = 1 if kind == "of one optimisation" else max(1, boots // sum(shape))
    return [Campaign(deque(shape)) for _ in range(many)]


def main() -> None:
    """Print a table."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--boots", type=int, default=10_000)
    words.add_argument("--machines", type=int, default=100)
    words.add_argument("--cores", type=int, default=4)
    words.add_argument("--boot-s", type=float, default=18.0, help="median wall time of a boot on one core, seconds")
    words.add_argument("--spread", type=float, default=0.3, help="sigma of its logarithm")
    asked = words.parse_args()
    print("| boots | machines | machines die after | wall | slots busy | lost work | most waiting |")
    print("|---|---:|---|---:|---:|---:|---:|")
    for kind in ("independent", "of 100 optimisations", "of one optimisation"):
        for machines in sorted({1, max(1, asked.machines // 10), asked.machines}):
            for mtbf_h in (None, 1):
                own = campaigns(kind, asked.boots)
                made = sum(sum(one.rounds) for one in own)
                mtbf_s = None if mtbf_h is None else mtbf_h * 3600.0
                found = Simulation(machines, asked.cores, asked.boot_s, asked.spread, mtbf_s).run(own)
                busy = found.busy_s / (found.wall_s * machines * asked.cores)
                dies = "never" if mtbf_h is None else f"{mtbf_h} h"
                wall = f"{found.wall_s / 3600:.2f} h" if found.wall_s > 5400 else f"{found.wall_s / 60:.1f} min"
                print(
                    f"| {made:,} {kind} | {machines} | {dies} | {wall} | {busy:.0%} | {found.lost_s / 3600:.2f} h"
                    f" ({found.deaths} deaths) | {found.most_waiting:,} |"
                )


if __name__ == "__main__":
    main()
