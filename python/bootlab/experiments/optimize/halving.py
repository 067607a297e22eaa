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


def take_most(items: Sequence[T], why_not: Callable[[tuple[T, ...], tuple[T, ...]], str]) -> Halved[T]:
    """Take as many as can be taken together.

    `why_not(taken, group)` says why `group` cannot be taken on top of `taken`, or "" when it can. A group that fails is
    halved; its second half is asked on top of what the first half left. With k that fail out of n this asks about
    2 k log2(n/k) times. One that fails alone is left, and is not asked again.
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
        else:
            middle = len(group) // 2
            pending += [group[middle:], group[:middle]]
    return Halved(tuple(taken), tuple(left))


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """One thing with all that goes with it: an option and the options that cannot be on without it."""

    name: str
    members: frozenset[str]


class Shrunk(msgspec.Struct, frozen=True, kw_only=True):
    """What could be dropped, and for each thing that had to stay the reason."""

    dropped: frozenset[str]
    kept: dict[str, str]
    asked: int


def shrink(
    families: Sequence[Family],
    why_broken: Callable[[frozenset[str]], str],
    *,
    most: int | None = None,
    known: Mapping[frozenset[str], str] | None = None,
) -> Shrunk:
    """Drop as much as can be dropped, parents before what hangs on them.

    `families`: each with everything that goes with it; the largest are asked first, so that a parent that can go takes
    its children with it, and the children of one that must stay are asked on their own afterwards.
    `why_broken(dropped)` says why what is left does not work, or "". `most`: questions that may be asked; whatever was
    not decided by then stays. `known`: answers that are there already.
    """
    order = sorted(families, key=lambda family: (-len(family.members), family.name))
    answers = dict(known or {})
    asked = 0
    dropped: frozenset[str] = frozenset()
    kept: dict[str, str] = {}

    def ask(wanted: frozenset[str]) -> str:
        nonlocal asked
        if wanted not in answers:
            if most is not None and asked >= most:
                return _UNDECIDED
            asked += 1
            answers[wanted] = why_broken(wanted)
        return answers[wanted]

    def why_not(taken: tuple[Family, ...], group: tuple[Family, ...]) -> str:
        return ask(dropped.union(*(family.members for family in (*taken, *group))))

    queue = _roots(order)
    done: set[str] = set()
    while queue:
        found = take_most(queue, why_not)
        dropped = dropped.union(*(family.members for family in found.taken))
        kept |= {family.name: reason for family, reason in found.left}
        done |= {family.name for family in queue}
        # What hangs on one that had to stay is asked on its own.
        rest = [family for family in order if family.name not in done and not family.members <= dropped]
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
