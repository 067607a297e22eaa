# SPDX-License-Identifier: MIT
"""How much of what is true of real boot logs `bootlab analyze` tells, and how much of what it tells is wrong.

`facts/*.toml` holds what is true, read by eye. Run `python -m tests.logs.gauge FOLDER...` from the project's folder;
each folder holds logs, and logs that no folder has are left out. `--wrong` lists what is wrong, `--silent` what is not
told.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bootlab
from bootlab.errors import BootlabError

FACTS = Path(__file__).parent / "facts"
NOT_MORE_THAN = 1.005
"""Rounding, when a gain is held against the length of a boot."""
COSTS_LOOKED_AT = 10


@dataclass(frozen=True)
class Told:
    """One fact, and how it was told: `right`, `silent` or `wrong`."""

    log: str
    what: str
    how: str
    why: str = ""


def logs(folders: list[Path]) -> Iterator[tuple[dict[str, Any], Path]]:
    """Yield each log that one of the folders has, with its facts."""
    for file in sorted(FACTS.glob("*.toml")):
        for entry in tomllib.loads(file.read_text(encoding="utf-8"))["log"]:
            found = next((f / entry["path"] for f in folders if (f / entry["path"]).is_file()), None)
            if found:
                yield entry, found


def judge(entry: dict[str, Any], file: Path) -> list[Told]:
    """Hold what the reader says of a log against what is true of it."""
    try:
        document = json.loads(bootlab.analyze(file).json)
    except BootlabError:
        document = {"parts": []}
    boots = [part for part in document["parts"] if part["kind"] == "boot"]
    said = len(boots)
    out = [_told(entry, "boots", said == entry["boots"], f"{said} instead of {entry['boots']}")]
    out += _of_units(entry, [part for part in document["parts"] if part["kind"] == "units"])
    if not entry["boots"] or len(boots) < entry.get("boot", 1):
        return out
    boot = boots[entry.get("boot", 1) - 1]
    return [*out, *_of_boot(entry, boot)]


def _told(entry: dict[str, Any], what: str, right: bool, why: str) -> Told:
    return Told(entry["path"], what, "right" if right else "wrong", "" if right else why)


def _of_units(entry: dict[str, Any], parts: list[dict[str, Any]]) -> Iterator[Told]:
    """Hold systemd's own figures of a log without a boot's lines against what is printed there."""
    said: dict[str, Any] = {}
    for part in parts:
        said.update({row["unit"]: row.get("time_ns") for row in part.get("units", ())})
        said.update(dict((part.get("startup") or {}).get("parts", ())))
    for name, true in entry.get("units", {}).items():
        yield _value(entry, name, said.get(name), true)


def _of_boot(entry: dict[str, Any], boot: dict[str, Any]) -> Iterator[Told]:
    if "outcome" in entry:
        said = boot["outcome"]
        yield _told(entry, "outcome", said == entry["outcome"], f"{said} instead of {entry['outcome']}")
    stages = {stage["event"]: stage for stage in boot["stages"]}
    start = stages.get("kernel-start", {}).get("ns")
    zero = 0 if entry.get("zero") == "axis" or start is None else start
    for event, true in entry.get("stages", {}).items():
        yield _stage(entry, event, stages.get(event, {}), true, zero)
    for event, true in entry.get("more", {}).items():
        yield _stage(entry, event, stages.get(event, {}), true, zero)
    for event in entry.get("at_least", ()):
        stage = stages.get(event, {})
        if stage.get("ns") is not None:
            bound = stage.get("at_least", False)
            yield _told(entry, f"{event} is a lower bound", bound, "stated as if it were known")
    if "end" in entry:
        yield _stage(entry, "end", boot.get("end") or {}, entry["end"], zero)
    for name, true in entry.get("startup", {}).items():
        parts = {part["name"]: part["ns"] for part in boot.get("startup", {}).get("parts", ())}
        yield _value(entry, f"startup {name}", parts.get(name), true)
    for name, true in entry.get("initcalls", {}).items():
        calls = [call for call in boot["kernel"]["initcalls"] if call["name"] == name]
        yield _value(entry, f"initcall {name}", calls[0].get("duration_ns") if calls else None, true)
    yield from _costs(entry, boot)
    told = {failure["kind"] for failure in boot["failures"]} | {cost["kind"] for cost in boot["costs"]}
    for kind in entry.get("not", ()):
        yield _told(entry, f"no {kind}", kind not in told, "said all the same")
    if "length" in entry:
        end = entry["length"] * 1e6 + zero
        late = [gap for gap in boot["gaps"] if gap["start_ns"] > end]
        yield _told(entry, "silences of the boot only", not late, f"{len(late)} behind the boot's end")


def _stage(entry: dict[str, Any], event: str, stage: dict[str, Any], true: Any, zero: int) -> Told:
    ns = stage.get("ns")
    if true == "seen":
        how = "silent" if stage.get("line") is None else "right"
        return Told(entry["path"], event, how)
    if true == "absent":
        said = stage.get("line") is not None or ns is not None
        return _told(entry, event, not said, f"line {stage.get('line')} shows no such thing")
    if ns is not None and stage.get("at_least") and ns - zero <= _bounds(true)[1]:
        return Told(entry["path"], event, "right")
    if ns is not None and stage.get("at_most") and ns - zero > _bounds(true)[1]:
        return Told(entry["path"], event, "silent", f"only that it came before {ns / 1e6:.0f} ms, instead of {true}")
    return _value(entry, event, None if ns is None else ns - zero, true)


def _bounds(true: Any) -> tuple[float, float]:
    """Return the bounds of a time, ns; a number is good to 1 % or 5 ms."""
    low, high = true if isinstance(true, list) else (true - max(5, true / 100), true + max(5, true / 100))
    return low * 1e6, high * 1e6


def _value(entry: dict[str, Any], what: str, ns: float | None, true: Any) -> Told:
    if ns is None:
        return Told(entry["path"], what, "silent", f"{true} ms is not told")
    low, high = _bounds(true)
    return _told(entry, what, low <= ns <= high, f"{ns / 1e6:.3f} ms instead of {true}")


def _costs(entry: dict[str, Any], boot: dict[str, Any]) -> Iterator[Told]:
    costs = boot["costs"]
    for true in entry.get("costs", ()):
        first, last = true["lines"]
        what = f"cost at lines {first} to {last}"
        near = [
            cost["cost_ns"]
            for cost in costs[:COSTS_LOOKED_AT]
            if cost.get("cost_ns") and any(first <= line <= last for line in cost.get("lines", ()))
        ]
        if any(abs(ns / 1e6 - true["ms"]) <= max(0.1 * true["ms"], 20) for ns in near):
            yield Told(entry["path"], what, "right")
        else:
            yield Told(entry["path"], what, "silent", f"{true['ms']} ms is not among the first {COSTS_LOOKED_AT} costs")
    if "length" in entry:
        for cost in costs:
            ns = max(cost.get("gain_ns") or 0, cost.get("cost_ns") or 0)
            if ns:
                within = ns <= NOT_MORE_THAN * entry["length"] * 1e6
                yield _told(
                    entry, f"{cost['kind']} fits into the boot", within, f"{ns / 1e6:.0f} ms of {entry['length']}"
                )
    twice = [kind for kind, n in Counter((cost["kind"], cost["title"]) for cost in costs).items() if n > 1]
    yield _told(entry, "each cost once", not twice, str(twice))


def main(arguments: list[str]) -> int:
    """Write the shares, and on request the facts behind them."""
    folders = [Path(argument) for argument in arguments if not argument.startswith("--")]
    if not folders:
        sys.stderr.write("usage: python -m tests.logs.gauge FOLDER... [--wrong] [--silent]\n")
        return 2
    told: list[Told] = []
    read = 0
    for entry, file in logs(folders):
        read += 1
        told += judge(entry, file)
    count = Counter(one.how for one in told)
    right, silent, wrong = (count[how] for how in ("right", "silent", "wrong"))
    listed = [f"{one.how}: {one.log}: {one.what}: {one.why}" for one in told if f"--{one.how}" in arguments]
    listed.append(f"{read} logs, {len(told)} facts: {right} right, {silent} not told, {wrong} wrong")
    if told:
        share, of_statements = right / len(told), wrong / max(right + wrong, 1)
        listed.append(f"told right: {share:.1%} of the facts; wrong: {of_statements:.1%} of the statements")
    sys.stdout.write("\n".join(listed) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
