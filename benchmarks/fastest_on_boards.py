#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which of the systems that a search booted is the fastest on which board, by the boots that are kept.

    python benchmarks/fastest_on_boards.py STORE SYSTEM-NAME [COSTS...]
    python benchmarks/fastest_on_boards.py STORE SYSTEM-NAME --results

Takes every exact timing boot of a store that reached the goal and shows the function of most of them, adds what each
board's costs say, and prints the base, the fastest by the exact time, and the fastest on each board, all on all boards.

With `--results` the rows are what the searches in the store (`optimize`, `optimize --costs ...`) ended with, on the
boards that they were for; below stands which of them is the fastest on each board, and how many of all boots, whichever
search made them, are faster there at every price that the board's costs allow.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bootlab.analysis.board_amounts import amounts_of
from bootlab.costs.named import costs_of
from bootlab.costs.prices import board_row, times_as_fast
from bootlab.errors import BootlabError
from bootlab.model.costs import Between, Costs
from bootlab.model.recording import Recording
from bootlab.recordings import recording_dir
from bootlab.results import file as results_file

BOARDS = ("nvme,no-console", "emmc-hs200,115200", "sd-card-20MB,115200", "sd-card-20MB,9600", "spi-nor,115200")


def boots(store: Path, name: str) -> list[Recording]:
    """Return the boots that work alike."""
    by_check: dict[object, list[Recording]] = defaultdict(list)
    for folder in sorted((store / "boots").iterdir()):
        try:
            recording = recording_dir.load(folder)
        except BootlabError:
            continue
        meta = recording.meta
        if recording.ok and (meta.system_name, meta.purpose, meta.mode) == (name, "timing", "exact"):
            by_check[meta.check_groups].append(recording)
    return max(by_check.values(), key=len, default=[])


def on(costs: Costs, boot: Recording) -> Between:
    return board_row(costs, "", amounts_of(boot)).board_ns


class Result(NamedTuple):
    """What a search ended with: the costs that it decided by (None: the exact time), its changes, the boot."""

    costs: Costs | None
    changes: tuple[str, ...]
    boot: Recording

    @property
    def name(self) -> str:
        return self.costs.name if self.costs else "the exact time"

    def on(self, costs: Costs) -> Between:
        return on(costs, self.boot)


def results(store: Path, name: str, by_key: dict[str, Recording]) -> list[Result]:
    """Return the last result of each board's search."""
    found: dict[str, Result] = {}
    for file in sorted((store / "runs").glob(f"*-optimize-{name}/results.json")):
        document = results_file.load(file)
        if document.stack and (boot := by_key.get(document.stack.final.key)):
            changes = tuple(change.id for change in document.stack.changes)
            result = Result(document.costs, changes, boot)
            found[result.name] = result
    return sorted(found.values(), key=lambda result: result.costs is not None)


def judged(found: list[Recording], ended: list[Result]) -> Iterator[str]:
    """Say of each result how it stands on its own board."""
    for result in ended:
        costs = result.costs
        if costs is None:
            continue
        best = min(ended, key=lambda other: (other.on(costs).high, other is not result))
        mine = amounts_of(result.boot)
        faster = [times_as_fast(costs, mine, amounts_of(boot)).low for boot in found]
        others = max(faster)
        yield (
            f"* `{result.name}`: the fastest of the results there is that for {best.name}; of {len(found)} boots "
            f"{sum(times > 1.001 for times in faster)} are over 0.1 % faster at every price of that board"
            f"{f' (by up to {(1 - 1 / others) * 100:.2f} %)' if others > 1.001 else ''}"
        )
    yield ""
    yield from (f"* {result.name}: {', '.join(result.changes)}" for result in ended)


def row(title: str, boot: Recording, boards: Mapping[str, Costs], own: str = "") -> str:
    sizes = boot.meta.artefact_bytes
    told = {name: on(costs, boot).text(1e6) for name, costs in boards.items()}
    times = " | ".join(f"**{time}**" if name == own else time for name, time in told.items())
    return (
        f"| {title} | {sizes.get('kernel', 0):,} | {sizes.get('initramfs', 0):,} | "
        f"{boot.meta.console_bytes:,} | {(boot.meta.goal_ns or 0) / 1e6:,.1f} | {times} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path, metavar="STORE")
    parser.add_argument("name", metavar="SYSTEM-NAME")
    parser.add_argument("costs", nargs="*", default=BOARDS, metavar="COSTS")
    parser.add_argument("--results", action="store_true", help="show what each search ended with")
    asked = parser.parse_args()
    found = boots(asked.store, asked.name)
    if not found:
        parser.error(f"{asked.store} has no exact boot of {asked.name} that reached its goal")
    by_key = {boot.meta.key: boot for boot in found}
    runs = sorted((asked.store / "runs").glob(f"*-{asked.name}/results.json"))
    base = by_key.get(results_file.load(runs[-1]).base.key) if runs else None
    ended = results(asked.store, asked.name, by_key) if asked.results else []
    # A search's own costs have an instruction's time, which a costing boot told.
    boards = {result.name: result.costs for result in ended if result.costs} or {
        one: costs_of(one) for one in asked.costs
    }
    print(f"{len(found)} boots of {asked.name}; times in ms\n")
    print(f"| system | kernel bytes | initramfs bytes | characters | exact | {' | '.join(boards)} |")
    print(f"|---|--:|--:|--:|--:|{'--:|' * len(boards)}")
    if asked.results:
        if base:
            print(row("base", base, boards))
        for result in ended:
            print(row(f"result for {result.name}", result.boot, boards, result.name))
        print("", *judged(found, ended), sep="\n")
        return
    chosen: dict[str, list[str]] = defaultdict(list)
    if base:
        chosen[base.meta.key].append("base")
    exact = min(found, key=lambda boot: boot.meta.goal_ns or 0)
    chosen[exact.meta.key].append("fastest by the exact time")
    for board, costs in boards.items():
        best = min(found, key=lambda boot: (on(costs, boot).high, boot.meta.goal_ns or 0))
        chosen[best.meta.key].append(f"fastest on {board}")
    for key, why in chosen.items():
        print(row("; ".join(why), by_key[key], boards))


if __name__ == "__main__":
    main()
