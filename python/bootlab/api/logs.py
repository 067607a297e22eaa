# SPDX-License-Identifier: MIT
"""Logs and traces of any kind: read, compared, and turned into what can be tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bootlab.errors import BootlabError, UserError
from bootlab.recordings.files import CONSOLE_FILE, RECORDING_FILE

if TYPE_CHECKING:
    from bootlab.advice.application import Advice
    from bootlab.logs import Analysis
    from bootlab.logs.application import ApplicationProfile
    from bootlab.logs.compared import LogComparison
    from bootlab.model.recording import Recording
    from bootlab.views.log.recorded_goal import RecordedGoal

_ADVISED = 5


class Input(NamedTuple):
    """What one name gave. `goal`: of its last boot, where it is a recording that knows it."""

    analysis: Analysis
    goal: RecordedGoal | None = None


def read(
    name: str,
    *,
    application: str | None = None,
    goal: str | None = None,
    baud: int | None = None,
    keep_lines: bool = False,
    export: bool = False,
    noted: Callable[[str], None] = lambda _: None,
) -> Input:
    """Read a log, a trace, or `-`: standard input. A recording, or its console, has the machine's stamps and its goal.

    `application`, `goal`: texts that mark the start of the application and first use. `keep_lines`: also what programs
    print. `export`: also what traces of it are written from. `noted` hears what a reader should know. Raise UserError.
    """
    from bootlab.logs import analysis

    folder = _recording(name)
    recording = _trusted(folder, name, noted) if folder is not None else None
    if recording is not None:
        from bootlab.api.recorded_log import analyze_recording

        return Input(
            *analyze_recording(
                recording, name=name, application=application, goal=goal, baud=baud, keep_lines=keep_lines
            )
        )
    return Input(
        analysis.analyze(name, application=application, goal=goal, baud=baud, keep_lines=keep_lines, export=export)
    )


def _recording(name: str) -> Path | None:
    """Return the folder of a recording that was named: by itself, by its description or by its console."""
    path = Path(name)
    if path.name in {RECORDING_FILE, CONSOLE_FILE} and (path.parent / RECORDING_FILE).is_file() and path.is_file():
        return path.parent
    return path if (path / RECORDING_FILE).is_file() else None


def _trusted(folder: Path, name: str, noted: Callable[[str], None]) -> Recording | None:
    """Read a recording; None where only its console was named, and what describes it cannot be trusted."""
    from bootlab.recordings import recording_dir

    try:
        return recording_dir.load(folder)
    except BootlabError as fault:
        if Path(name).name != CONSOLE_FILE:
            raise
        noted(f"{name} is read as any log: {fault.message}")
        return None


def holds_a_boot(analyses: Iterable[Analysis]) -> bool:
    """Tell whether any of them holds what is read; what is recognized as no boot does not count."""
    from bootlab.logs.boot import NotABoot

    return any(not isinstance(part, NotABoot) for analysis in analyses for part in analysis.document.parts)


def compare(
    groups: Sequence[Sequence[Analysis]],
    *,
    budgets: Sequence[str] = (),
    threshold_ns: int,
    threshold_percent: float,
    thresholds: Sequence[str] = (),
) -> list[LogComparison]:
    """Compare each group with the first; budgets alone are judged on all. Empty where nothing can be compared."""
    if len(groups) == 1 and not budgets:
        return []
    from bootlab.logs import comparison

    base, others = (groups[0], groups[1:]) if len(groups) > 1 else ([], groups)
    made = [
        comparison.compare(
            base,
            group,
            budgets=budgets,
            threshold_ns=threshold_ns,
            threshold_percent=threshold_percent,
            thresholds=thresholds,
        )
        for group in others
    ]
    # A log and a trace have nothing to compare.
    return made if not base or budgets or any(one.common for one in made) else []


def system_skeleton(analysis: Analysis, file_name: str, *, boot: int | None = None) -> str:
    """Return the skeleton of a system file for the system of one boot, with the ways to try what the log advises."""
    from bootlab.logs import log_facts
    from bootlab.systemfile.skeleton import skeleton
    from bootlab.techniques.remedies import remedy

    facts = log_facts.of_analysis(analysis, boot)
    costs = [cost for cost in facts.boot.costs if cost.gain_ns != 0 and remedy(cost.kind).techniques]
    return skeleton(facts, [(remedy(cost.kind).way(file_name), cost.title) for cost in costs[:_ADVISED]])


def application(log: Path, goal: str | None = None) -> tuple[Analysis, ApplicationProfile]:
    """Return what an application does up to its goal, from a log of its system calls. Raise UserError."""
    from bootlab import logs
    from bootlab.logs.application import ApplicationProfile

    analysis = logs.analyze(log, goal=goal)
    part = next((part for part in analysis.document.parts if isinstance(part, ApplicationProfile)), None)
    if part is None:
        raise UserError(
            f"{log} is not a log of system calls (recognized as: {analysis.document.detected})",
            hint="make one: strace -f -tt -T -o app.strace PROGRAM   (`bootlab analyze` reads everything else)",
        )
    if goal is not None and part.goal is None:
        raise UserError(f"{log}: no line contains {goal!r}", hint="give a text that is in the log, or omit --goal")
    return analysis, part


def advise(profile: ApplicationProfile) -> Sequence[Advice]:
    """Return what can be done about an application's start."""
    from bootlab.advice.application import advise as advice_of

    return advice_of(profile)
