# SPDX-License-Identifier: MIT
"""Which revision made the boot slower: a binary search on exact boots, where one boot each is enough.

The newest revision is booted first. Until one is found that is faster, each further boot says whether its revision is
as slow as the newest one; from then on the half is searched in which the goal rises more. So n boots tell 2^(n-1)
answers apart: the first slow one of 63 revisions behind the oldest, or that the oldest is as slow.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bootlab.analysis.smallest import smallest_that_matters
from bootlab.errors import MeasurementError, UserError

Boot = Callable[[int], int | None]
"""Gives the goal's time of a revision by its place, nanoseconds; None where it cannot be built or does not boot."""


class Bisected(msgspec.Struct, frozen=True, kw_only=True):
    """What was found. `first_slow`: place of the revision behind the rise; None: none is faster than the newest.

    `suspects`: all places that it may be, where revisions in between do not boot. `spread`: no single one cost more
    than matters, the rise is made of several. `goals_ns`: all that were booted; `skipped`: those that cannot.
    """

    first_slow: int | None
    suspects: tuple[int, ...] = ()
    spread: bool = False
    goals_ns: dict[int, int] = {}
    skipped: tuple[int, ...] = ()
    smallest_ns: int = 0

    @property
    def boots(self) -> int:
        """How many revisions were booted."""
        return len(self.goals_ns)

    @property
    def compared(self) -> bool:
        """Tell whether there was anything to compare: the newest revision alone is neither slow nor fast."""
        return self.boots > 1

    @property
    def cost_ns(self) -> int | None:
        """How much later the goal comes since the revision that was found, nanoseconds."""
        if self.first_slow is None or not self.suspects:
            return None
        return self.goals_ns[self.first_slow] - self.goals_ns[self.suspects[0] - 1]


def bisect(count: int, boot: Boot, *, smallest_ns: int | None = None) -> Bisected:
    """Search `count` revisions, the oldest first. Raise UserError for less than two, MeasurementError where none boots.

    `smallest_ns`: a smaller rise is none; None: 0.1 % of the newest revision's goal, at least 50 us.
    """
    if count < 2:
        raise UserError(f"there is nothing to search in {count} revisions", hint="bootlab bisect GOOD..BAD")
    goals: dict[int, int] = {}
    skipped: set[int] = set()

    def booted(place: int) -> int | None:
        if place not in goals and place not in skipped:
            found = boot(place)
            if found is None:
                skipped.add(place)
            else:
                goals[place] = found
        return goals.get(place)

    newest = booted(count - 1)
    if newest is None:
        raise MeasurementError("the newest revision does not boot", hint="give one that boots as the end of the range")
    smallest = smallest_that_matters(newest, exact=True) if smallest_ns is None else smallest_ns
    # `fast` is faster than the newest by more than what matters (-1: none is known); the rise ends at `slow`.
    fast, slow = -1, count - 1
    while slow - fast > 1:
        place = _next(fast, slow, skipped)
        if place is None:
            break
        goal = booted(place)
        if goal is None:
            continue
        # Against the newest alone, two slow revisions that differ a little would hide the great step before them.
        later = newest - goal > smallest if fast < 0 else goals[slow] - goal > goal - goals[fast]
        if later:
            fast = place
        else:
            slow = place
    found = {"goals_ns": goals, "skipped": tuple(sorted(skipped)), "smallest_ns": smallest}
    if fast < 0:
        return Bisected(first_slow=None, **found)  # type: ignore[arg-type]
    suspects = tuple(range(fast + 1, slow + 1))
    spread = goals[slow] - goals[fast] <= smallest
    return Bisected(first_slow=slow, suspects=suspects, spread=spread, **found)  # type: ignore[arg-type]


def _next(fast: int, slow: int, skipped: set[int]) -> int | None:
    """Return the place to boot next: the middle, or what lies nearest to it and may boot."""
    middle = (fast + slow) // 2
    open_places = [place for place in range(max(fast + 1, 0), slow) if place not in skipped]
    return min(open_places, key=lambda place: (abs(place - middle), place), default=None)
