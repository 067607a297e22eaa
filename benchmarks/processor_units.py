#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many of systemd's units run at the same time with one processor and with several, and what that saves.

Usage: processor_units.py SYSTEM.toml [--processors 1,2,4] [--mask UNIT]... [--jobs N] [--emulators FOLDER]
       --out RESULT.json

SYSTEM.toml: examples/systemd-pc, or any system whose console shows its units. Each number of processors is booted once
as the system is, and once more with the units of `--mask` linked to /dev/null. Every boot is in the result as soon as
it is made; a second call goes on where the first stopped. The table that it prints is that of
docs/explanation/processors.md; below it are the critical chains, start and length of each unit in milliseconds.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from kept_rows import add_arguments, opened

from bootlab.analysis.stages import stages_of
from bootlab.analysis.user_space import critical_chain, unit_spans
from bootlab.builders.cache import Cache
from bootlab.model.change import PutFile
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import Span
from bootlab.model.tree import Entry
from bootlab.startup.units import FOLDERS
from bootlab.systemfile.loader import load
from bootlab.targets.qemu import QemuTarget

AS_IT_IS = "as it is"
MOST_WALL_S = 3600.0


def changed(base: SystemDescription, masked: Sequence[str], cpus: int) -> SystemDescription:
    system = base
    for unit in masked:
        system = PutFile(f"{FOLDERS[0]}/{unit}", Entry(kind="symlink", mode=0o777, target="/dev/null")).apply(system)
    return msgspec.structs.replace(
        system,
        machine=msgspec.structs.replace(system.machine, cpus=cpus),
        limits=msgspec.structs.replace(system.limits, wall_s=MOST_WALL_S, stall_wall_s=MOST_WALL_S),
    )


def most_at_once(spans: Sequence[Span], end_ns: int) -> int:
    """Return how many units were starting at the same time at most, of those that take time, up to an instant."""
    steps = sorted(
        (at, step)
        for span in spans
        if span.duration_ns and span.start_ns < end_ns
        for at, step in ((span.start_ns, 1), (min(span.start_ns + span.duration_ns, end_ns), -1))
    )
    running = most = 0
    for _, step in steps:
        running += step
        most = max(most, running)
    return most


def row(recording: Recording, system: SystemDescription) -> dict[str, Any]:
    meta = recording.meta
    marks = {mark.name: mark for mark in recording.marks}
    end_ns = meta.goal_ns or 0
    spans = [span for span in unit_spans(recording, system) if span.start_ns < end_ns]
    first = marks.get("user-space")
    busy = None
    if first is not None and first.insns is not None and meta.goal_insns and meta.shift is not None:
        busy = ((meta.goal_insns - first.insns) << meta.shift) / (end_ns - first.ns)
    return {
        "outcome": meta.outcome.value,
        "goal_ns": meta.goal_ns,
        "insns": meta.goal_insns,
        "busy": busy,
        "stages": {stage.name: stage.duration_ns for stage in stages_of(recording)},
        "most_at_once": most_at_once(spans, end_ns),
        "units": [[span.name, span.start_ns, span.duration_ns] for span in spans],
        "chain": [[span.name, span.start_ns, span.duration_ns] for span in critical_chain(recording, system)],
        "qemu": meta.emulator_version,
        "processors": meta.processors.text,
    }


def boot(target: QemuTarget, system: SystemDescription) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        recording = target.boot(target.plan(system), Path(folder) / "boot", stop=threading.Event())
    return row(recording, system)


def table(kept: Sequence[dict[str, Any]]) -> str:
    heads = (
        "system",
        "processors",
        "goal, ms",
        "kernel, ms",
        "user space, ms",
        "busy processors there, mean",
        "units starting at once, at most",
        "instructions, millions",
    )
    lines = [f"| {' | '.join(heads)} |", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for one in sorted(kept, key=lambda one: (one["name"] != AS_IT_IS, one["cpus"])):
        behind = sum(ns for name, ns in one["stages"].items() if name in ("user space", "RC scripts", "application"))
        lines.append(
            f"| {one['name']} | {one['cpus']} | {one['goal_ns'] / 1e6:.3f} | {one['stages']['kernel'] / 1e6:.3f} "
            f"| {behind / 1e6:.3f} | {one['busy']:.2f} | {one['most_at_once']} | {one['insns'] / 1e6:.1f} |"
        )
    return "\n".join(lines)


def chains(kept: Sequence[dict[str, Any]]) -> str:
    return "\n".join(
        f"{one['name']}, {one['cpus']}: "
        + " <- ".join(f"{name} {start / 1e6:.0f}+{took / 1e6:.0f}" for name, start, took in one["chain"])
        for one in kept
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", type=Path)
    parser.add_argument("--processors", default="1,2,4")
    parser.add_argument("--mask", action="append", default=[])
    add_arguments(parser)
    options = parser.parse_args()
    base = load(options.system)
    kept = opened(options)
    variants: dict[str, list[str]] = {AS_IT_IS: []}
    if options.mask:
        variants[f"without {', '.join(options.mask)}"] = options.mask
    with tempfile.TemporaryDirectory() as folder:
        target = QemuTarget(Cache(Path(folder)))

        def once(name: str, cpus: int) -> None:
            kept.add({"name": name, "cpus": cpus} | boot(target, changed(base, variants[name], cpus)))

        wanted = [
            (name, cpus)
            for name in variants
            for cpus in (int(number) for number in options.processors.split(","))
            if not kept.count({"name": name, "cpus": cpus})
        ]
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda w: once(*w), wanted))
    print(table(kept.rows))
    print(chains(kept.rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
