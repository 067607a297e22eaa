# SPDX-License-Identifier: MIT
"""The console of a recording as a log: with the stamps of the machine's clock, and with the goal that it reached."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from bootlab.logs import Analysis
    from bootlab.model.recording import Recording
    from bootlab.views.log.recorded_goal import RecordedGoal


def analyze_recording(
    recording: Recording,
    *,
    name: str,
    application: str | None = None,
    goal: str | None = None,
    baud: int | None = None,
    keep_lines: bool = False,
) -> tuple[Analysis, RecordedGoal | None]:
    """Read the console of a recording that lies in a folder; return also its goal, None where it is not known.

    A `goal` that the user names stands for another event than the one that was recorded.
    """
    from bootlab.logs import analysis as logs
    from bootlab.recordings import recording_dir
    from bootlab.views.log.recorded_goal import goal_of

    stamps = recording_dir.line_stamps(Path(recording.path), recording.console) if recording.path else None
    known = goal_of(recording, stamps[0] if stamps else None) if goal is None else None
    found = logs.analyze(
        recording.console,
        name=name,
        application=application,
        goal=known.sought if known is not None else goal,
        baud=baud,
        keep_lines=keep_lines,
        stamps_ns=stamps,
        emulated=recording.meta.mode == "exact",
    )
    if known is not None and len(found.boots) > 1:
        # Each boot of a console has an axis of its own.
        known = msgspec.structs.replace(known, on_axis_ns=None)
    return found, known
