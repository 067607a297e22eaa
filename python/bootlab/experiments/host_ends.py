# SPDX-License-Identifier: MIT
"""Boots that the host ended: how often another is made, and when their ends are the system's after all."""

from __future__ import annotations

import msgspec

from bootlab.model.recording import Meta, Outcome, Recording

GO_ON = "run the same command again: it goes on; if the machine is merely slow, raise limits.wall_s"
"""What to do when the host ended a boot that is needed."""

ATTEMPTS = 3
_ATTEMPTS_OF_A_SLOW_BOOT = 2
_PAUSES_S = (0.2, 1.0)


class Attempts:
    """The boots of one plan, until one of them says something about the system."""

    def __init__(self) -> None:
        """Begin with none."""
        self._ended: list[Recording] = []
        self._faults = 0

    def settles(self, recording: Recording) -> bool:
        """Take a boot's recording. Tell whether it is the last one."""
        if not recording.by_host or recording.meta.outcome is Outcome.LEFT_ON:
            # A board that cannot be switched off is not switched on again.
            return True
        self._ended.append(recording)
        slow = recording.meta.outcome is Outcome.TIME_LIMIT
        return self._confirmed or len(self._ended) >= (_ATTEMPTS_OF_A_SLOW_BOOT if slow else ATTEMPTS)

    def pause_s(self) -> float | None:
        """Take a boot that the host could not even keep. Return how long to wait for the next one; None: no more."""
        self._faults += 1
        return _PAUSES_S[self._faults - 1] if self._faults < ATTEMPTS else None

    @property
    def _confirmed(self) -> bool:
        """Two boots that stopped alike, at the same place, while QEMU computed: that is the system's doing."""
        *earlier, last = self._ended
        return any(_same_end(one, last) for one in earlier)

    def said(self, recording: Recording) -> Meta:
        """Return what is said of the last boot: whose doing its end was, as far as several boots show it."""
        meta = recording.meta
        if not recording.by_host or meta.outcome is Outcome.LEFT_ON:
            return meta
        if self._confirmed:
            reason = f"{meta.reason}; {len(self._ended)} boots: two of them stopped at the very same place"
            return msgspec.structs.replace(meta, reason=reason, host_limit=False)
        times = f"{len(self._ended)} boots, each ended by the host"
        return msgspec.structs.replace(meta, reason=f"{meta.reason} ({times})")


def _same_end(one: Recording, other: Recording) -> bool:
    if one.meta.outcome is not other.meta.outcome or one.console != other.console:
        return False
    if one.meta.outcome is Outcome.CONSOLE_INCOMPLETE:
        return False
    if one.meta.outcome in {Outcome.EMULATOR_DIED, Outcome.CANNOT_START}:
        # A crash has no virtual time of its own; who kills from outside may well do it twice.
        return one.meta.reason == other.meta.reason and one.meta.ended_by != "outside"
    if one.meta.outcome is Outcome.TIME_LIMIT or other.meta.emulator_waited or one.meta.emulator_waited:
        return False
    # The same virtual nanosecond is the same instruction.
    return one.meta.end_ns is not None and one.meta.end_ns == other.meta.end_ns
