# SPDX-License-Identifier: MIT
"""A sample: the boots of a base and of a variant under the same dithers, which one judgement rests on."""

from __future__ import annotations

import msgspec

from bootlab.model.recording import Recording


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Where the goal of one system came under several dithers, nanoseconds. `boots`: how many reached it."""

    boots: int
    median_ns: int
    first_ns: int
    last_ns: int

    @classmethod
    def of(cls, goals_ns: tuple[int, ...]) -> Spread | None:
        """Summarise goal times; None of none."""
        # It imports fractions and random numbers, which every start would pay for.
        import statistics  # noqa: PLC0415

        if not goals_ns:
            return None
        return cls(
            boots=len(goals_ns),
            median_ns=round(statistics.median(goals_ns)),
            first_ns=min(goals_ns),
            last_ns=max(goals_ns),
        )

    @property
    def range_ns(self) -> int:
        """From the earliest goal to the latest, nanoseconds."""
        return self.last_ns - self.first_ns


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Boots of a base and of a variant. `base[i]` and `variant[i]` were booted under the same dither, `dithers[i]`.

    Dither 0 is the system as it is. One side may be shorter than the other: the base's boots are shared by all
    variants of a run, and a variant is booted only as often as its verdict needs.
    """

    base: tuple[Recording, ...]
    variant: tuple[Recording, ...]
    dithers: tuple[str, ...]

    @property
    def pairs(self) -> tuple[tuple[Recording, Recording], ...]:
        """Base and variant under the same dither, where both were booted."""
        return tuple(zip(self.base, self.variant, strict=False))

    @property
    def base_goals_ns(self) -> tuple[int, ...]:
        """Goal times of the base's boots that reached it, nanoseconds."""
        return goals_ns(self.base)

    @property
    def variant_goals_ns(self) -> tuple[int, ...]:
        """Goal times of the variant's boots that reached it, nanoseconds."""
        return goals_ns(self.variant)


def goals_ns(recordings: tuple[Recording, ...]) -> tuple[int, ...]:
    """Return the goal times of the boots that reached their goal, nanoseconds."""
    return tuple(r.meta.goal_ns for r in recordings if r.ok and r.meta.goal_ns is not None)
