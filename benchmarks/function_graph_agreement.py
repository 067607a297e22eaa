#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The plugin's inclusive times against those of the kernel's own function_graph tracer, of one and the same boot.

FUNCTION is do_one_initcall and LEVELS is 3 where they are left out. The system boots with the
tracer and bootlab's agent inside, in exact mode; the same boot is then followed by the plugin, which changes nothing of
it. So both saw the same instructions, and what differs is how they measure: the tracer's clock is read inside of its
hooks, and a call's time holds the hooks of all that it called; the plugin counts from a function's first instruction to
its caller's next. Functions that were called equally often by both are compared, from entry to exit.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import msgspec

from bootlab import systemfile
from bootlab.analysis import function_tables
from bootlab.analysis.function_tables import FunctionRow
from bootlab.builders.cache import Cache, default_folder
from bootlab.collectors import kernel_tracer
from bootlab.collectors.kernel_tracer import KernelTracer
from bootlab.experiments.bench import Bench
from bootlab.experiments.traced_boot import trace_boot
from bootlab.targets.choose import target_for
from bootlab.tracing.boot import TraceRequest


class Pair(msgspec.Struct, frozen=True):
    """One function as both saw it."""

    function: str
    count: int
    plugin_ns: int
    tracer_ns: int

    @property
    def per_call_ns(self) -> float:
        """What the tracer has more, a call."""
        return (self.tracer_ns - self.plugin_ns) / self.count


def pairs(plugin: list[FunctionRow], tracer: list[FunctionRow]) -> list[Pair]:
    """Return the functions that both saw called equally often, the longest first."""
    theirs = {row.function: row for row in tracer}
    found = [
        Pair(row.function, row.count, row.wall_ns, theirs[row.function].wall_ns)
        for row in plugin
        if row.function in theirs and theirs[row.function].count == row.count and theirs[row.function].wall_ns
    ]
    return sorted(found, key=lambda pair: -pair.plugin_ns)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", metavar="SYSTEM.toml")
    parser.add_argument("function", metavar="FUNCTION", nargs="?", default="do_one_initcall")
    parser.add_argument("levels", metavar="LEVELS", type=int, nargs="?", default=3)
    asked = parser.parse_args()
    system, function, levels = systemfile.load(asked.system), asked.function, asked.levels
    cache = Cache(default_folder())
    with (
        tempfile.TemporaryDirectory() as work,
        Bench(target_for(system, cache), Path(work), cache=cache, jobs=1) as bench,
    ):
        timing = bench.boot(system, system.name)
        tracer = KernelTracer(functions=(function,), depth=levels)
        instrumented = kernel_tracer.traced_system(system, timing, tracer)
        both = trace_boot(bench, instrumented, TraceRequest(), purpose="diagnostic")
        seen, lost = kernel_tracer.collected(both.timing)
    compared = pairs(function_tables.functions(both.trace), function_tables.functions(seen.trace))
    print(f"ftrace: {seen.part.calls} calls of {seen.part.functions} functions, {lost.events} events lost")
    print(f"called equally often: {len(compared)} functions\n")
    print(f"{'function':<40} {'count':>6} {'plugin us':>12} {'ftrace us':>12} {'us a call':>10} {'':>8}")
    for pair in compared[:20]:
        share = 100 * (pair.tracer_ns / pair.plugin_ns - 1)
        print(
            f"{pair.function:<40} {pair.count:>6} {pair.plugin_ns / 1e3:>12.3f} {pair.tracer_ns / 1e3:>12.3f} "
            f"{pair.per_call_ns / 1e3:>+10.3f} {share:>+7.2f} %"
        )
    long = [pair for pair in compared if pair.plugin_ns / pair.count >= 100_000]
    short = [pair for pair in compared if pair.plugin_ns / pair.count < 100_000]
    shares = [abs(pair.tracer_ns / pair.plugin_ns - 1) for pair in long]
    if shares:
        print(f"\n{len(long)} functions of 100 us and more a call: median difference {statistics.median(shares):.4%}, ")
        print(
            f"largest {max(shares):.3%}; a call {statistics.median(p.per_call_ns for p in long):+.0f} ns in the median"
        )
    if short:
        print(
            f"{len(short)} shorter ones: {statistics.median(p.per_call_ns for p in short):+.0f} ns a call in the median"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
