# SPDX-License-Identifier: MIT
"""One boot as an object: how it ended, when, and what its recording holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootlab.api import plain_rows
from bootlab.errors import UserError
from bootlab.model import figures

if TYPE_CHECKING:
    from bootlab.api.results import Results
    from bootlab.model.recording import Diagnosis, GoalClock, Line, Mark, Outcome, Recording
    from bootlab.model.system import SystemDescription
    from bootlab.model.timeline import Stage


class Boot:
    """One boot: its recording, and a diagnosis where one was asked for."""

    def __init__(
        self, recording: Recording, diagnosis: Diagnosis | None, results: Results, system: SystemDescription
    ) -> None:
        """Join what one boot of a system left."""
        self.recording = recording
        self.diagnosis = diagnosis
        self.results = results
        self._system = system

    def __repr__(self) -> str:
        """Say how it ended and when."""
        meta = self.recording.meta
        when = f"{figures.ms(meta.goal_ns, meta.unsure_ns)} ms on the {self.clock} clock"
        goal = f" {when}" if meta.goal_ns is not None else ""
        return f"<bootlab.Boot {self.outcome.value}{goal}>"

    @property
    def ok(self) -> bool:
        """Tell whether the goal was reached and the functional check passed."""
        return self.recording.ok

    @property
    def hint(self) -> str:
        """What to try next where the goal was not reached or the check did not pass; empty where both went well."""
        from bootlab.hints.failure import hint_for

        return "" if self.ok else hint_for(self.recording, self._system)

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        return self.recording.meta.outcome

    @property
    def clock(self) -> GoalClock:
        """Where the goal's time comes from."""
        return self.recording.meta.goal_clock

    @property
    def goal_ns(self) -> int | None:
        """Power-on to goal in nanoseconds; None when it was never seen."""
        return self.recording.meta.goal_ns

    @property
    def goal_ms(self) -> float | None:
        """Power-on to goal in milliseconds; None when it was never seen."""
        return None if self.goal_ns is None else self.goal_ns / 1e6

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The intervals between the events that were seen."""
        return self.results.base.stages

    def stage(self, name: str) -> Stage:
        """Return a stage by its name. Raise UserError, with the names that there are, for one that was not seen."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        known = ", ".join(stage.name for stage in self.stages) or "none"
        raise UserError(f"this boot has no stage {name!r}", hint=f"stages that were seen: {known}")

    @property
    def total(self) -> Stage | None:
        """The whole, from power-on to goal, as one stage; None when the goal was never seen."""
        from bootlab.model.timeline import Stage as Whole

        return None if self.goal_ns is None else Whole("total", 0, self.goal_ns)

    def rows(self) -> list[plain_rows.PlainRow]:
        """Return the stages as plain rows: stage, start_ns, duration_ns, clock. A data frame takes them as they are."""
        return plain_rows.of_stages(self.stages, self.clock)

    def _repr_html_(self) -> str:
        """Show the stages as a table, in a notebook."""
        return plain_rows.as_html(repr(self).strip("<>"), self.rows())

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The events that were seen, in order of time."""
        return self.recording.marks

    @property
    def lines(self) -> tuple[Line, ...]:
        """The console, each line with its times."""
        return self.recording.lines
