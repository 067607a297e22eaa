#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What only several processors can answer: each change booted once with one processor and once with all of them.

Usage: processor_techniques.py SYSTEM.toml [--jobs N] [--emulators FOLDER] --out RESULT.json

Every boot is in the result as soon as it is made; a second call goes on where the first stopped. Kernels are built in
bootlab's own cache. The tables that it prints are those of docs/explanation/processors.md.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from kept_rows import add_arguments, opened

from bootlab.builders.cache import Cache, default_folder
from bootlab.builders.kbuild import KernelBuilder
from bootlab.experiments.kernel_source import KernelSource
from bootlab.kernelsource.configuration import read_config
from bootlab.model.change import SetParam
from bootlab.model.kernel_change import AddKernelPatch, SetKernelOptions
from bootlab.model.recording import Meta, Recording
from bootlab.model.system import SystemDescription
from bootlab.systemfile.loader import load
from bootlab.targets.qemu import QemuTarget
from bootlab.techniques.base import Context
from bootlab.techniques.init.start_scripts import RcParallel
from bootlab.techniques.option import OptionTechnique
from bootlab.techniques.registry import get

PARAMETERS = {
    "lpj": ("lpj", "4000000"),
    "async-probe": ("driver_async_probe", "*"),
    "initramfs_async=0": ("initramfs_async", "0"),
    "nr_cpus=1": ("nr_cpus", "1"),
    "nr_cpus=2": ("nr_cpus", "2"),
    "maxcpus=1": ("maxcpus", "1"),
}
SCRIPTS = ("rc-parallel:programs", "rc-parallel:functions")
"""Of a system whose kernel is an image."""
OPTIONS = ("deferred-page-init",)
"""Of a system whose kernel is built, these techniques, and `drivers-async` for the driver of each initcall; of the
parameters only the one that asks for the same as those."""
DRIVERS = ("e1000_init_module",)
BUILT = (*OPTIONS, *(f"drivers-async:{initcall}" for initcall in DRIVERS))
# They take processors away: with one there is nothing to take.
ONLY_SEVERAL = ("nr_cpus=1", "nr_cpus=2", "maxcpus=1")
MOST_WALL_S = 3600.0


def names_of(base: SystemDescription) -> tuple[str, ...]:
    return ("base", *PARAMETERS, *SCRIPTS) if base.kernel.build is None else ("base", "async-probe", *BUILT)


def patched(base: SystemDescription, initcall: str, cache: Cache) -> SystemDescription:
    assert base.kernel.build is not None
    text = KernelBuilder(cache).config(base.kernel.build, base.machine.arch)
    config = {f"CONFIG_{name}": value for name, value in read_config(text).items()}
    return AddKernelPatch(KernelSource(cache, base, config).async_patches((initcall,))[initcall]).apply(base)


def changed(base: SystemDescription, name: str, cpus: int, cache: Cache) -> SystemDescription:
    system = base
    if name in PARAMETERS:
        system = SetParam(*PARAMETERS[name]).apply(base)
    elif name in SCRIPTS:
        context = Context(system=base, recording=Recording(meta=Meta(), lines=(), marks=()))
        label = name.partition(":")[2]
        system = next(c for c in RcParallel().changes(context) if c.label == label).apply(base)
    elif name in OPTIONS:
        technique = get(name)
        assert isinstance(technique, OptionTechnique)
        system = SetKernelOptions(technique.sets).apply(base)
    elif name in BUILT:
        system = patched(base, name.partition(":")[2], cache)
    return msgspec.structs.replace(
        system,
        machine=msgspec.structs.replace(system.machine, cpus=cpus),
        limits=msgspec.structs.replace(system.limits, wall_s=MOST_WALL_S, stall_wall_s=MOST_WALL_S),
    )


def boot(target: QemuTarget, system: SystemDescription) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        recording = target.boot(target.plan(system), Path(folder) / "boot", stop=threading.Event())
    meta = recording.meta
    return {
        "outcome": meta.outcome.value,
        "goal_ns": meta.goal_ns,
        "insns": meta.goal_insns,
        "marks": {mark.name: mark.ns for mark in recording.marks},
        "qemu": meta.emulator_version,
        "processors": meta.processors.text,
    }


def table(kept: list[dict[str, Any]], names: tuple[str, ...], several: int) -> str:
    goals = {(row["name"], row["cpus"]): row["goal_ns"] for row in kept}

    def cells(name: str, cpus: int) -> tuple[str, str]:
        goal, base = goals.get((name, cpus)), goals.get(("base", cpus))
        if goal is None or base is None:
            return "", ""
        return f"{goal / 1e6:.3f}", "" if name == "base" else f"{(base - goal) / 1e6:+.3f}"

    lines = [f"| change | 1 processor, ms | saves | {several} processors, ms | saves |", "|---|---:|---:|---:|---:|"]
    lines += [f"| `{name}` | {' | '.join((*cells(name, 1), *cells(name, several)))} |" for name in names]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", type=Path)
    add_arguments(parser)
    options = parser.parse_args()
    base = load(options.system)
    several = base.machine.cpus
    kept = opened(options)
    cache = Cache(default_folder())
    target = QemuTarget(cache)

    def once(name: str, cpus: int) -> None:
        kept.add({"name": name, "cpus": cpus} | boot(target, changed(base, name, cpus, cache)))

    wanted = [
        (name, cpus)
        for name in names_of(base)
        for cpus in ((several,) if name in ONLY_SEVERAL else (1, several))
        if not kept.count({"name": name, "cpus": cpus})
    ]
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda w: once(*w), wanted))
    print(table(kept.rows, names_of(base), several))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
