# SPDX-License-Identifier: MIT
"""Configurations side by side: the same run of timerstress, quantity by quantity."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from bootlab.analysis.noisy import variants
from bootlab.errors import UserError
from bootlab.model.change import AddParam, Change, SetParam
from bootlab.model.comparison import Column, Comparison, Row, Table, Value
from bootlab.model.kernel_change import KernelOp, SetKernelOptions
from bootlab.timers.stress import StressResult
from bootlab.timers.stress import StressRow as Population

SMALLEST_NS = 1000
"""Wall clock: the smallest difference that matters, of a lateness or of a delivery's cost."""
WALL_RUNS = 3
"""Runs of each configuration that a verdict on the wall clock needs."""


class Quantity(msgspec.Struct, frozen=True):
    """A figure of a row. `judged`: on the wall clock it gets a verdict, less being better."""

    name: str
    value: Callable[[Population], int | None]
    judged: bool = False


QUANTITIES = (
    Quantity("expirations", lambda r: r.expirations),
    Quantity("lost", lambda r: r.lost),
    Quantity("early", lambda r: r.early),
    Quantity("overruns", lambda r: r.overruns),
    Quantity("lateness p50, ns", lambda r: r.lateness.p50_ns, judged=True),
    Quantity("lateness p99, ns", lambda r: r.lateness.p99_ns, judged=True),
    Quantity("lateness max, ns", lambda r: r.lateness.max_ns),
    Quantity("lateness mean, ns", lambda r: r.lateness.sum_ns // r.lateness.count if r.lateness.count else None, True),
    Quantity("create, ns each", lambda r: r.create_ns // r.created if r.created else None),
    Quantity("arm, ns each", lambda r: r.arm_ns // r.created if r.created else None),
    Quantity("CPU, ns a delivery", lambda r: r.cost_ns, judged=True),
)


class TimerConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """One side: its name and its results. `equal`: exact boots of it gave the same bytes; None where not asked."""

    name: str
    results: tuple[StressResult, ...]
    equal: bool | None = None


_COLUMNS_EACH = 4
"""Configurations beside the base in one table: more would be cut off at the width of a terminal."""


def compare(configurations: Sequence[TimerConfiguration]) -> Comparison:
    """Set quantities side by side: a row a quantity and population, a column a configuration, the first is the base.

    A value is the median of a configuration's runs; on the wall clock a judged one carries its verdict against the
    base. Raise UserError when they were not asked the same, or ran on different kinds of clock.
    """
    heads = {
        (h.mode, h.clock, h.receiver, h.absolute, h.classic, h.seconds, h.scale, h.seed, h.min_ns, h.range_ns)
        for c in configurations
        for r in c.results
        for h in (r.head,)
    }
    if len(heads) > 1:
        raise UserError(
            "the results come from different kinds of runs", hint="same --seconds, --scale, --interval, --clock, --seed"
        )
    if len({r.place.clock for c in configurations for r in c.results}) > 1:
        raise UserError(
            "one result is on the virtual clock, one on the wall clock: they cannot be compared",
            hint="save both on one machine, or boot both in exact mode",
        )
    counts = [{row.timers for r in c.results for row in r.rows} for c in configurations]
    shared = sorted(set.intersection(*counts)) if counts else []
    if not shared:
        raise UserError("the results have no population in common", hint="same --timers for both")
    tests = max(1, (len(configurations) - 1) * len(shared) * sum(q.judged for q in QUANTITIES))
    rows = tuple(_row(configurations, timers, q, tests) for timers in shared for q in QUANTITIES)
    names = [c.name for c in configurations]
    values = tuple(
        Column(key=f"c{number}", title=name, kind="count", note=f"c{number}_verdict")
        for number, name in enumerate(names)
    )
    return Comparison(
        kind="timers-comparison",
        system=names[0],
        clock=configurations[0].results[0].place.clock,
        headline=f"timers of {' / '.join(names)}",
        footnote="\n".join(_words(c) for c in configurations),
        facts={f"c{number}_name": name for number, name in enumerate(names)},
        columns=(Column(key="title", title="quantity"), *values),
        tables=tuple(
            Table(title=f"{timers} timers", columns=("title", *(values[i].key for i in shown)), group=timers)
            for timers in shared
            for shown in _shown(len(configurations))
        ),
        rows=rows,
    )


def _shown(count: int) -> list[tuple[int, ...]]:
    """Return which configurations stand in each table; the base stands in all."""
    starts = range(1, count, _COLUMNS_EACH)
    return [(0, *range(start, min(start + _COLUMNS_EACH, count))) for start in starts] or [(0,)]


def _words(configuration: TimerConfiguration) -> str:
    result = configuration.results[0]
    facts = ", ".join(f"{k} {v}" for k, v in result.place.facts.items())
    said = f"{configuration.name}: {result.head.kernel}, {result.place.clock} clock"
    said += f", resolution {result.head.resolution_ns} ns" + (f", {facts}" if facts else "")
    if configuration.equal is not None:
        same = "equal to the byte" if configuration.equal else "DIFFERENT"
        said += f"; {len(configuration.results)} boots: {same}"
    return said


def _samples(configuration: TimerConfiguration, timers: int, quantity: Quantity) -> tuple[int, ...]:
    rows = [row for result in configuration.results for row in result.rows if row.timers == timers]
    return tuple(v for v in (quantity.value(row) for row in rows) if v is not None)


def _row(configurations: Sequence[TimerConfiguration], timers: int, quantity: Quantity, tests: int) -> Row:
    samples = [_samples(c, timers, quantity) for c in configurations]
    wall = configurations[0].results[0].place.clock == "wall"
    values: dict[str, Value] = {"group": timers, "timers": timers, "quantity": quantity.name}
    for number, own in enumerate(samples):
        values[f"c{number}"] = sorted(own)[len(own) // 2] if own else None
        enough = number > 0 and min(len(samples[0]), len(own)) >= WALL_RUNS
        if wall and quantity.judged and enough:
            found = variants.compare(samples[0], own, tests=tests, smallest_ns=SMALLEST_NS, paired=False)
            values[f"c{number}_verdict"] = found.verdict.value
    return Row(id=f"{timers}-{quantity.name}", title=quantity.name, values=values)


def change_of(words: str) -> Change:
    """Return the change that `highres=off clocksource=hpet` or `CONFIG_HZ=100` asks for. Raise UserError."""
    ops: list[SetParam | AddParam | KernelOp] = []
    options: list[tuple[str, str]] = []
    for word in words.split():
        key, equals, value = word.partition("=")
        if not key:
            raise UserError(f"{word!r} is not a kernel parameter", hint="--with highres=off, or --with CONFIG_HZ_100=y")
        if key.startswith("CONFIG_"):
            options.append((key.removeprefix("CONFIG_"), value or "y"))
        else:
            ops.append(SetParam(key, value if equals else None))
    if options:
        ops.append(SetKernelOptions(tuple(options)))
    if not ops:
        raise UserError("--with changes nothing", hint="--with highres=off")
    return Change(technique="timers", label=words, ops=tuple(ops), kind="manual")
