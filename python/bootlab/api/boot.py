"""One boot as an object: how it ended, when, and what its recording holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.api.results import Results
    from bootlab.model.recording import Diagnosis, GoalClock, Line, Mark, Outcome, Recording
    from bootlab.model.timeline import Stage


class Boot:
    """One boot: its recording, and a diagnosis where one was asked for."""

    def __init__(self, recording: Recording, diagnosis: Diagnosis | None, results: Results) -> None:
        """Join what one boot left."""
        self.recording = recording
        self.diagnosis = diagnosis
        self.results = results

    def __repr__(self) -> str:
        """Say how it ended and when."""
        goal = f" {self.goal_ms:.3f} ms on the {self.clock} clock" if self.goal_ms is not None else ""
        return f"<bootlab.Boot {self.outcome.value}{goal}>"

    @property
    def ok(self) -> bool:
        """Tell whether the goal was reached and the functional check passed."""
        return self.recording.ok

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

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The events that were seen, in order of time."""
        return self.recording.marks

    @property
    def lines(self) -> tuple[Line, ...]:
        """The console, each line with its times."""
        return self.recording.lines
