#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often does the judge call a change faster or slower that means nothing, and does it see gains that were planted?

Usage: null_changes.py SYSTEM.toml FOLDER [--changes 32] [--dithers 5] [--bases 4] [--draws 10000] [--trials 60]
                       [--gains 1,5,20 --plant /etc/init.d/rcS --repeats 5] [--again 4] [--among N] [--jobs N]
                       [--store DIR]

* A table: the system with each of --changes null changes, each booted under --dithers dithers, the first --bases of
  them under 21. From it --draws experiments are drawn: two of the changes as base and variant, their boots in a random
  order of the dithers, judged by the rules that `bootlab try` and `bootlab stack` use.
* Trials: --trials whole experiments as a user runs them, through the bench, each of another pair of the changes. The
  boots that the table made are taken from the store, as a user's second run would.
* Gains: a busy loop of so many milliseconds is put into the shell script --plant, and the change takes it out again.
  The smallest gain that the base promises to see stands beside what was seen.

Null changes: an unread file of the root tree renamed (names and sizes the same), two empty folders of it swapped, the
start of the machine's clock moved by a few minutes. Goals and verdicts are kept in FOLDER/null-NAME.json, boots in the
store: cut off, the same command goes on where it was. Where the file is there and the store is gone, --again of its
boots are made again, and must come out equal to the nanosecond, before it goes on. Every number printed is computed
from that file.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
from null_draws import RULES, middle, tell

from bootlab.analysis.sequential_test import design
from bootlab.builders.cache import Cache
from bootlab.experiments import self_check
from bootlab.experiments.base import establish, with_dithers
from bootlab.experiments.bench import Bench
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.trials import try_all
from bootlab.model.change import Change
from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.systemfile import load
from bootlab.targets.choose import target_for
from bootlab.techniques.base import Applies, Context, Evidence, Technique

MOST = max(RULES)
WORDS = "abcdefghijklmnopqrstuvwxyz0123456789"


def prepared(system: SystemDescription) -> SystemDescription:
    """Put into a tree what the null changes move about: a file that nothing reads, and two empty folders."""
    if system.initramfs is None:
        return system
    return nothing(system, 0)


def nothing(system: SystemDescription, number: int) -> SystemDescription:
    """Return the system with a null change; 0 is the one that all others are changes of."""
    if system.initramfs is not None:
        letter = WORDS[number % len(WORDS)]
        tree = system.initramfs.tree
        old = [path for path, _ in tree.entries if path.startswith(("/opt/null-", "/srv/null-"))]
        tree = tree.without(frozenset(old))
        first, second = ("/srv/null-a", "/srv/null-b") if number % 2 == 0 else ("/srv/null-b", "/srv/null-a")
        tree = tree.put(f"/opt/null-{letter}", Entry(kind="file", mode=0o644, text="nobody reads this\n" * 20))
        tree = tree.put(first, Entry(kind="dir", mode=0o755)).put(second, Entry(kind="dir", mode=0o700))
        system = system.with_tree(tree)
    began = datetime.datetime.fromisoformat(system.clock.rtc_base)
    moved = (began + datetime.timedelta(seconds=601 * number)).isoformat()
    return msgspec.structs.replace(system, clock=msgspec.structs.replace(system.clock, rtc_base=moved))


class Experiment(Technique):
    """A change given by its system; its proof is that it was booted."""

    title = what = why = when_not = cost = "null"
    stage = "kernel"
    references = ("none",)

    def __init__(self, name: str, system: SystemDescription) -> None:
        self.id = name
        self._system = system

    def applies(self, _context: Context) -> Applies:
        return Applies.yes("it is what is measured")

    def changes(self, _context: Context) -> tuple[Change, ...]:
        return (_To(technique=self.id, ops=(), system=self._system),)

    def took_effect(self, _before: Evidence, _after: Evidence) -> Effect:
        return Effect(True, "booted")


class _To(Change, frozen=True, kw_only=True):
    """The change to another system, whatever it is applied to."""

    system: SystemDescription

    def apply(self, system: SystemDescription) -> SystemDescription:
        del system
        return self.system


class Kept:
    """The file of one system: written whenever something is added."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.facts: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def get(self, key: str, default: Any) -> Any:
        """Return what is kept under a name."""
        return self.facts.get(key, default)

    def keep(self, key: str, value: object) -> None:
        """Keep something."""
        self.facts[key] = value
        half = self.path.with_suffix(".new")
        half.write_text(json.dumps(self.facts, indent=1) + "\n")
        half.replace(self.path)


def table(bench: Bench, system: SystemDescription, args: argparse.Namespace, kept: Kept) -> None:
    """Boot every null change under dithers, then the bases under more; keep the goals, a row a change.

    What an earlier run kept is not booted again, but for --again of its boots, which must come out equal.
    """
    found: list[list[int]] = [list(row) for row in kept.get("goals_ns", [])]
    check_again(bench, system, found, args.again, kept)
    wanted = [args.dithers] * args.changes
    for number, count in [*enumerate(wanted), *((number, MOST) for number in range(args.bases))]:
        if number == len(found):
            found.append([])
        missing = tuple(range(len(found[number]), count))
        if missing:
            boots = DitheredBoots(bench, nothing(system, number), f"null {number}", dithers=missing)
            boots.wait(len(missing))
            found[number] += boots.goals_ns()
            kept.keep("goals_ns", found)


def check_again(bench: Bench, system: SystemDescription, found: list[list[int]], count: int, kept: Kept) -> None:
    """Boot some of the kept boots again. Raise SystemExit when one differs: the rows are of another system then."""
    places = [(i, j) for i, row in enumerate(found) for j in range(len(row))]
    count = min(count, len(places))
    said = [places[(2 * i + 1) * len(places) // (2 * count)] for i in range(count)]
    for change, number in said:
        boots = DitheredBoots(bench, nothing(system, change), f"null {change} again", dithers=(number,))
        boots.wait(1)
        (goal_ns,) = boots.goals_ns()
        if goal_ns != found[change][number]:
            raise SystemExit(
                f"{kept.path}: change {change} under dither {number} came at {found[change][number]} ns, now at "
                f"{goal_ns} ns: its boots are of another system or emulator; take an empty folder"
            )
    if said:
        kept.keep("booted_again", sorted({tuple(place) for place in (*kept.get("booted_again", []), *said)}))


def pair(number: int, changes: int) -> tuple[int, int]:
    """Return which null changes trial `number` compares: every change is a base before one is for a second time."""
    distance = 1 + number // changes
    return number % changes, (number + distance) % changes


def trials(bench: Bench, system: SystemDescription, args: argparse.Namespace, kept: Kept) -> None:
    """Run whole trials, each of another pair; those that are kept do not run again."""
    said = list(kept.get("trials", []))
    among = min(args.among or args.changes, args.changes)
    for number in range(args.trials):
        base, variant = (args.changes - among + place for place in pair(number, among))
        name = f"null-{variant}-against-{base}"
        if name not in {one["name"] for one in said}:
            said.append(trial(bench, nothing(system, base), nothing(system, variant), name))
            kept.keep("trials", said)


def trial(bench: Bench, system: SystemDescription, change: SystemDescription, name: str) -> dict[str, object]:
    """Run one experiment as `bootlab try` does; return what its report says."""
    base = establish(bench, system, diagnostic=False)
    (found,) = try_all(bench, base, (Experiment(name, change),)).trials
    return {
        "name": name,
        "verdict": found.verdict.value,
        "saved_ns": found.saved_ns,
        "base_ns": found.base_samples_ns,
        "variant_ns": found.samples_ns,
    }


def planted(system: SystemDescription, script: str, loops: int) -> SystemDescription:
    """Put a busy loop into a shell script of the tree, behind its first line."""
    tree = system.tree
    entry = tree.get(script) if tree is not None else None
    if tree is None or entry is None:
        raise SystemExit(f"{script} is not in the tree of {system.name}")
    text = entry.text if entry.text is not None else Path(str(entry.source)).read_text()
    first, _, rest = text.partition("\n")
    loop = f"null_i=0; while [ $null_i -lt {loops:09d} ]; do null_i=$((null_i+1)); done"
    put = msgspec.structs.replace(entry, source=None, text=f"{first}\n{loop}\n{rest}")
    return system.with_tree(tree.put(script, put))


def gains(bench: Bench, system: SystemDescription, args: argparse.Namespace, kept: Kept) -> None:
    """Plant gains, and keep what was seen of each; first what the unchanged system promises to see."""
    if "visible_gain_ns" not in kept.facts:
        base = with_dithers(bench, establish(bench, planted(system, args.plant, 0), diagnostic=False), design(MOST))
        told = {}
        for boots in RULES:
            part = msgspec.structs.replace(base, dithered=base.dithered[:boots], rule=design(boots))
            told[str(boots)] = part.visible_gain_ns
        kept.keep("visible_gain_ns", told)
    if "loop_ns" not in kept.facts:
        few = {}
        for loops in (0, 20_000):
            made = DitheredBoots(bench, planted(system, args.plant, loops), f"{loops} loops")
            made.wait(5)
            few[loops] = middle(list(made.goals_ns()))
        kept.keep("loop_ns", (few[20_000] - few[0]) / 20_000)
    said = list(kept.get("gains", []))
    done = {one["name"] for one in said}
    for number in range(args.repeats):
        for gain_ms in args.gains:
            name = f"gain-{gain_ms:g}-{number}"
            if name in done:
                continue
            loops = round(gain_ms * 1e6 / kept.facts["loop_ns"])
            slow = planted(nothing(system, number), args.plant, loops)
            found = trial(bench, slow, planted(nothing(system, number), args.plant, 0), name)
            said.append({"gain_ms": gain_ms, **found})
            kept.keep("gains", said)


def main() -> int:
    """Boot what is missing, then tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--changes", type=int, default=32)
    parser.add_argument("--dithers", type=int, default=5)
    parser.add_argument("--bases", type=int, default=4)
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument(
        "--gains", type=lambda text: [float(part) for part in text.split(",")], default=[1.0, 5.0, 20.0]
    )
    parser.add_argument("--plant", default="")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--again", type=int, default=4, help="boots of an earlier run to make again (default: 4)")
    parser.add_argument("--among", type=int, default=0, help="trials take the last N changes only (default: all)")
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--store", type=Path, default=Path(".bootlab"))
    parser.add_argument("--shuffles", type=int, default=0, help="with --tell: deal the boots out anew so many times")
    parser.add_argument("--tell", action="store_true", help="boot nothing, only compute from the files in FOLDER")
    args = parser.parse_args()
    if args.tell:
        for file in sorted(args.folder.glob("null-*.json")):
            tell(json.loads(file.read_text()), args.draws, args.shuffles)
        return 0
    system = load(args.system)
    args.folder.mkdir(parents=True, exist_ok=True)
    kept = Kept(args.folder / f"null-{system.name}.json")
    kept.keep("format", "bootlab-null-changes")
    kept.keep("version", 1)
    kept.keep("system", system.name)
    cache = Cache(Path(".cache/bootlab").resolve())
    with Bench(target_for(system, cache, (), None), args.store, jobs=args.jobs) as bench:
        self_check.require_exact(bench, system)
        version = bench.target.plan(system).emulator_version
        if kept.get("emulator", version) != version:
            raise SystemExit(f"{kept.path} is of QEMU {kept.facts['emulator']}, this is {version}: take another folder")
        kept.keep("emulator", version)
        system = prepared(system)
        if args.changes:
            table(bench, system, args, kept)
        if args.trials:
            trials(bench, system, args, kept)
        if args.plant:
            gains(bench, system, args, kept)
    tell(kept.facts, args.draws)
    return 0


if __name__ == "__main__":
    sys.exit(main())
