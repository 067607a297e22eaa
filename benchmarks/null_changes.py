#!/usr/bin/env python3
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
import math
import random
import statistics
import sys
from pathlib import Path
from typing import Any

import msgspec

from bootlab.analysis.sequential_test import apart, design, judge
from bootlab.builders.cache import Cache
from bootlab.experiments import self_check
from bootlab.experiments.base import establish, with_dithers
from bootlab.experiments.bench import Bench
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.trials import try_all
from bootlab.model.change import Change
from bootlab.model.system import System
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect, Verdict
from bootlab.systemfile import load
from bootlab.targets.choose import target_for
from bootlab.techniques.base import Applies, Context, Evidence, Technique

SHARP = (Verdict.FASTER, Verdict.SLOWER)
RULES = (5, 6, 9, 21)
MOST = max(RULES)
GAINS_MS = (1, 2, 5, 20)
WORDS = "abcdefghijklmnopqrstuvwxyz0123456789"


def prepared(system: System) -> System:
    """Put into a tree what the null changes move about: a file that nothing reads, and two empty folders."""
    if system.initramfs is None:
        return system
    return nothing(system, 0)


def nothing(system: System, number: int) -> System:
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

    def __init__(self, name: str, system: System) -> None:
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

    system: System

    def apply(self, system: System) -> System:
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


def interval(hits: int, draws: int) -> str:
    """Return a share with its 95 % interval (Wilson)."""
    if not draws:
        return "no draws"
    z, share = 1.96, hits / draws
    centre = (share + z * z / (2 * draws)) / (1 + z * z / draws)
    half = z * math.sqrt(share * (1 - share) / draws + z * z / (4 * draws * draws)) / (1 + z * z / draws)
    low, high = max(0.0, centre - half), centre + half
    return f"{100 * share:.2f} % ({hits} of {draws}; 95 %: {100 * low:.2f} to {100 * high:.2f} %)"


def table(bench: Bench, system: System, args: argparse.Namespace, kept: Kept) -> None:
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


def check_again(bench: Bench, system: System, found: list[list[int]], count: int, kept: Kept) -> None:
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


def pair(number: int, changes: int) -> tuple[int, int]:
    """Return which null changes trial `number` compares: every change is a base before one is for a second time."""
    distance = 1 + number // changes
    return number % changes, (number + distance) % changes


def trials(bench: Bench, system: System, args: argparse.Namespace, kept: Kept) -> None:
    """Run whole trials, each of another pair; those that are kept do not run again."""
    said = list(kept.get("trials", []))
    among = min(args.among or args.changes, args.changes)
    for number in range(args.trials):
        base, variant = (args.changes - among + place for place in pair(number, among))
        name = f"null-{variant}-against-{base}"
        if name not in {one["name"] for one in said}:
            said.append(trial(bench, nothing(system, base), nothing(system, variant), name))
            kept.keep("trials", said)


def trial(bench: Bench, system: System, change: System, name: str) -> dict[str, object]:
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


def planted(system: System, script: str, loops: int) -> System:
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


def middle(values: list[int]) -> float:
    """Return the median."""
    ordered = sorted(values)
    return (ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2


def gains(bench: Bench, system: System, args: argparse.Namespace, kept: Kept) -> None:
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


def tell(kept: dict[str, Any], draws: int) -> None:
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
    parser.add_argument("--tell", action="store_true", help="boot nothing, only compute from the files in FOLDER")
    args = parser.parse_args()
    if args.tell:
        for file in sorted(args.folder.glob("null-*.json")):
            tell(json.loads(file.read_text()), args.draws)
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
