# SPDX-License-Identifier: MIT
"""A board's boot time out of what an emulator counts: instructions, bytes loaded, characters printed, fixed waits.

time = a x instructions + b x bytes + c x characters + d, each of them not negative. Fitted to a handful of real boots
of different images by least squares. A forecast carries the error that leaving each boot out in turn shows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from bootlab.errors import MeasurementError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TERMS = ("instructions", "bytes", "characters", "fixed")
"""What a boot is made of; `fixed` is 1 in every boot."""


class ModelledBoot(msgspec.Struct, frozen=True, kw_only=True):
    """One image: what the emulator counts of it, and how long the board took. `measured_ns` None: to be forecast."""

    name: str
    instructions: int
    bytes: int = 0
    characters: int = 0
    measured_ns: float | None = None

    @property
    def amounts(self) -> tuple[float, ...]:
        """The amounts in the order of TERMS."""
        return (float(self.instructions), float(self.bytes), float(self.characters), 1.0)


class BoardForecast(msgspec.Struct, frozen=True, kw_only=True):
    """A boot's time by the model. `measured_ns` None: it was not among the boots that were fitted."""

    name: str
    forecast_ns: float
    measured_ns: float | None = None
    parts_ns: tuple[float, ...] = ()
    """What each of TERMS adds."""
    beyond: bool = False
    """Some amount lies outside of what was fitted, so that the error says less."""

    @property
    def error(self) -> float | None:
        """How wrong it is, as a share of what was measured."""
        return None if self.measured_ns is None else self.forecast_ns / self.measured_ns - 1


class BoardModel(msgspec.Struct, frozen=True, kw_only=True):
    """A fitted board. `ns`: nanoseconds an instruction, a byte, a character; and the fixed part.

    `used`: the terms that vary enough over the boots to be told apart; the others are 0 or within `fixed`.
    `left_out`: each boot forecast by the others; `worst_error`: the largest of their errors, a share of the time.
    """

    ns: tuple[float, float, float, float]
    used: tuple[str, ...]
    fitted: tuple[BoardForecast, ...]
    left_out: tuple[BoardForecast, ...]
    ranges: tuple[tuple[float, float], ...]

    @property
    def worst_error(self) -> float | None:
        """The largest error of a boot that was forecast by the others; None: too few boots to leave one out."""
        errors = [abs(found.error) for found in self.left_out if found.error is not None]
        return max(errors, default=None)

    @property
    def baud(self) -> float | None:
        """The console's rate that the time a character implies, ten bits a character; None where it costs nothing."""
        return 10e9 / self.ns[2] if self.ns[2] > 0 else None

    @property
    def bytes_per_s(self) -> float | None:
        """The bandwidth that the time a byte implies; None where it costs nothing."""
        return 1e9 / self.ns[1] if self.ns[1] > 0 else None

    def forecast(self, boot: ModelledBoot) -> BoardForecast:
        """Return how long a boot takes by this model."""
        parts = tuple(ns * amount for ns, amount in zip(self.ns, boot.amounts, strict=True))
        beyond = any(not low <= amount <= high for amount, (low, high) in zip(boot.amounts, self.ranges, strict=True))
        return BoardForecast(
            name=boot.name, forecast_ns=sum(parts), measured_ns=boot.measured_ns, parts_ns=parts, beyond=beyond
        )


def fit(boots: Sequence[ModelledBoot]) -> BoardModel:
    """Fit a board to its boots. Raise MeasurementError for fewer than two different ones."""
    known = [boot for boot in boots if boot.measured_ns is not None]
    different = {boot.amounts for boot in known}
    if len(different) < 2:
        raise MeasurementError(
            f"a model needs boots of different images, but only {len(different)} was given",
            hint="boot also a quiet system and one with a larger image: bootlab try SYSTEM.toml quiet --board B.toml",
        )
    ns, used = _solve(known)
    left_out = []
    for boot in known:
        others = [other for other in known if other.amounts != boot.amounts]
        if len({other.amounts for other in others}) >= 2:
            coefficients, _ = _solve(others)
            guess = sum(a * b for a, b in zip(coefficients, boot.amounts, strict=True))
            left_out.append(BoardForecast(name=boot.name, forecast_ns=guess, measured_ns=boot.measured_ns))
    columns = list(zip(*(boot.amounts for boot in known), strict=True))
    model = BoardModel(
        ns=ns,
        used=used,
        fitted=(),
        left_out=tuple(left_out),
        ranges=tuple((min(column), max(column)) for column in columns),
    )
    return msgspec.structs.replace(model, fitted=tuple(model.forecast(boot) for boot in known))


def _solve(boots: Sequence[ModelledBoot]) -> tuple[tuple[float, float, float, float], tuple[str, ...]]:
    """Return the coefficients that are not negative and fit best, and which terms they use.

    With four terms every set of them can be tried: the best of those without a negative coefficient is the answer
    (Lawson and Hanson's problem). A set that the boots cannot tell apart is left out, and of two that fit alike the
    smaller one counts.
    """
    import numpy as np  # noqa: PLC0415 - only where a model is fitted

    amounts = np.asarray([boot.amounts for boot in boots])
    times = np.asarray([boot.measured_ns for boot in boots], dtype=float)
    scale = np.maximum(np.abs(amounts).max(axis=0), 1e-12)
    best: tuple[float, tuple[int, ...], NDArray[np.float64]] | None = None
    # What a smaller set leaves unexplained must be more than this share of the time, else it is noise.
    worth = (1e-6 * float(np.linalg.norm(times))) ** 2
    for size in range(1, len(TERMS) + 1):
        for chosen in itertools.combinations(range(len(TERMS)), size):
            part = amounts[:, chosen] / scale[list(chosen)]
            if np.linalg.matrix_rank(part) < size or size > len(boots):
                continue
            found, *_ = np.linalg.lstsq(part, times, rcond=None)
            if (found < 0).any():
                continue
            left = float(((part @ found - times) ** 2).sum())
            if best is None or left < best[0] - worth:
                best = (left, chosen, found)
    if best is None or not math.isfinite(best[0]):
        raise MeasurementError("no model fits these boots", hint="are the times and counts of the same images?")
    ns = [0.0] * len(TERMS)
    for index, value in zip(best[1], best[2], strict=True):
        ns[index] = float(value / scale[index])
    return (ns[0], ns[1], ns[2], ns[3]), tuple(TERMS[index] for index in best[1])
