"""Configurations beside each other: the same run of timerstress, quantity by quantity."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from bootlab.analysis import statistics
from bootlab.errors import UserError
from bootlab.model.change import AddParam, Change, KernelOp, SetKernelOptions, SetParam
from bootlab.model.verdict import Verdict
from bootlab.timers.stress import Row, StressResult

SMALLEST_NS = 1000
"""Wall clock: the smallest difference that matters, of a lateness or of a delivery's cost."""
WALL_RUNS = 3
"""Runs of each configuration that a verdict on the wall clock needs."""


class Quantity(msgspec.Struct, frozen=True):
    """A figure of a row. `judged`: on the wall clock it gets a verdict, less being better."""

    name: str
    value: Callable[[Row], int | None]
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


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """One side: its name and its results. `equal`: exact boots of it gave the same bytes; None where not asked."""

    name: str
    results: tuple[StressResult, ...]
    equal: bool | None = None


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity of one population: a value a configuration (the median of its runs).

    `verdicts` are against the first configuration.
    """

    timers: int
    quantity: str
    values: tuple[int | None, ...]
    verdicts: tuple[Verdict | None, ...]


class TimerComparison(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between configurations. The first one is the base."""

    format: str = "bootlab-timers-comparison"
    version: int = 1
    configurations: tuple[Configuration, ...]
    lines: tuple[Line, ...]


def compare(configurations: Sequence[Configuration]) -> TimerComparison:
    """Compare. Raise UserError when they were not asked the same, or ran on different kinds of clock."""
    heads = {
        (h.mode, h.clock, h.receiver, h.absolute, h.classic, h.seconds, h.scale, h.seed, h.min_ns, h.range_ns)
        for c in configurations
        for r in c.results
        for h in (r.head,)
    }
    if len(heads) > 1:
        raise UserError(
            "the results are of different runs", hint="same --seconds, --scale, --interval, --clock, --seed"
        )
    if len({r.place.clock for c in configurations for r in c.results}) > 1:
        raise UserError(
            "one result is on the virtual clock, one on the wall clock: they never share a column",
            hint="save both on one machine, or boot both in exact mode",
        )
    counts = [{row.timers for r in c.results for row in r.rows} for c in configurations]
    shared = sorted(set.intersection(*counts)) if counts else []
    if not shared:
        raise UserError("the results have no population in common", hint="same --timers for both")
    tests = max(1, (len(configurations) - 1) * len(shared) * sum(q.judged for q in QUANTITIES))
    lines = tuple(_line(configurations, timers, q, tests) for timers in shared for q in QUANTITIES)
    return TimerComparison(configurations=tuple(configurations), lines=lines)


def _samples(configuration: Configuration, timers: int, quantity: Quantity) -> tuple[int, ...]:
    rows = [row for result in configuration.results for row in result.rows if row.timers == timers]
    return tuple(v for v in (quantity.value(row) for row in rows) if v is not None)


def _line(configurations: Sequence[Configuration], timers: int, quantity: Quantity, tests: int) -> Line:
    samples = [_samples(c, timers, quantity) for c in configurations]
    wall = configurations[0].results[0].place.clock == "wall"
    verdicts: list[Verdict | None] = [None]
    for other in samples[1:]:
        enough = min(len(samples[0]), len(other)) >= WALL_RUNS
        verdicts.append(
            statistics.compare(samples[0], other, tests=tests, smallest_ns=SMALLEST_NS).verdict
            if wall and quantity.judged and enough
            else None
        )
    return Line(
        timers=timers,
        quantity=quantity.name,
        values=tuple(sorted(s)[len(s) // 2] if s else None for s in samples),
        verdicts=tuple(verdicts),
    )


def change_of(words: str) -> Change:
    """Return the change that `highres=off clocksource=hpet` or `CONFIG_HZ=100` asks for. Raise UserError."""
    ops: list[SetParam | AddParam | KernelOp] = []
    options: list[tuple[str, str]] = []
    for word in words.split():
        key, equals, value = word.partition("=")
        if not key:
            raise UserError(f"{word!r} is no kernel parameter", hint="--with highres=off, or --with CONFIG_HZ_100=y")
        if key.startswith("CONFIG_"):
            options.append((key.removeprefix("CONFIG_"), value or "y"))
        else:
            ops.append(SetParam(key, value if equals else None))
    if options:
        ops.append(SetKernelOptions(tuple(options)))
    if not ops:
        raise UserError("--with changes nothing", hint="--with highres=off")
    return Change(technique="timers", label=words, ops=tuple(ops), kind="manual")
