# SPDX-License-Identifier: MIT
"""bootlab's own checks of a result against its base: log, units, programs, network, clock, power-off.

They rest on the diagnostic boot of both, and on a boot of both that the agent ends by switching the machine off. What
changes cost that the user let in is excused: it is what a system with these changes alone loses, too.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from bootlab.collectors.diagnosis import diagnose, diagnostic_system, power_off_system
from bootlab.collectors.system_state import SystemState, compared, on, state_of
from bootlab.errors import BootlabError
from bootlab.experiments.base import Base, diagnosis_of
from bootlab.experiments.bench import Bench, Stopped
from bootlab.experiments.trial import EndedByHost
from bootlab.model.change import Change, apply_all
from bootlab.model.contrast import FAULT, Contrast
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription

NOT_CHECKED = "the result was not checked against the base (log, units, network, clock, power-off)"
_NO_DIAGNOSIS = "there is no diagnostic boot of both"
_LATER = frozenset({"unit", "program", "network"})
"""What may only be late: a faster system is looked at earlier."""


class Sanity:
    """The base's state, and what other systems lose against it."""

    def __init__(self, bench: Bench, base: Base, costs: Callable[[Change], bool]) -> None:
        """`costs`: tells whether the catalogue says that a change costs security, function or run time."""
        self._bench, self._base, self._costs = bench, base, costs
        self._before = state_of(base.diagnosis) if base.diagnosis is not None else None
        self._off: str | None = None
        self._excuses: dict[tuple[Change, ...], frozenset[tuple[str, str]]] = {}
        self.unchecked: list[str] = []

    def contrasts(
        self, system: SystemDescription, recording: Recording, label: str, changes: tuple[Change, ...]
    ) -> tuple[Contrast, ...]:
        """Return what tells a system from the base. `changes`: those that the result has, of which some may cost."""
        found = self._found(system, recording, label)
        if not any(one.refused for one in found):
            return found
        excused = self._excused(changes)
        leave = "comes with changes that were let in"
        return tuple(
            msgspec.structs.replace(one, leave=leave)
            if one.kind != FAULT and (one.kind, one.subject) in excused
            else one
            for one in found
        )

    def _found(self, system: SystemDescription, recording: Recording, label: str) -> tuple[Contrast, ...]:
        if self._before is None or (diagnosis := diagnosis_of(self._bench, system, recording, label)) is None:
            self._say(f"{NOT_CHECKED}: {_NO_DIAGNOSIS}")
            return ()
        after = state_of(diagnosis)
        if after.protections is None:
            self._say("the result keeps no kernel log: what it says of its protections, and new errors, are not known")
        started = _started(system)
        found = compared(self._before, after, started=started)
        if any(one.kind in _LATER for one in found) and (later := self._later(system, recording, label)) is not None:
            found = compared(self._before, on((after, later)), started=started)
        return (*found, *self._power_off(system, recording, label))

    def _later(self, system: SystemDescription, recording: Recording, label: str) -> SystemState | None:
        """Look at a system as late as the base was looked at; None where that is no later."""
        meta = self._base.recording.meta
        if (recording.meta.goal_ns or 0) >= (meta.goal_ns or 0):
            return None
        instrumented = diagnostic_system(system, self._base.recording)
        if instrumented is None:
            return None
        made = self._bench.boot(instrumented, f"{label} (as late as the base)", purpose="diagnostic")
        if made.by_host:
            raise EndedByHost(
                f"the host ended a boot of {label}: {made.meta.reason}", hint="run the same command again"
            )
        return state_of(diagnose(made)) if made.ok else None

    def _power_off(self, system: SystemDescription, recording: Recording, label: str) -> tuple[Contrast, ...]:
        if self._off is None:
            self._off = self._why_on(self._base.system, self._base.recording, "base")
            if self._off:
                self._say(f"power-off is not checked: in the base {self._off}")
        why = self._why_on(system, recording, label) if not self._off else ""
        return (Contrast(kind="power-off", subject="by the kernel", before="works", after=why),) if why else ()

    def _why_on(self, system: SystemDescription, recording: Recording, label: str) -> str:
        """Say why a machine does not go off when the agent asks the kernel, or ""."""
        asked = power_off_system(system, recording) if system.board is None else None
        if asked is None:
            return "bootlab packs no root tree that could hold its agent"
        try:
            made = self._bench.boot(asked, f"{label} (power-off)", purpose="check")
        except Stopped:
            raise
        except BootlabError as fault:
            # A replay holds no such boot.
            return fault.message
        if made.by_host:
            raise EndedByHost(
                f"the host ended the power-off of {label}: {made.meta.reason}", hint="run the same command again"
            )
        return "" if made.ok else f"it stays on ({made.meta.outcome.value}: {made.meta.reason})"

    def _excused(self, changes: tuple[Change, ...]) -> frozenset[tuple[str, str]]:
        """Return what a system with only those changes loses that cost something: the user let them in."""
        costing = tuple(change for change in changes if self._costs(change))
        if any(self._builds(change) for change in costing):
            # The result's own kernel is there; one with only these options would be another build.
            costing = tuple(change for change in changes if change in costing or self._builds(change))
        if not costing:
            return frozenset()
        if costing not in self._excuses:
            self._excuses[costing] = self._lost_by(costing)
        return self._excuses[costing]

    def _lost_by(self, changes: tuple[Change, ...]) -> frozenset[tuple[str, str]]:
        label = f"base with the {len(changes)} changes that cost something"
        system = apply_all(self._base.system, changes)
        recording = self._bench.boot(system, label)
        if not recording.ok:
            self._say(f"{label}: {recording.meta.outcome.value}; nothing is excused by them")
            return frozenset()
        return frozenset((one.kind, one.subject) for one in self._found(system, recording, label))

    def _builds(self, change: Change) -> bool:
        return change.apply(self._base.system).kernel.build != self._base.system.kernel.build

    def _say(self, sentence: str) -> None:
        if sentence not in self.unchecked:
            self.unchecked.append(sentence)


def why_refused(found: tuple[Contrast, ...]) -> str:
    """Say what of these no result may have, or ""."""
    refused = [one.sentence for one in found if one.refused]
    more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
    return f"{refused[0]}{more}" if refused else ""


def _started(system: SystemDescription) -> int | None:
    """Return the date at which the machine's clock starts; None where it is the host's."""
    if system.clock.mode != "exact":
        return None
    try:
        return int(datetime.fromisoformat(system.clock.rtc_base).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return None
