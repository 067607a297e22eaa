# SPDX-License-Identifier: MIT
"""The goal of a boot whose console is analysed, where its recording knows it: no bound of the log stands for it."""

from __future__ import annotations

import msgspec

from bootlab.model import figures
from bootlab.model.recording import Recording


class RecordedGoal(msgspec.Struct, frozen=True, kw_only=True):
    """When the goal came on the recording's clock, nanoseconds from power-on; `text`: the line that completed it.

    `on_axis_ns`: the same on the axis of the analysis, which begins with the first line; None where that is another
    clock. `shown_once`: the console shows the line only once, so that its text finds the goal in it. `unsure_ns`: how
    far the time is unsure, which its digits follow.
    """

    ns: int
    clock: str
    text: str = ""
    on_axis_ns: int | None = None
    shown_once: bool = False
    unsure_ns: int | None = None

    @property
    def sentence(self) -> str:
        """Say it in one sentence."""
        return f"The goal came after {self._after}, as the boot was recorded."

    @property
    def sought(self) -> str | None:
        """The text by which a reader of the console finds the goal; None where it would find another line."""
        return self.text if self.shown_once and self.text else None

    @property
    def evidence(self) -> str:
        """Say which line shows it, and when it came from power-on."""
        return f"{self.text} (recorded: {self._after} from power-on)"

    @property
    def words(self) -> tuple[str, str, str, str, int | None, str]:
        """Say all of it to who makes a page: sentence, figure, what that is, time on the axis, evidence."""
        figure = figures.grouped_ms(self.ns, self.unsure_ns)
        what = f"power-on to goal, {self.clock} clock, as recorded"
        at = figures.grouped_ms(self.on_axis_ns, self.unsure_ns)
        return self.sentence, figure, what, at, self.on_axis_ns, self.evidence

    @property
    def _after(self) -> str:
        return f"{figures.ms(self.ns, self.unsure_ns)} ms on the {self.clock} clock"


def goal_of(recording: Recording, first_line_ns: int | None = None) -> RecordedGoal | None:
    """Return the goal of a recording; None where it was not reached, or its time is not known.

    `first_line_ns`: the stamp with which the axis of its console's analysis begins; None: it has another clock.
    """
    meta = recording.meta
    if not recording.ok or meta.goal_ns is None:
        return None
    begun = [line for line in recording.lines if line.first_ns is not None and line.first_ns <= meta.goal_ns]
    text = begun[-1].text if begun else ""
    return RecordedGoal(
        ns=meta.goal_ns,
        clock=meta.goal_clock,
        text=text,
        on_axis_ns=None if first_line_ns is None else meta.goal_ns - first_line_ns,
        shown_once=bool(text) and sum(text in line.text for line in recording.lines) == 1,
        unsure_ns=meta.unsure_ns,
    )
