# SPDX-License-Identifier: MIT
"""Two systems on the host's clock or on a board, booted in blocks until the rule has its answer."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bootlab.analysis.noisy.blocks import orders
from bootlab.analysis.noisy.judgement import ALPHA, MOST_BLOCKS, Judged, Sequential
from bootlab.analysis.noisy.power import PILOT_BOOTS, Forecast, forecast
from bootlab.errors import MeasurementError, TargetError
from bootlab.experiments.bench import Bench
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription


class BlockPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How much is booted at most, and how often the rule may err. `pilot`: boots of the base before the blocks.

    `smallest_ns`: differences below it do not matter; None: `smallest_of` of the pilot.
    """

    blocks: int = MOST_BLOCKS
    pilot: int = PILOT_BOOTS
    alpha: float = ALPHA
    seed: int = 1
    smallest_ns: int | None = None


class Interleaved(msgspec.Struct, frozen=True, kw_only=True):
    """Every boot of both sides, block by block, and the verdict on the whole boot. `forecast`: None without a pilot."""

    base: tuple[Recording, ...]
    new: tuple[Recording, ...]
    judged: Judged
    forecast: Forecast | None = None


def interleave(
    bench: Bench,
    base: SystemDescription,
    new: SystemDescription,
    plan: BlockPlan,
    *,
    smallest_of: Callable[[tuple[Recording, ...]], int],
    told: Callable[[Forecast], None],
) -> Interleaved:
    """Boot both sides in blocks, each in random order, until the verdict stands or the blocks are used up.

    `told`: hears what the blocks will be able to see, before the first of them. Raise TargetError when a boot does not
    reach its goal: a side that fails is not slower, it is broken.
    """
    number = bench.fresh_number(plan.pilot + 2 * plan.blocks)
    bench.phase("pilot", plan.pilot)
    pilot = []
    for boot in range(plan.pilot):
        pilot.append(_booted(bench, base, f"{base.name} (pilot {boot + 1})", number))
        number += 1
    smallest = plan.smallest_ns if plan.smallest_ns is not None else smallest_of(tuple(pilot))
    foretold = None
    if len(pilot) >= 3:
        times = [_goal_ns(recording) for recording in pilot]
        foretold = forecast(times, blocks=plan.blocks, alpha=plan.alpha, smallest_ns=smallest)
        told(foretold)
    rule = Sequential(smallest_ns=smallest, most=plan.blocks, alpha=plan.alpha)
    sides: tuple[list[Recording], list[Recording]] = ([], [])
    bench.phase("blocks", 2 * plan.blocks)
    for order in orders(2, seed=plan.seed):
        for side in order:
            system = (base, new)[side]
            label = f"{system.name} ({('base', 'new')[side]}, block {rule.blocks + 1})"
            sides[side].append(_booted(bench, system, label, number))
            number += 1
        if rule.add(_goal_ns(sides[0][-1]), _goal_ns(sides[1][-1])) is not None:
            break
    return Interleaved(base=tuple(sides[0]), new=tuple(sides[1]), judged=rule.judged(), forecast=foretold)


def _booted(bench: Bench, system: SystemDescription, label: str, number: int) -> Recording:
    recording = bench.boot(system, label, fresh=number)
    if not recording.ok:
        raise TargetError(
            f"{label}: {recording.meta.outcome.value}: {recording.meta.reason}".rstrip(": "),
            hint=recording.meta.outcome.hint or "bootlab boot SYSTEM.toml",
        )
    return recording


def _goal_ns(recording: Recording) -> int:
    if recording.meta.goal_ns is None:
        raise MeasurementError(
            "the goal was reached, but its time is not known",
            hint="`bootlab doctor` says whether the plugin works, which stamps the console",
        )
    return recording.meta.goal_ns
