# SPDX-License-Identifier: MIT
"""What a comparison will be able to see, told before it is made, from a few boots of the base alone.

The noise is taken from steps between boots that followed each other, so that a drift, which blocks cancel, does not
count. Few boots know their noise badly: the upper 80 % bound of it is used.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from statistics import NormalDist

import msgspec

from bootlab.analysis.noisy.signed_rank import SPENT
from bootlab.errors import MeasurementError

PILOT_BOOTS = 6
POWER = 0.9

_BOUND = 0.8
_EFFICIENCY = 0.955
"""Of the signed ranks beside the mean, where noise is normal (3 / pi)."""

_LOOKS = 1.35
"""Looking after every block instead of once costs so much of the reach (benchmarks/noisy-clocks/power.json)."""


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest difference that is called in `power` of all cases with `blocks` blocks, nanoseconds.

    `noise_ns`: standard deviation of one boot, as the pilot shows it.
    """

    noise_ns: int
    detectable_ns: int
    blocks: int
    power: float
    pilot_boots: int


def noise_of(pilot_ns: Sequence[int]) -> float:
    """Return the standard deviation of one boot in nanoseconds, from boots in their order. Raise MeasurementError."""
    if len(pilot_ns) < 3:
        raise MeasurementError(
            f"{len(pilot_ns)} pilot boots are too few to show the noise", hint="make at least 3, better 6"
        )
    steps = [later - earlier for earlier, later in itertools.pairwise(pilot_ns)]
    return math.sqrt(sum(step * step for step in steps) / len(steps) / 2)


def forecast(pilot_ns: Sequence[int], *, blocks: int, alpha: float, smallest_ns: int, power: float = POWER) -> Forecast:
    """Say what `blocks` blocks will see. `smallest_ns`: differences below it are not called. Raise MeasurementError."""
    noise = noise_of(pilot_ns)
    # Steps share boots, so that n of them know about two thirds as much as n independent ones.
    freedom = max(1.0, (len(pilot_ns) - 1) * 2 / 3)
    bound = noise * math.sqrt(freedom / _chi_square(1 - _BOUND, freedom))
    return Forecast(
        noise_ns=round(noise),
        detectable_ns=round(detectable(bound, blocks=blocks, alpha=alpha, smallest_ns=smallest_ns, power=power)),
        blocks=blocks,
        power=power,
        pilot_boots=len(pilot_ns),
    )


def detectable(noise_ns: float, *, blocks: int, alpha: float, smallest_ns: float, power: float = POWER) -> float:
    """Return the smallest difference seen in `power` of all cases where one boot has the deviation `noise_ns`."""
    error = noise_ns * math.sqrt(2 / blocks / _EFFICIENCY)
    normal = NormalDist()
    reach = normal.inv_cdf(power)
    called = (normal.inv_cdf(1 - alpha * SPENT / 2) * _LOOKS + reach) * error
    # The estimate must come out beyond what matters, too.
    return max(called, smallest_ns + reach * error)


def _chi_square(share: float, freedom: float) -> float:
    """Return a quantile of the chi-square distribution (Wilson and Hilferty, PNAS 17, 1931)."""
    part = 2 / (9 * freedom)
    quantile: float = freedom * max(1e-3, 1 - part + NormalDist().inv_cdf(share) * math.sqrt(part)) ** 3
    return quantile
