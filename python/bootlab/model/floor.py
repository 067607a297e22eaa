# SPDX-License-Identifier: MIT
"""The floor of an optimised boot: what its goal needs, what of that is certain, what else still takes time."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.costs import Between

PartKind = Literal["bound", "estimate"]


class FloorPart(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the goal needs. `bound`: no kernel, loader or machine setting can take it away.

    `estimate`: needed in some form, taken for what it costs in this boot (or for what `why` says). Virtual nanoseconds.
    """

    title: str
    ns: int
    kind: PartKind
    why: str


class Obstacle(msgspec.Struct, frozen=True, kw_only=True):
    """Something in the boot that the goal is not known to need. `ns`: what it takes; `lever`: what would end it."""

    title: str
    ns: int
    lever: str = ""


class Floor(msgspec.Struct, frozen=True, kw_only=True):
    """A boot's time, taken apart: parts + obstacles + others = goal, all of the one boot that was traced.

    `obstacles`: the largest ones; `others_ns`, `others`: the sum and the number of the smaller ones. `notes`: what is
    not known, in sentences.
    """

    goal_ns: int
    parts: tuple[FloorPart, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    others_ns: int = 0
    others: int = 0
    notes: tuple[str, ...] = ()

    @property
    def bound_ns(self) -> int:
        """No system with this application reaches the goal earlier."""
        return sum(part.ns for part in self.parts if part.kind == "bound")

    @property
    def floor_ns(self) -> int:
        """The bound with the estimates: a system that does nothing but what the goal needs, as it does it now."""
        return sum(part.ns for part in self.parts)


class BoardPart(msgspec.Struct, frozen=True, kw_only=True):
    """What takes time on the board alone. `largest`: from where on it outweighs every other part."""

    title: str
    ns: Between
    lever: str
    largest: str


class BoardFloor(msgspec.Struct, frozen=True, kw_only=True):
    """A floor on a board. `factor`: what a part that only computes is multiplied with. Nanoseconds.

    `factor` None: the costs name no core, so that nobody knows how long an exact part takes there. `goal_ns` then has
    the exact time with what the board adds, and `floor_ns` is None.
    """

    factor: Between | None
    goal_ns: Between
    floor_ns: Between | None
    parts: tuple[BoardPart, ...]

    def scaled(self, exact_ns: int) -> Between | None:
        """Return a part on the board: nobody says how much of it computes, and how much waits."""
        return None if self.factor is None else scaled(exact_ns, self.factor)


def scaled(exact_ns: int, factor: Between) -> Between:
    """Return how long something takes that computes or waits, where what computes takes `factor` times as long."""
    return Between(exact_ns * min(1.0, factor.low), exact_ns * max(1.0, factor.high))
