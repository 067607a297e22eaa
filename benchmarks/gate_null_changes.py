#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often do `bootlab gate` and `bootlab try` call a change slower or faster that means nothing?

Usage: gate_null_changes.py FOLDER --system SYSTEM.toml [--changes 20] [--pairs 100] [--most N] [--store DIR] [--jobs N]
       gate_null_changes.py FOLDER --table benchmarks/null-changes/null-NAME.json [--pairs 100]
       gate_null_changes.py FOLDER --tell

--system: null changes of it (benchmarks/null_systems.py: the clock's start, an unread file's contents, name and
length, two empty folders, `panic=N`) go through both verbs, two of them as base and new, and are booted as the verbs
ask for it. --most: end after so many pairs that are new. --table: the same code judges the goals that null_changes.py
kept, whose boots are not made again. A row a pair and verb is kept in FOLDER/NAME.json as soon as it is known, with
every goal that it rests on; the boots are in the store: cut off, the same command goes on. Every number that is
printed is computed from the rows.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from kept_rows import KeptRows
from null_draws import interval
from null_systems import null_change, prepared
from table_target import TableTarget, table_system

from bootlab.analysis.smallest import smallest_that_matters
from bootlab.builders.cache import Cache, default_folder
from bootlab.experiments.base import establish
from bootlab.experiments.bench import Bench
from bootlab.experiments.trials import try_all
from bootlab.history.against import against
from bootlab.history.gate import gate
from bootlab.model.change import Change
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Effect
from bootlab.systemfile import load
from bootlab.targets.choose import target_for
from bootlab.techniques.base import Applies, Context, Evidence, Technique


class To(Change, frozen=True, kw_only=True):
    """The change to another system, whatever it is applied to."""

    system: SystemDescription

    def apply(self, system: SystemDescription) -> SystemDescription:
        del system
        return self.system


class NullTechnique(Technique):
    """A change given by its system; its proof is that it was booted."""

    id = title = what = why = when_not = cost = "null"
    stage = "kernel"
    references = ("none",)

    def __init__(self, system: SystemDescription) -> None:
        self._system = system

    def applies(self, _context: Context) -> Applies:
        return Applies.yes("it is what is measured")

    def changes(self, _context: Context) -> tuple[Change, ...]:
        return (To(technique=self.id, ops=(), system=self._system),)

    def took_effect(self, _before: Evidence, _after: Evidence) -> Effect:
        return Effect(True, "booted")


def pairs(changes: int, count: int) -> list[tuple[int, int]]:
    """Return so many ordered pairs of different changes: each is a base before one is for a second time."""
    steps = itertools.product(range(1, changes), range(changes))
    return [(base, (base + step) % changes) for step, base in itertools.islice(steps, count)]


def gated(bench: Bench, base: SystemDescription, new: SystemDescription) -> dict[str, Any]:
    """Return what `bootlab gate NEW --against BASE` says, with the goals that it rests on."""
    booted = against(bench, base, new)
    found = gate(booted.new, booted.base, [], total=booted.total, known_ns=booted.moved_ns)
    total = found.total
    return {
        "answer": found.answer.value,
        "verdict": total.judged.verdict.value if total and total.judged else "not compared",
        "saved_ns": total.judged.saved_ns if total and total.judged else None,
        "base_ns": total.base_ns if total else (),
        "new_ns": total.new_ns if total else (),
    }


def tried(bench: Bench, base: SystemDescription, new: SystemDescription) -> dict[str, Any]:
    """Return what `bootlab try` says of the change to the new system."""
    (found,) = try_all(bench, establish(bench, base, diagnostic=False), (NullTechnique(new),)).trials
    return {
        "verdict": found.verdict.value,
        "saved_ns": found.saved_ns,
        "base_ns": found.base_samples_ns,
        "new_ns": found.samples_ns,
    }


def run(
    bench: Bench, named: list[tuple[str, SystemDescription]], kept: KeptRows, source: str, args: argparse.Namespace
) -> None:
    """Send each pair that has no row yet through both verbs."""
    made = 0
    for base, new in pairs(len(named), args.pairs):
        place = {"source": source, "base": named[base][0], "new": named[new][0]}
        missing = [verb for verb in (gated, tried) if not kept.count({**place, "verb": verb.__name__})]
        if missing and made == args.most:
            return
        for verb in missing:
            kept.add({**place, "verb": verb.__name__, **verb(bench, named[base][1], named[new][1])})
        made += bool(missing)


def tell(file: Path) -> None:
    """Say how many of the rows are wrong."""
    rows: list[dict[str, Any]] = json.loads(file.read_text())
    for verb, source in sorted({(row["verb"], row["source"]) for row in rows}):
        own = [row for row in rows if (row["verb"], row["source"]) == (verb, source)]
        wrong = sum(row["verdict"] in {"slower", "faster"} for row in own)
        slower = sum(row["verdict"] == "slower" for row in own)
        systems = {row[side] for row in own for side in ("base", "new")}
        boots = sum(len(row["new_ns"]) for row in own) / len(own)
        alone = [(row["base_ns"][0], row["new_ns"][0]) for row in own if row["base_ns"] and row["new_ns"]]
        apart = sum(abs(base - new) > smallest_that_matters(base, exact=True) for base, new in alone)
        print(
            f"{file.stem}, {verb}, {source}: {len(own)} null changes of {len(systems)} systems: slower or faster "
            f"{interval(wrong, len(own))}, slower {slower}; {boots:.2f} boots of the new system "
            f"each; one boot a side would call {apart} of them so"
        )


def main() -> int:
    """Boot what is missing, then tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--system", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--changes", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--most", type=int, default=-1)
    parser.add_argument("--store", type=Path, default=Path(".bootlab"))
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--tell", action="store_true", help="boot nothing")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.system is not None and not args.tell:
        system = prepared(load(args.system))
        named = [null_change(system, number) for number in range(args.changes)]
        cache = Cache(default_folder())
        with Bench(target_for(system, cache, (), None), args.store, cache=cache, jobs=args.jobs) as bench:
            run(bench, named, KeptRows(args.folder / f"{system.name}.json"), "booted", args)
    elif args.table is not None and not args.tell:
        facts = json.loads(args.table.read_text())
        goals = [row for row in facts["goals_ns"] if len(row) >= 5]
        named = [(f"null {number}", table_system(number)) for number in range(len(goals))]
        with tempfile.TemporaryDirectory() as folder, Bench(TableTarget(goals), Path(folder), jobs=1) as bench:
            run(bench, named, KeptRows(args.folder / f"{facts['system']}.json"), args.table.name, args)
    for file in sorted(args.folder.glob("*.json")):
        tell(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
