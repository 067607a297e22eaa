"""A system and its base, booted to be judged against each other."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bootlab.analysis.noisy.judgement import Judged
from bootlab.analysis.noisy.power import Forecast
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench
from bootlab.experiments.interleaved import Plan, interleave
from bootlab.history.boot_times import Side
from bootlab.history.gate import smallest_of
from bootlab.history.of_recording import side_of
from bootlab.model.system import System


class Against(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides. `total`: the verdict of the sequential test; None for exact boots, of which one each is enough."""

    base: Side
    new: Side
    total: Judged | None = None
    forecast: Forecast | None = None


def against(
    bench: Bench,
    base: System,
    new: System,
    plan: Plan | None = None,
    *,
    told: Callable[[Forecast], None] | None = None,
) -> Against:
    """Boot both. Raise UserError where one is exact and the other is not."""
    modes = {base.clock.mode, new.clock.mode}
    if len(modes) > 1:
        raise UserError(
            f"{base.name} and {new.name} are on different clocks (exact and free)",
            hint="set the same clock.mode in both",
        )
    if modes == {"exact"}:
        bench.phase("gate", 2)
        boots = bench.wait_all([bench.submit(base, f"{base.name} (base)"), bench.submit(new, new.name)])
        return Against(base=side_of(base.name, boots[:1]), new=side_of(new.name, boots[1:]))
    found = interleave(
        bench,
        base,
        new,
        plan or Plan(),
        smallest_of=lambda pilot: smallest_of(side_of(base.name, pilot)),
        told=told or (lambda _: None),
    )
    return Against(
        base=side_of(base.name, found.base),
        new=side_of(new.name, found.new),
        total=found.judged,
        forecast=found.forecast,
    )
