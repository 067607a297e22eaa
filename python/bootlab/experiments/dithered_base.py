# SPDX-License-Identifier: MIT
"""A base booted under as many dithers as a rule asks for."""

from __future__ import annotations

import itertools

from bootlab.errors import MeasurementError
from bootlab.experiments import dither
from bootlab.experiments.bench import Bench
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.trial import require_told, why_broken
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription


def dithered_base(
    bench: Bench, system: SystemDescription, recording: Recording, count: int
) -> tuple[tuple[int, ...], tuple[Recording, ...]]:
    """Return `count` dithers under which a system works, and its boots under them. `recording`: it as it is.

    A dither under which it fails is left out. Raise MeasurementError where it fails under too many,
    NotRecordedError on a replay that holds no such boots.
    """
    numbers: list[int] = []
    boots: list[Recording] = []
    for first in itertools.count(0, count):
        drawn = tuple(range(first, first + count))
        for number, boot in zip(drawn, DitheredBoots(bench, system, "base", dithers=drawn).wait(count), strict=True):
            broken = why_broken(recording, boot)
            # Another dither in its place would make the result depend on the host.
            require_told(broken, f"base ({dither.name(number)})")
            if not broken and boot.meta.goal_clock == recording.meta.goal_clock:
                numbers.append(number)
                boots.append(boot)
        if len(boots) >= count:
            break
        if first:
            raise MeasurementError(
                f"the base fails under {2 * count - len(boots)} of {2 * count} dithers (another date, another "
                "seed, bytes after the initramfs)",
                hint="look at the recordings: what depends on the date?",
            )
    return tuple(numbers[:count]), tuple(boots[:count])
