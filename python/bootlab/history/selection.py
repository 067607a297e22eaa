# SPDX-License-Identifier: MIT
"""What a word on the command line names: a recording, a run, a log, a revision of the history."""

from __future__ import annotations

import contextlib
import glob
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.analysis.sequential_test import FEWEST_BASE_BOOTS
from bootlab.errors import UserError
from bootlab.history.boot_times import PROCESSORS, TOTAL, BootTimes, Side
from bootlab.history.of_log import MOST_BYTES, of_log, of_text
from bootlab.history.of_recording import of_recording
from bootlab.history.of_results import of_results
from bootlab.model.processors import Processors
from bootlab.recordings import recording_dir
from bootlab.recordings.files import RECORDING_FILE
from bootlab.results import file as results_file
from bootlab.results.document import BootSummary
from bootlab.store import runs

if TYPE_CHECKING:
    from bootlab.history.database import Database
    from bootlab.history.entry import HistoryEntry

STANDARD_INPUT = "-"
"""The word for a log, or several texts of `systemd-analyze`, on standard input."""

NEWEST = 30
"""So many of the newest boots stand for a system's history."""

_HINT = (
    "a recording's folder, a run (`last`), a boot log, a folder of logs, a pattern ('logs/run*.txt'), or with the "
    "history: `history`, `rev:COMMIT`   (`bootlab history show` lists what it has)"
)
_LOGS_MOST = 2000
"""No folder that somebody means holds so many logs."""


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """Where words are looked up: the store's folder, the history (None: there is none yet), and whose history."""

    store: Path
    history: Database | None = None
    system: str | None = None
    application: str | None = None
    goal: str | None = None


def side(words: Sequence[str], where: Where) -> Side:
    """Return the boots that words name, one after the other. Raise UserError for a word that names none."""
    # A shell puts run_10 before run_2; which boot came first matters where something drifts.
    ordered = sorted(words, key=_by_number) if list(words) == sorted(words) else words
    boots = tuple(boot for word in ordered for boot in boots_of(word, where))
    return Side(name=_named(words, boots), boots=boots)


def boots_of(word: str, where: Where) -> tuple[BootTimes, ...]:
    """Return the boots that one word names. Raise UserError when it names none."""
    if word == "history" or word.startswith("rev:"):
        return _of_history(word, where)
    return _of_standard_input(where) if word == STANDARD_INPUT else _of_place(word, where)


def _of_place(word: str, where: Where) -> tuple[BootTimes, ...]:
    """Return the boots of a file, a folder, a pattern or a run."""
    path = Path(word)
    with contextlib.suppress(OSError):
        if path.is_dir():
            return _of_folder(path, where)
        if path.is_file() and path.name != runs.RESULTS_FILE:
            return of_results(path) or of_log(path, application=where.application, goal=where.goal)
        if not path.exists() and set("*?[") & set(word):
            return _of_pattern(word, where)
    try:
        found = runs.find(where.store, word)
    except UserError as fault:
        if where.history is not None and where.system is not None:
            with contextlib.suppress(UserError):
                return _of_history(f"rev:{word}", where)
        raise UserError(f"{word[:100]!r} names no boot: {fault.message}", hint=_HINT) from fault
    return (times_of_run(found, where.store),)


def _of_standard_input(where: Where) -> tuple[BootTimes, ...]:
    raw = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise UserError(f"standard input is larger than {MOST_BYTES >> 20} MiB", hint="write it to a file, and cut it")
    boots = of_text(raw, "standard input", application=where.application, goal=where.goal)
    if not boots:
        raise UserError("standard input contains no boot", hint="put it through `bootlab analyze -` to see what it is")
    return boots


def _of_folder(path: Path, where: Where) -> tuple[BootTimes, ...]:
    if (path / RECORDING_FILE).is_file():
        return (of_recording(recording_dir.load(path)),)
    if (path / runs.RESULTS_FILE).is_file():
        return (times_of_run(runs.Run(path.name, path), path.parent.parent),)
    inside = sorted(found.parent for found in path.glob(f"*/{RECORDING_FILE}"))
    if inside:
        return tuple(of_recording(recording_dir.load(folder)) for folder in inside)
    logs = [file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")]
    if not logs:
        raise UserError(f"{path}: neither a recording nor a run nor a folder of recordings or logs", hint=_HINT)
    return _of_logs(logs, where, whole=f"'{path}/*{_commonest_suffix(logs)}'")


def _of_pattern(pattern: str, where: Where) -> tuple[BootTimes, ...]:
    logs = [Path(name) for name in glob.glob(pattern) if Path(name).is_file()]  # noqa: PTH207 - may be absolute
    if not logs:
        raise UserError(f"{pattern}: no file has such a name", hint=_HINT)
    return _of_logs(logs, where)


def _of_logs(logs: Sequence[Path], where: Where, *, whole: str = "") -> tuple[BootTimes, ...]:
    """Return the boots of several logs, run_2 before run_10. Each must hold one: none is left out in silence."""
    if len(logs) > _LOGS_MOST:
        raise UserError(f"{logs[0].parent}: a series of logs cannot have {len(logs)} files", hint=_HINT)
    found: list[BootTimes] = []
    for log in sorted(logs, key=lambda file: _by_number(str(file))):
        try:
            found += of_log(log, application=where.application, goal=where.goal)
        except UserError as fault:
            if not whole:
                raise
            raise UserError(fault.message, hint=f"name only the logs, in quotes: {whole}") from fault
    return tuple(found)


def _commonest_suffix(files: Sequence[Path]) -> str:
    return Counter(file.suffix for file in files).most_common(1)[0][0]


def _by_number(name: str) -> list[tuple[int, str]]:
    """Order names as people count: run_2 before run_10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]{1,18})", name)]


def times_of_run(run: runs.Run, store: Path) -> BootTimes:
    """Return the times of a run: of its stacked boot, where there is one. Raise UserError."""
    results = results_file.load(run.results)
    summary = results.final or results.base
    recording = store / "boots" / summary.key
    if summary.key and (recording / RECORDING_FILE).is_file():
        times = of_recording(recording_dir.load(recording))
    else:
        times = _of_summary(summary, exact=summary.clock == "virtual")
        times = msgspec.structs.replace(times, facts=times.facts | _processors(results.processors))
    return msgspec.structs.replace(times, at=times.at or results.finished or results.started)


def _processors(processors: Processors) -> dict[str, str]:
    return {PROCESSORS: processors.text} if processors.text else {}


def _of_summary(summary: BootSummary, *, exact: bool) -> BootTimes:
    stages = summary.timeline.stages if summary.timeline is not None else ()
    values = {stage.name: stage.duration_ns for stage in stages}
    missing = {}
    if summary.goal_ns is not None and summary.outcome.exit_code == 0:
        values[TOTAL] = summary.goal_ns
    else:
        missing[TOTAL] = "the goal's time is not known"
    return BootTimes(
        key=summary.key,
        outcome=summary.outcome,
        clock=summary.clock,
        exact=exact,
        values=values,
        not_measured=missing,
        insns=summary.goal_insns,
        facts={"cmdline": summary.cmdline} if summary.cmdline else {},
    )


def _of_history(word: str, where: Where) -> tuple[BootTimes, ...]:
    if where.history is None:
        raise UserError(f"{word}: there is no history yet", hint="bootlab history add last --system NAME")
    system = where.system or _only_system(where.history)
    if word == "history":
        entries = _of_one_level(where.history.entries(system=system, newest=NEWEST))
    else:
        wanted = word.removeprefix("rev:")
        known = where.history.revisions(system)
        hits = [name for name in known if name == wanted] or [name for name in known if name.startswith(wanted)]
        if len(hits) != 1:
            listed = ", ".join((hits or known)[-5:]) or "none"
            what = "is not a revision" if not hits else "is not one revision but several"
            raise UserError(f"{wanted[:100]!r} {what} of {system} in the history", hint=f"the newest: {listed}")
        entries = where.history.entries(system=system, revision=hits[0])
    if not entries:
        raise UserError(f"the history has no boot of {system}", hint="bootlab history add last --system NAME")
    return tuple(entry.times for entry in entries)


def _of_one_level(entries: list[HistoryEntry]) -> list[HistoryEntry]:
    """Return the boots of the newest revision where they are exact and enough to judge by, else all of them."""
    newest = [e for e in entries if (e.revision, e.variant) == (entries[-1].revision, entries[-1].variant)]
    here = Side(name="", boots=tuple(e.times for e in newest))
    return newest if here.exact and len(here.distinct_ns(TOTAL)) >= FEWEST_BASE_BOOTS else entries


def _only_system(history: Database) -> str:
    systems = [name for name, _ in history.systems()]
    if len(systems) == 1:
        return systems[0]
    listed = ", ".join(systems[:10]) or "none yet"
    raise UserError("the history has several systems, or none: which one?", hint=f"--system NAME; there are: {listed}")


def _named(words: Sequence[str], boots: Sequence[BootTimes]) -> str:
    """Name a side: its words, of recordings their system, of many logs their folder and how many they are."""
    systems = {boot.facts.get("system", "") for boot in boots if boot.path and Path(boot.path).name == boot.key}
    if len(systems) == 1 and all(Path(word).is_dir() for word in words) and (name := systems.pop()):
        return f"{name} ({f'{len(boots)} boots' if len(boots) > 1 else f'boot {boots[0].key[:8]}'})"
    if len(words) <= 2:
        return " ".join("standard input" if word == STANDARD_INPUT else _short(word) for word in words)
    folders = {Path(word).absolute().parent for word in words}
    if len(folders) == 1 and all(Path(word).is_file() for word in words):
        return f"{folders.pop().name} ({len(words)} logs)"
    return f"{_short(words[0])} and {len(words) - 1} more"


def _short(word: str) -> str:
    path = Path(word)
    return path.name if path.exists() and path.name else word
