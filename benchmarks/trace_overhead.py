#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cost of the function trace: exact boots without and with it in turn, their consoles byte for byte, and the sum.

Processor time of QEMU stands beside wall time: on a machine that others use too, only the former means anything.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import threading
from pathlib import Path

from bootlab import systemfile
from bootlab.builders.cache import Cache
from bootlab.collectors import function_trace
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.recording import Recording
from bootlab.targets.qemu import QemuTarget
from bootlab.tracing.boot import TraceRequest, traced


def boot(target: QemuTarget, plan: BootPlan, folder: Path) -> tuple[Recording, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    recording = target.boot(plan, folder, stop=threading.Event())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert recording.ok, recording.meta.reason
    return recording, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", metavar="SYSTEM.toml")
    parser.add_argument("pairs", metavar="PAIRS", type=int, nargs="?", default=5)
    asked = parser.parse_args()
    path, pairs = asked.system, asked.pairs
    wall, cpu = [], []
    with tempfile.TemporaryDirectory() as work:
        cache = Cache(Path(work) / "cache")
        target = QemuTarget(cache)
        plain = target.plan(systemfile.load(path))
        first, _ = boot(target, plain, Path(work) / "warm-up")
        with_trace = traced(plain, TraceRequest(end_insns=first.meta.goal_insns), cache)
        for number in range(1, pairs + 1):
            base, base_cpu = boot(target, plain, Path(work) / f"plain-{number}")
            folder = Path(work) / f"trace-{number}"
            recording, trace_cpu = boot(target, with_trace, folder)
            if recording.console != base.console or recording.meta.goal_insns != base.meta.goal_insns:
                print("the traced boot differs: the plugin is not neutral")
                return 1
            trace = function_trace.load(folder)
            if int(trace.self_insns.sum()) != first.meta.goal_insns:
                print("the self times do not add up to the instructions executed")
                return 1
            wall.append(recording.meta.wall_s / base.meta.wall_s)
            cpu.append(trace_cpu / base_cpu)
            print(
                f"pair {number}: wall {base.meta.wall_s:.2f} s -> {recording.meta.wall_s:.2f} s ({wall[-1]:.2f}x), "
                f"processor {base_cpu:.2f} s -> {trace_cpu:.2f} s ({cpu[-1]:.2f}x)",
                flush=True,
            )
    print(
        f"median of {pairs} pairs: wall {statistics.median(wall):.2f}x, processor {statistics.median(cpu):.2f}x; "
        f"consoles equal; self times add up to {first.meta.goal_insns:,} instructions"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
