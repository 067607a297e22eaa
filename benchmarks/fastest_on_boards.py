#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which of the systems that a search booted is the fastest on which board, by the boots that are kept.

    python benchmarks/fastest_on_boards.py STORE SYSTEM-NAME [COSTS...]

Takes every exact timing boot of a store that reached the goal and shows the function of most of them, adds what each
board's costs say, and prints the base, the fastest by the exact time, and the fastest on each board, all on all boards.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

from bootlab.analysis.board_amounts import amounts_of
from bootlab.costs.named import costs_of
from bootlab.costs.prices import board_row
from bootlab.errors import BootlabError
from bootlab.model.costs import Between
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


def on(words: str, boot: Recording) -> Between:
    return board_row(costs_of(words), "", amounts_of(boot)).board_ns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path, metavar="STORE")
    parser.add_argument("name", metavar="SYSTEM-NAME")
    parser.add_argument("costs", nargs="*", default=BOARDS, metavar="COSTS")
    asked = parser.parse_args()
    found = boots(asked.store, asked.name)
    if not found:
        parser.error(f"{asked.store} has no exact boot of {asked.name} that reached its goal")
    chosen: dict[str, list[str]] = defaultdict(list)
    by_key = {boot.meta.key: boot for boot in found}
    runs = sorted((asked.store / "runs").glob(f"*-{asked.name}/results.json"))
    if runs and (base := results_file.load(runs[-1]).base.key) in by_key:
        chosen[base].append("base")
    exact = min(found, key=lambda boot: boot.meta.goal_ns or 0)
    chosen[exact.meta.key].append("fastest by the exact time")
    for words in asked.costs:
        best = min(found, key=lambda boot: (on(words, boot).high, boot.meta.goal_ns or 0))
        chosen[best.meta.key].append(f"fastest on {words}")
    print(f"{len(found)} boots of {asked.name}; times in ms\n")
    print(f"| system | kernel bytes | initramfs bytes | characters | exact | {' | '.join(asked.costs)} |")
    print(f"|---|--:|--:|--:|--:|{'--:|' * len(asked.costs)}")
    for key, why in chosen.items():
        boot = by_key[key]
        sizes = boot.meta.artefact_bytes
        times = " | ".join(on(words, boot).text(1e6) for words in asked.costs)
        print(
            f"| {'; '.join(why)} | {sizes.get('kernel', 0):,} | {sizes.get('initramfs', 0):,} | "
            f"{boot.meta.console_bytes:,} | {(boot.meta.goal_ns or 0) / 1e6:,.1f} | {times} |"
        )


if __name__ == "__main__":
    main()
