# SPDX-License-Identifier: MIT
"""Writes an optimisation as it goes on: its plan first, each step as it comes, the waterfall at the end."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.model.plan import Plan
from bootlab.model.system import SystemDescription
from bootlab.results import assemble
from bootlab.results.document import ApplicabilityData
from bootlab.results.journal import CampaignJournal
from bootlab.store import runs
from bootlab.techniques.base import Answer

if TYPE_CHECKING:
    from bootlab.experiments.base import Base
    from bootlab.experiments.optimize.optimized import Optimized
    from bootlab.experiments.optimize.shrinking import Shrinking
    from bootlab.experiments.trials import Applicability as Said
    from bootlab.store.handover import HandedOver
    from bootlab.techniques.base import Technique


class OptimizeJournal(CampaignJournal):
    """The run of one plan for one system. An interrupted one goes on in the same folder."""

    def __init__(
        self,
        store: Path,
        system: SystemDescription,
        plan: Plan,
        said: tuple[Said, ...],
        chosen: tuple[Technique, ...],
        *,
        reproduce: str,
    ) -> None:
        """Begin, or go on."""
        digest = hashlib.sha256(msgspec.json.encode((_deciding(plan), system), enc_hook=str)).hexdigest()[:32]
        run, self._mine = runs.resumed(store, "optimize", system.name, digest)
        super().__init__(store, system, "optimize", chosen, reproduce=reproduce, run=run)
        self._plan = plan
        self._said = assemble.applicability(said, chosen)
        self._round = ""

    def base(self, base: Base) -> None:
        """Begin the document."""
        super().base(base)
        if self._plan.note:
            self._notes = (*self._notes, self._plan.note)
        self._save(msgspec.structs.replace(self.results, plan=self._plan, techniques=self._said))

    def round(self, name: str, before_ns: int) -> None:
        """Note where the search is."""
        self._round = f"{name}, from {before_ns / 1e6:.3f} ms"
        self._save(msgspec.structs.replace(self.results, notes=(*self._notes, f"unfinished: {self._round}")))

    def optimized(self, found: Optimized, faster: HandedOver) -> None:
        """Add everything that was found. The run is ended by `finish`, when its reports are there too."""
        self.stacked(found.stacked, found.diagnosis, faster)
        shrunk = found.shrinking
        self._save(
            msgspec.structs.replace(
                self.results,
                waterfall=found.waterfall,
                floor=found.floor,
                notes=(
                    *self.results.notes,
                    *_given_back(found),
                    *found.unchecked,
                    *([found.no_floor] if found.no_floor and not found.ended else []),
                    *assemble.ended_notes(found.ended, found.stacked),
                ),
                options_dropped=shrunk.dropped if shrunk is not None else (),
                options_kept=shrunk.kept if shrunk is not None else {},
                options_needed=shrunk.needed if shrunk is not None else {},
                parts_kept=found.parts_kept,
                questions=found.questions,
                contrasts=found.contrasts,
                techniques=(*self.results.techniques, *_left_out_together(shrunk)),
            )
        )

    def finish(self) -> None:
        """End the run: the same command then makes a new one."""
        runs.finish(self.run)
        self.leave()

    def leave(self) -> None:
        """Let another command go on with the run, finished or not."""
        if self._mine is not None:
            self._mine.release()
            self._mine = None


def _left_out_together(shrunk: Shrinking | None) -> tuple[ApplicabilityData, ...]:
    """Return the options that were left out together as a technique: the report tells what it costs and risks."""
    if shrunk is None or shrunk.change is None:
        return ()
    own, reason = shrunk.technique, f"{len(shrunk.dropped)} options can go together"
    return (
        ApplicabilityData(id=own.id, title=own.title, answer=Answer.YES, reason=reason, risk=own.risk, stage=own.stage),
    )


def _given_back(found: Optimized) -> list[str]:
    return [f"{name} was given back: {reason}" for name, reason in found.back.items()]


def _deciding(plan: Plan) -> Plan:
    """Return what of a plan decides the result: not how long this machine takes."""
    return msgspec.structs.replace(plan, boot_wall_s=0.0, build_wall_s=0.0, jobs=1, note="")
