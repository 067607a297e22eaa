"""Where the machine of a boot stood still: the virtual clock went on without an instruction being executed."""

from __future__ import annotations

import itertools

import msgspec

from bootlab.analysis.events import events_of
from bootlab.model.recording import Recording


class IdleSpan(msgspec.Struct, frozen=True, kw_only=True):
    """Idle time between two neighbouring events of one boot. `after`, `before`: their names.

    `start_ns`, `end_ns` are the events' times: the machine stood still for `idle_ns` of the time between them, and
    worked for the rest.
    """

    after: str
    before: str
    start_ns: int
    end_ns: int
    idle_ns: int
    insns: int


def idle_spans(recording: Recording, *, least_ns: int = 1_000_000) -> tuple[IdleSpan, ...]:
    """Return the stretches between neighbouring events in which the machine stood still for at least `least_ns`."""
    return tuple(
        IdleSpan(
            after=one.name,
            before=following.name,
            start_ns=one.ns,
            end_ns=following.ns,
            idle_ns=following.idle_ns - one.idle_ns,
            insns=following.insns - one.insns,
        )
        for one, following in itertools.pairwise(events_of(recording))
        if following.idle_ns - one.idle_ns >= least_ns
    )
