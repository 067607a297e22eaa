# SPDX-License-Identifier: MIT
"""What the page of a run is given: its document's own fields, under their names, and what is said of them besides.

Every text is made visible, every list is cut. The page's scripts read these names; change both together.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from bootlab.analysis.parts import own_saving
from bootlab.model import figures
from bootlab.model.change_text import Word, change_text, changed_cmdline, cmdline_diff
from bootlab.model.comparison import Comparison
from bootlab.model.recording import Line, Recording
from bootlab.model.timeline import Span
from bootlab.model.verdict import Trial, Verdict
from bootlab.results.document import BootSummary, FinalSystem, RunDocument
from bootlab.techniques.base import Risk
from bootlab.views.page_model import LaneData, TableData
from bootlab.views.page_parts import lane
from bootlab.views.run import floor, on_board, side_tables, tables
from bootlab.views.run.headline import changes_stacked, modelled_lines
from bootlab.views.run.tables import RISK_FLAGS
from bootlab.views.shown_text import visible
from bootlab.views.table.cells import listing
from bootlab.views.timeline.tracks import beside_stages

LINES_LIMIT = 5000
"""Console lines of one boot that the page carries."""
SPANS_LIMIT = 5000
"""Spans of one lane that the page carries: the longest ones."""
TEXT_LIMIT = 2000
RUN = ("kind", "id", "system_name", "started", "finished", "mode", "shift", "emulator_version", "bootlab_version",
       "goal", "notes", "modelled", "reproduce")  # fmt: skip
BOOT = ("outcome", "reason", "goal_ns", "clock", "marks", "cmdline", "console_bytes", "recording_path", "lacks",
        "notes")  # fmt: skip
STAGE = ("name", "start_ns", "duration_ns")
TRIAL = ("verdict", "outcome", "base_insns", "goal_insns", "effect", "reason", "stages", "key", "base_key",
         "samples_ns", "base_samples_ns", "p_value", "spread", "base_spread", "error_rate", "interval_ns")  # fmt: skip


def page_data(results: RunDocument, recordings: Mapping[str, Recording]) -> dict[str, Any]:
    """Collect everything the page shows. `recordings` by key give the console logs; those missing are not shown."""
    return _fields(results, RUN) | {
        "comparable": results.comparable,
        "processors": results.processors.text,
        "answer": _answer(results),
        "base": _boot(results.base, recordings),
        "final": _boot(results.final, recordings) if results.final else None,
        "forecast": _forecast(results),
        "tables": _tables(results),
        "trials": [_trial(t, results) for t in results.trials_by_saved()],
        "faster": _system(results, results.stack.system) if results.stack else None,
        "risks": {_show(t.id): _risk(t.risk) for t in results.techniques},
        "not_modelled": _shown(results.not_modelled) if results.mode == "exact" else [],
    }


def _tables(results: RunDocument) -> dict[str, TableData]:
    """Return every table of the page by the name of its rows' group."""
    made: dict[str, TableData] = {}
    # Of a search every experiment is shown, also what was not booted, with the reason.
    found = tables.comparison(results)
    if found is not None:
        made = {str(table.group): listing(found, table).on_page() for table in found.tables}
        if ends := tables.between_ends(found, results):
            steps = next(table for table in found.tables if table.group == "step")
            whole = msgspec.structs.replace(steps, group=None)
            made["step"] = listing(msgspec.structs.replace(found, rows=ends), whole).on_page()
    made_of = {
        "stages": side_tables.stages,
        "loads": side_tables.loads,
        "forecast": side_tables.forecast,
        "modelled": side_tables.modelled,
    }
    others: dict[str, Comparison | None] = {name: table(results) for name, table in made_of.items()}
    if results.techniques:
        others["techniques"] = side_tables.techniques(results)
    return made | {name: listing(one, one.tables[0]).on_page() for name, one in others.items() if one is not None}


def _forecast(results: RunDocument) -> dict[str, Any] | None:
    """Return the parts of each stage on a board: what is sure of each, and after them what is not. Nanoseconds."""
    costing = results.costing
    if costing is None:
        return None
    stages = []
    for stage in (*costing.stages, costing.whole):
        parts = {"computed": stage.computed_ns.low, "waited": stage.waited_ns}
        parts |= {"printed": stage.printed_ns.low, "loaded": max(0.0, stage.loaded_ns.low)}
        unsure = stage.forecast_ns.high - stage.forecast_ns.low
        bars = [[name, round(ns)] for name, ns in (*parts.items(), ("unsure", unsure)) if ns > 0]
        stages.append({"name": _show(stage.name), "parts": bars, "low": round(stage.forecast_ns.low)})
        stages[-1]["high"] = round(stage.forecast_ns.high)
    said = f"{costing.title} at {costing.ghz.text()} GHz. How wide: {costing.seen.text(costing.core)}."
    return {"stages": stages, "said": _show(said)}


def _answer(results: RunDocument) -> dict[str, Any]:
    """Return what the page says first: `3.3 times as fast`, the percentage, and what is modelled beside it."""
    # Of a change that only comes sooner to a wait the goal's time is no gain.
    sure = (t for t in results.trials_by_saved() if t.verdict is Verdict.FASTER and not t.before_wait)
    best = next(sure, None)
    before, after = results.base.middle_ns, results.final.middle_ns if results.final else None
    if results.final is None and best is not None:
        before, after = best.base_ns, best.goal_ns
    times, percent = figures.times_and_percentage(before, after)
    return {
        "times": times,
        "percent": percent,
        "changes": changes_stacked(results),
        "modelled": _shown(text for text in (on_board.answer(results), *modelled_lines(results)) if text),
        "by_board": results.costs is not None,
        "floor": _show(floor.said(results)),
    }


def _boot(boot: BootSummary, recordings: Mapping[str, Recording]) -> dict[str, Any]:
    line = boot.timeline
    recording = recordings.get(boot.key)
    diagnostic = line.diagnostic if line else ()
    return _fields(boot, BOOT) | {
        "failed": boot.outcome.exit_code != 0,
        "hint": boot.outcome.hint,
        "middle_ns": boot.middle_ns if boot.goal_ns is not None else None,
        "places": figures.places(boot.unsure_ns),
        "stages": [_fields(s, STAGE) | {"insns": boot.stage_insns(s)} for s in boot.stages],
        "lanes": _lanes(beside_stages(line) if line else ()),
        "diagnostic": [
            {"clock": _show(clock), "lanes": _lanes(s for s in diagnostic if s.clock == clock)}
            for clock in dict.fromkeys(s.clock for s in diagnostic)
        ],
        "missing": _shown(line.missing) if line else [],
        "command": _show(shlex.join(boot.command)),
        "artefacts": [[_show(k), v] for k, v in sorted(boot.artefact_bytes.items())],
        "console": _console(recording.lines) if recording else None,
    }


def _console(lines: tuple[Line, ...]) -> dict[str, Any]:
    return {
        "total": len(lines),
        "lines": [[line.number, line.first_ns, visible(line.text)] for line in lines[:LINES_LIMIT]],
    }


def _lanes(spans: Iterable[Span]) -> list[LaneData]:
    by_lane: dict[str, list[tuple[str, int, int, str]]] = {}
    for span in spans:
        by_lane.setdefault(span.lane, []).append((span.name, span.start_ns, span.duration_ns, span.detail))
    return [lane(name, members, most=SPANS_LIMIT, limit=TEXT_LIMIT) for name, members in by_lane.items()]


def _trial(trial: Trial, results: RunDocument) -> dict[str, Any]:
    after = changed_cmdline(results.base.cmdline, trial.change)
    base_sizes = results.base.artefact_bytes
    return _fields(trial, TRIAL) | {
        "id": _show(trial.change.id),
        "what": _show(change_text(trial.change)),
        "failed": bool(trial.outcome and trial.outcome.exit_code),
        "hint": trial.outcome.hint if trial.outcome else "",
        "places": figures.places(results.unsure_ns(trial)),
        "own": _show(own_saving(trial)),
        "cmdline": [] if after is None else _words(cmdline_diff(results.base.cmdline, after)),
        "sizes": [
            ["console", trial.base_console_bytes, trial.console_bytes],
            *([_show(k), base_sizes.get(k), v] for k, v in sorted(trial.artefact_bytes.items())),
        ]
        if trial.key
        else [],
        "risk": _risk(results.risk_of(trial.change.technique)),
    }


def _system(results: RunDocument, system: FinalSystem) -> dict[str, Any]:
    # Both boots had what the target adds; it is no part of what is handed over.
    diff = cmdline_diff(results.base.cmdline, " ".join((system.cmdline, *system.booted_with)))
    return _fields(system, ("artefacts", "system_path")) | {
        "cmdline": _show(system.cmdline, 8192),
        "difference": _words(word for word in diff if word.text not in system.booted_with),
        "machine": _show(shlex.join(system.machine)),
        "base_machine": _show(shlex.join(system.base_machine)),
    }


def _words(words: Iterable[Word]) -> list[list[str]]:
    return [[_show(w.text), w.fate] for w in words]


def _risk(risk: Risk) -> dict[str, str]:
    return {flag: _show(getattr(risk, kind)) for kind, flag in RISK_FLAGS.items()}


def _show(text: str, limit: int = TEXT_LIMIT) -> str:
    return visible(text, limit)


def _shown(texts: Iterable[str]) -> list[str]:
    return [_show(text) for text in texts]


def _fields(value: msgspec.Struct, names: Iterable[str]) -> dict[str, Any]:
    """Return fields of a document as the scripts read them: under their own names, every text made visible."""
    return {name: _visible(msgspec.to_builtins(getattr(value, name))) for name in names}


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return _show(value)
    if isinstance(value, dict):
        return {_show(key): _visible(inner) for key, inner in value.items()}
    return [_visible(inner) for inner in value] if isinstance(value, list | tuple) else value
