# SPDX-License-Identifier: MIT
"""Finds which of many can be taken together: all at once, and halves where that fails. Pure: an oracle decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class Halved(msgspec.Struct, Generic[T], frozen=True):
    """What was taken, and why each other one was not."""

    taken: tuple[T, ...]
    left: tuple[tuple[T, str], ...]


def take_most(
    items: Sequence[T],
    why_not: Callable[[tuple[T, ...], tuple[T, ...]], str],
    blamed: Callable[[tuple[T, ...], tuple[T, ...]], tuple[T, ...]] = lambda _taken, _group: (),
    tier: Callable[[T], int] = lambda _item: 0,
) -> Halved[T]:
    """Take as many as can be taken together.

    `why_not(taken, group)` says why `group` cannot be taken on top of `taken`, or "" when it can. A group that fails is
    halved; its second half is asked on top of what the first half left. With k that fail out of n this asks about
    2 k log2(n/k) times. One that fails alone is left, and is not asked again. `blamed(taken, group)`: those of a group
    that failed which the failure itself names; they are left, and the others are asked together. `tier`: a group of
    several is parted between two of them.
    """
    taken: list[T] = []
    left: list[tuple[T, str]] = []
    pending: list[tuple[T, ...]] = [tuple(items)] if items else []
    while pending:
        group = pending.pop()
        reason = why_not(tuple(taken), group)
        if not reason:
            taken += group
        elif len(group) == 1:
            left.append((group[0], reason))
        elif named := blamed(tuple(taken), group):
            left += [(one, reason) for one in named]
            pending += [rest] if (rest := tuple(one for one in group if one not in named)) else []
        else:
            lowest = sum(tier(one) == tier(group[0]) for one in group)
            middle = lowest if lowest < len(group) else len(group) // 2
            pending += [group[middle:], group[:middle]]
    return Halved(tuple(taken), tuple(left))


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """One thing with all that goes with it: an option and the options that cannot be on without it.

    `tier`: those of a lower one are more likely to go. When all together fail, they are asked first.
    """

    name: str
    members: frozenset[str]
    tier: int = 0


class Shrunk(msgspec.Struct, frozen=True, kw_only=True):
    """What could be dropped, and for each thing that had to stay the reason."""

    dropped: frozenset[str]
    kept: dict[str, str]
    asked: int


def shrink(
    families: Sequence[Family],
    why_broken: Callable[[frozenset[str]], str],
    *,
    culprits: Callable[[frozenset[str]], frozenset[str]] = lambda _dropped: frozenset(),
    most: int | None = None,
    known: Mapping[frozenset[str], str] | None = None,
) -> Shrunk:
    """Drop as much as can be dropped, parents before what hangs on them.

    `families`: each with everything that goes with it; the largest are asked first, so that a parent that can go takes
    its children with it, and the children of one that must stay are asked on their own afterwards.
    `why_broken(dropped)` says why what is left does not work, or ""; `culprits(dropped)`: names that this failure
    blames. Nothing that takes one of them along is asked again. `most`: questions that may be asked; whatever was not
    decided by then stays. `known`: answers that are there already.
    """
    order = sorted(families, key=lambda family: (family.tier, -len(family.members), family.name))
    answers = dict(known or {})
    asked = 0
    dropped: frozenset[str] = frozenset()
    kept: dict[str, str] = {}
    needed: dict[str, str] = {}

    def together(taken: tuple[Family, ...], group: tuple[Family, ...]) -> frozenset[str]:
        return dropped.union(*(family.members for family in (*taken, *group)))

    def why_not(taken: tuple[Family, ...], group: tuple[Family, ...]) -> str:
        nonlocal asked
        wanted = together(taken, group)
        if wanted not in answers:
            if most is not None and asked >= most:
                return _UNDECIDED
            asked += 1
            answers[wanted] = why_broken(wanted)
        return answers[wanted]

    def blamed(taken: tuple[Family, ...], group: tuple[Family, ...]) -> tuple[Family, ...]:
        wanted = together(taken, group)
        named = culprits(wanted) if wanted in answers else frozenset()
        needed.update(dict.fromkeys(named, answers.get(wanted, "")))
        return tuple(family for family in group if family.members & named)

    queue = _roots(order)
    done: set[str] = set()
    while queue:
        found = take_most(queue, why_not, blamed, lambda family: family.tier)
        dropped = dropped.union(*(family.members for family in found.taken))
        kept |= {family.name: reason for family, reason in found.left}
        done |= {family.name for family in queue}
        # What hangs on one that had to stay is asked on its own.
        rest = []
        for family in order:
            if family.name in done or family.members <= dropped:
                continue
            if caught := sorted(family.members & needed.keys()):
                kept[family.name] = needed[caught[0]]
            else:
                rest.append(family)
        queue = _roots(rest)
    return Shrunk(dropped=dropped, kept=kept, asked=asked)


_UNDECIDED = "not decided: the budget was used up"


def _roots(order: Sequence[Family]) -> list[Family]:
    """Return the families that no other one contains, in their order."""
    inside: set[str] = set()
    for family in order:
        inside |= family.members - {family.name}
    roots = [family for family in order if family.name not in inside]
    # Two that contain each other (a choice, a select in a circle) are both inside: take them as they come.
    return roots or list(order[:1])
