# SPDX-License-Identifier: MIT
"""The boot beside the timed one that shows what that does not, of one kind for a base and all it is compared with.

It carries the agent. Where bootlab cannot put that in, because it cannot read the root, it is a boot with `loglevel=7`
in the place of `quiet`: its console holds the messages by which techniques prove their effect.
"""

from __future__ import annotations

from concurrent.futures import Future

import msgspec

from bootlab.collectors.diagnosis import loud_system
from bootlab.experiments.base import Base, DiagnosisNotMade, begin_diagnosis, diagnosis_of
from bootlab.experiments.bench import Bench
from bootlab.experiments.host_ends import GO_ON
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.targets.replay import NotRecordedError
from bootlab.techniques.base import Evidence, Technique
from bootlab.techniques.evidence import KernelLog


class CloserLook:
    """Makes these boots, where the base has one or needs none."""

    def __init__(self, bench: Bench, base: Base) -> None:
        """Choose the kind by what there is of the base."""
        self._bench, self._agent = bench, base.diagnosis is not None
        self._possible = self._agent or (_is_exact(base.system) and KernelLog.of(base.evidence).complete)

    def wanted(self, technique: Technique, seen: Evidence) -> bool:
        """Tell whether `took_effect` can say nothing about this system before such a boot of it was made."""
        if not self._possible or seen.diagnosis is not None or seen.loud is not None or technique.proof == "recording":
            return False
        if technique.proof == "diagnosis":
            return self._agent
        return not KernelLog.of_console(seen.recording).complete

    def begin(self, seen: Evidence, label: str) -> Future[Recording] | None:
        """Start the boot of a system whose timing boot is there. None: nothing would be seen."""
        if self._agent:
            return begin_diagnosis(self._bench, seen.system, seen.recording, label)
        return _begin_loud(self._bench, seen.system, label)

    def at(self, seen: Evidence, label: str) -> Evidence:
        """Return what is known with it. Raise DiagnosisNotMade when the host ended it."""
        if seen.diagnosis is not None or seen.loud is not None:
            return seen
        if self._agent:
            diagnosis = diagnosis_of(self._bench, seen.system, seen.recording, label)
            return msgspec.structs.replace(seen, diagnosis=diagnosis)
        return msgspec.structs.replace(seen, loud=_loud(self._bench, seen.system, label))


def with_messages(bench: Bench, base: Base) -> Base:
    """Boot an exact base without `quiet`, where it has no diagnosis and its console lacks the kernel's messages."""
    if base.diagnosis is not None or not _is_exact(base.system) or KernelLog.of(base.evidence).complete:
        return base
    loud = _loud(bench, base.system, "base")
    shows = loud is not None and KernelLog.of_console(loud).complete
    return msgspec.structs.replace(base, loud=loud) if shows else base


def _is_exact(system: SystemDescription) -> bool:
    return system.board is None and system.clock.mode == "exact"


def _begin_loud(bench: Bench, system: SystemDescription, label: str) -> Future[Recording] | None:
    loud = loud_system(system)
    return bench.submit(loud, f"{label} (loglevel=7)") if loud != system else None


def _loud(bench: Bench, system: SystemDescription, label: str) -> Recording | None:
    begun = _begin_loud(bench, system, label)
    try:
        made = bench.wait(begun) if begun is not None else None
    except NotRecordedError:
        return None
    if made is not None and made.by_host:
        raise DiagnosisNotMade(
            f"the host ended the boot of {label} with loglevel=7: {made.meta.reason}",
            hint=GO_ON,
        )
    if made is not None and not made.ok:
        bench.decided(f"  {label}: with loglevel=7 it does not reach its goal: {made.meta.reason}")
        return None
    return made
