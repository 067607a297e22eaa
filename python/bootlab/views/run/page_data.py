"""What the page of a run is given: every text already made visible, every list already cut.

:mod:`bootlab.views.run.page_model` has the types. The page's scripts read these names; change both together.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

import msgspec

from bootlab.analysis.parts import own_saving
from bootlab.model import figures
from bootlab.model.change_text import Word, change_text, changed_cmdline, cmdline_diff
from bootlab.model.comparison import Comparison
from bootlab.model.recording import Line, Recording
from bootlab.model.sample import Spread
from bootlab.model.timeline import Span
from bootlab.model.verdict import Trial, Verdict
from bootlab.results.document import BootSummary, FinalSystem, Results
from bootlab.techniques.base import Risk
from bootlab.views.page_model import LaneData, TableData
from bootlab.views.page_parts import lane
from bootlab.views.run import floor, side_tables, tables
from bootlab.views.run.headline import modelled_lines, stacked
from bootlab.views.run.page_model import AnswerData, BootData, ConsoleData, FasterData, RunData, SpreadData, TrialData
from bootlab.views.run.tables import RISK_FLAGS
from bootlab.views.shown_text import visible
from bootlab.views.table.page import drawn
from bootlab.views.timeline.tracks import beside_stages

LINES_LIMIT = 5000
"""Console lines of one boot that the page carries."""
SPANS_LIMIT = 5000
"""Spans of one lane that the page carries: the longest ones."""
TEXT_LIMIT = 2000


def page_data(results: Results, recordings: Mapping[str, Recording]) -> RunData:
    """Collect everything the page shows. `recordings` by key give the console logs; those missing are not shown."""
    modelled = results.modelled
    return {
        "kind": results.kind,
        "comparable": results.comparable,
        "id": _show(results.id),
        "system": _show(results.system_name),
        "started": _show(results.started),
        "finished": _show(results.finished),
        "mode": results.mode,
        "shift": results.shift,
        "processors": results.processors.text,
        "emulator": _show(results.emulator_version),
        "bootlab": _show(results.bootlab_version),
        "goal": _show(results.goal),
        "answer": _answer(results),
        "base": _boot(results.base, recordings),
        "final": _boot(results.final, recordings) if results.final else None,
        "tables": _tables(results),
        "trials": [_trial(t, results) for t in results.trials_by_saved()],
        "faster": _system(results, results.stack.system) if results.stack else None,
        "risks": {_show(t.id): _risk(t.risk) for t in results.techniques},
        "notes": _shown(results.notes),
        "notModelled": _shown(results.not_modelled) if results.mode == "exact" else [],
        "modelled": None
        if modelled is None
        else {"baud": modelled.baud, "bits": modelled.bits_per_character, "bandwidth": modelled.bandwidth_bytes_per_s},
        "reproduce": _shown(results.reproduce),
    }


def _tables(results: Results) -> dict[str, TableData]:
    """Return every table of the page by the name of its rows' group."""
    made: dict[str, TableData] = {}
    # Of a search every experiment is shown, also what was not booted, with the reason.
    found = tables.comparison(results)
    if found is not None:
        made = {str(table.group): drawn(found, table) for table in found.tables}
        if ends := tables.between_ends(found, results):
            steps = next(table for table in found.tables if table.group == "step")
            whole = msgspec.structs.replace(steps, group=None)
            made["step"] = drawn(msgspec.structs.replace(found, rows=ends), whole)
    made_of = {"stages": side_tables.stages, "loads": side_tables.loads, "modelled": side_tables.modelled}
    others: dict[str, Comparison | None] = {name: table(results) for name, table in made_of.items()}
    if results.techniques:
        others["techniques"] = side_tables.techniques(results)
    return made | {name: drawn(one, one.tables[0]) for name, one in others.items() if one is not None}


def _answer(results: Results) -> AnswerData:
    """Return what the page says first: `3.3 times as fast`, the percentage, and what is modelled beside it."""
    best = next((t for t in results.trials_by_saved() if t.verdict is Verdict.FASTER), None)
    before, after = results.base.middle_ns, results.final.middle_ns if results.final else None
    if results.final is None and best is not None:
        before, after = best.base_ns, best.goal_ns
    times, _, percent = figures.times_as_fast(before, after).partition(", ")
    return {
        "times": times,
        "percent": percent,
        "changes": len(stacked(results)),
        "modelled": _shown(modelled_lines(results)),
        "floor": _show(floor.said(results)),
    }


def _boot(boot: BootSummary, recordings: Mapping[str, Recording]) -> BootData:
    line = boot.timeline
    recording = recordings.get(boot.key)
    diagnostic = line.diagnostic if line else ()
    return {
        "key": _show(boot.key),
        "outcome": boot.outcome.value,
        "failed": boot.outcome.exit_code != 0,
        "reason": _show(boot.reason),
        "hint": boot.outcome.hint,
        "goal": boot.goal_ns,
        "middle": boot.middle_ns if boot.goal_ns is not None else None,
        "spread": _spread(boot.spread),
        "insns": boot.goal_insns,
        "clock": boot.clock,
        "stages": [
            {"name": _show(s.name), "start": s.start_ns, "length": s.duration_ns, "insns": boot.stage_insns(s)}
            for s in boot.stages
        ],
        "marks": [{"name": _show(m.name), "at": m.ns, "insns": m.insns, "source": _show(m.source)} for m in boot.marks],
        "lanes": _lanes(beside_stages(line) if line else ()),
        "diagnostic": [
            {"clock": _show(clock), "lanes": _lanes(s for s in diagnostic if s.clock == clock)}
            for clock in dict.fromkeys(s.clock for s in diagnostic)
        ],
        "missing": _shown(line.missing) if line else [],
        "cmdline": _show(boot.cmdline),
        "command": _show(shlex.join(boot.command)),
        "consoleBytes": boot.console_bytes,
        "artefacts": [[_show(k), v] for k, v in sorted(boot.artefact_bytes.items())],
        "path": _show(boot.recording_path or ""),
        "lacks": _shown(boot.lacks),
        "notes": _shown(boot.notes),
        "samples": list(boot.samples_ns),
        "console": _console(recording.lines) if recording else None,
    }


def _console(lines: tuple[Line, ...]) -> ConsoleData:
    return {
        "total": len(lines),
        "lines": [[line.number, line.first_ns, visible(line.text)] for line in lines[:LINES_LIMIT]],
    }


def _lanes(spans: Iterable[Span]) -> list[LaneData]:
    by_lane: dict[str, list[tuple[str, int, int, str]]] = {}
    for span in spans:
        by_lane.setdefault(span.lane, []).append((span.name, span.start_ns, span.duration_ns, span.detail))
    return [lane(name, members, most=SPANS_LIMIT, limit=TEXT_LIMIT) for name, members in by_lane.items()]


def _trial(trial: Trial, results: Results) -> TrialData:
    after = changed_cmdline(results.base.cmdline, trial.change)
    base_sizes = results.base.artefact_bytes
    return {
        "id": _show(trial.change.id),
        "technique": _show(trial.change.technique),
        "what": _show(change_text(trial.change)),
        "verdict": trial.verdict.value,
        "outcome": trial.outcome.value if trial.outcome else None,
        "failed": bool(trial.outcome and trial.outcome.exit_code),
        "hint": trial.outcome.hint if trial.outcome else "",
        "saved": trial.saved_ns,
        "base": trial.base_ns,
        "goal": trial.goal_ns,
        "baseInsns": trial.base_insns,
        "insns": trial.goal_insns,
        "shown": trial.effect.shown if trial.effect else None,
        "evidence": _show(trial.effect.evidence) if trial.effect else "",
        "reason": _show(trial.reason),
        "own": _show(own_saving(trial)),
        "stages": [[_show(d.stage), d.before_ns, d.after_ns] for d in trial.stages],
        "cmdline": [] if after is None else _words(cmdline_diff(results.base.cmdline, after)),
        "sizes": [
            ["console", trial.base_console_bytes, trial.console_bytes],
            *([_show(k), base_sizes.get(k), v] for k, v in sorted(trial.artefact_bytes.items())),
        ]
        if trial.key
        else [],
        "key": _show(trial.key or ""),
        "baseKey": _show(trial.base_key),
        "risk": _risk(results.risk_of(trial.change.technique)),
        "samples": list(trial.samples_ns),
        "baseSamples": list(trial.base_samples_ns),
        "p": trial.p_value,
        "spread": _spread(trial.spread),
        "baseSpread": _spread(trial.base_spread),
        "errorRate": trial.error_rate,
        "interval": list(trial.interval_ns) if trial.interval_ns else None,
    }


def _spread(spread: Spread | None) -> SpreadData | None:
    if spread is None:
        return None
    return {"boots": spread.boots, "median": spread.median_ns, "first": spread.first_ns, "last": spread.last_ns}


def _system(results: Results, system: FinalSystem) -> FasterData:
    # Both boots had what the target adds; it is no part of what is handed over.
    diff = cmdline_diff(results.base.cmdline, " ".join((system.cmdline, *system.booted_with)))
    return {
        "cmdline": _show(system.cmdline, 8192),
        "cmdlineDiff": _words(word for word in diff if word.text not in system.booted_with),
        "machine": _show(shlex.join(system.machine)),
        "baseMachine": _show(shlex.join(system.base_machine)),
        "artefacts": [
            {"name": _show(a.name), "path": _show(a.path), "size": a.size_bytes, "sha256": _show(a.sha256)}
            for a in system.artefacts
        ],
        "path": _show(system.system_path or ""),
    }


def _words(words: Iterable[Word]) -> list[list[str]]:
    return [[_show(w.text), w.fate] for w in words]


def _risk(risk: Risk) -> dict[str, str]:
    return {flag: _show(getattr(risk, kind)) for kind, flag in RISK_FLAGS.items()}


def _show(text: str, limit: int = TEXT_LIMIT) -> str:
    return visible(text, limit)


def _shown(texts: Iterable[str]) -> list[str]:
    return [_show(text) for text in texts]
