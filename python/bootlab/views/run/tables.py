# SPDX-License-Identifier: MIT
"""The trials and the stack of a run as tables of one comparison, which all four writers draw."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from bootlab.model import figures
from bootlab.model.change_text import change_text
from bootlab.model.comparison import Column, Comparison, Row, Table, Value
from bootlab.model.leave_one_out import LeaveOneOut
from bootlab.model.modelled import both_ends
from bootlab.model.processors import QuantumGoal, saved_at, turned_at
from bootlab.model.sample import Spread
from bootlab.model.verdict import OnBoard, Trial, Verdict
from bootlab.results.board import board_gain
from bootlab.results.document import Rejected, RunDocument, StackStepRow
from bootlab.techniques.base import Risk
from bootlab.views.run import floor, optimized
from bootlab.views.run.headline import headline, together

RISK_FLAGS = {"security": "S", "function": "F", "runtime": "R", "debuggability": "d"}
RISK_LEGEND = "risk: S security, F function, R run time, d debugging"
UNTRIED = frozenset({Verdict.NOT_APPLICABLE, Verdict.NOT_BOOTED})
_DULL = frozenset({*UNTRIED, Verdict.SAME, Verdict.NO_EFFECT})
FEW_TRIALS = 12
"""So many trials are shown whole: they are those that were asked for by name."""


def comparison(results: RunDocument, *, everything: bool = True) -> Comparison | None:
    """Return the tables of a run's trials and stack; None for a run that has none of both.

    Without `everything` trials that made no difference and changes that were not booted are left out of the rows.
    """
    stack = results.stack
    if not results.trials and stack is None:
        return None
    rows = [_trial(trial, results) for trial in shown_trials(results, everything=everything)]
    if stack is not None:
        rows += [_step(number, step, results) for number, step in enumerate(stack.steps, 1)]
        rows += [_rejected(row, results) for row in stack.rejected if everything or row.verdict not in UNTRIED]
        ordered = sorted(stack.leave_one_out, key=lambda r: (r.cost_ns is not None, -(r.cost_ns or 0)))
        rows += [_left_out(row) for row in ordered]
    rows += [_at_quantum(goal, results) for goal in results.quanta]
    rows += [*optimized.rows(results), *floor.rows(results)]
    return Comparison(
        kind=results.kind,
        system=results.system_name,
        clock=results.base.clock,
        headline=headline(results),
        footnote=_footnote(results),
        columns=_columns(results),
        tables=tuple(kept for table in _tables(results) if (kept := _kept(table, rows)).columns),
        rows=tuple(rows),
    )


def between_ends(found: Comparison, results: RunDocument) -> tuple[Row, ...]:
    """Return the stack's steps between the base that they started from and the system that came of them."""
    steps = next((table for table in found.tables if table.group == "step"), None)
    if steps is None or results.final is None:
        return ()
    before, after = results.base.middle_ns, results.final.middle_ns
    blank: dict[str, Value] = dict.fromkeys(steps.columns[1:], "")
    base: dict[str, Value] = {"goal_ns": before, "of_base": _share(before, before)}
    stacked: dict[str, Value] = {"goal_ns": after, "saved_ns": None, "of_base": None}
    if results.comparable and before is not None and after is not None:
        stacked |= {"saved_ns": before - after, "of_base": _share(after, before)}
    return (
        Row(id="base", title="base", values=blank | base),
        *found.rows_of(steps),
        Row(id="stacked", title="stacked", values=blank | stacked),
    )


def shown_trials(results: RunDocument, *, everything: bool) -> tuple[Trial, ...]:
    """Return the trials that a terminal lists, most time saved first."""
    trials = results.trials_by_saved()
    if everything or len(trials) <= FEW_TRIALS:
        return trials
    return tuple(trial for trial in trials if trial.decision not in _DULL)


def risk_flags(risk: Risk) -> str:
    """`SFR` for a risk to security, function and run time; `d` when only debugging suffers."""
    return "".join(RISK_FLAGS[kind] for kind in risk.kinds)


def proof(trial: Trial) -> str:
    """One line that carries the verdict: the proof of effect, or why there is none."""
    failure = trial.outcome.value if trial.outcome is not None and trial.outcome.exit_code else ""
    evidence = trial.effect.evidence if trial.effect else ""
    # What was proved comes before how it was told from chance; what was not begins with the reason.
    # Where a wait holds the goal, that comes first of all: the figure beside the verdict is the goal's.
    proved = trial.verdict is Verdict.FASTER and bool(evidence) and not trial.before_wait
    words = [evidence, trial.reason, failure] if proved else [trial.reason, evidence, failure]
    return "; ".join(dict.fromkeys(w for w in words if w)) or change_text(trial.change)


def _columns(results: RunDocument) -> tuple[Column, ...]:
    ms = f"{results.base.clock} ms"
    return (
        Column(key="title", title="change"),
        Column(key="part", title="part"),
        Column(key="quantum", title="quantum"),
        Column(key="verdict", title="verdict"),
        Column(key="saved_ns", title="saved", kind="signed-ms", under=ms, unsure="unsure_ns"),
        Column(key="cost_ns", title="cost when left out", kind="signed-ms", under=ms),
        Column(key="goal_ns", title="goal", kind="ms", under=ms, unsure="unsure_ns"),
        Column(key="of_base", title="of base", kind="percent"),
        Column(key="needs_ns", title="needs", kind="ms", under=ms),
        Column(key="takes_ns", title="takes", kind="ms", under=ms),
        Column(key="of_result", title="of the result", kind="percent"),
        Column(key="certain", title="certain?"),
        Column(key="lever", title="what would take it away"),
        Column(key="range_ns", title="range", kind="ms", under="ms"),
        Column(key="boots", title="boots", kind="count"),
        Column(key="p_value", title="p"),
        Column(key="board_least_ns", title="on a board", kind="signed-ms", under="modelled, ms", ends="board_most_ns"),
        Column(key="decision", title="on the board"),
        Column(key="least_ns", title="saved there, at least", kind="signed-ms", under="board's ms"),
        Column(key="most_ns", title="at most", kind="signed-ms", under="board's ms"),
        Column(key="there", title="on the board, ms"),
        Column(key="risk", title="risk"),
        Column(key="again", title="again"),
        Column(key="kept", title="kept"),
        Column(key="before", title="before"),
        Column(key="after", title="after"),
        Column(key="words", title="proof or reason"),
        Column(key="lost", title="what it takes away"),
        Column(key="price", title="cost and risk"),
        Column(key="counted", title="what is counted"),
        Column(key="what", title="what it does", wide=True),
        Column(key="proof", title="proof", wide=True),
    )


def _tables(results: RunDocument) -> Iterable[Table]:
    sampled = any(trial.p_value is not None for trial in results.trials)
    scatter = ("p_value",) if sampled else ("range_ns", "boots")
    # Both columns stand side by side: the exact one, and the one that decides.
    board = ("board_least_ns",) if results.modelled is not None else ("decision", "least_ns", "most_ns", "there")
    base = figures.spread_ms(results.base.goal_ns, results.base.told_spread, results.base.unsure_ns)
    where = f" on {results.processors.text}" if results.processors.text else ""
    yield Table(
        title=f"Trials against {results.base.clock} base {base} ms{where}",
        columns=("title", "verdict", "saved_ns", "goal_ns", "of_base", *board, *scatter, "risk", "words"),
        group="trial",
        wide=("goal_ns",),
    )
    yield Table(
        title="The stack, change by change",
        columns=("title", "saved_ns", "goal_ns", "of_base", "range_ns", "boots", "again", *board, "what", "proof"),
        group="step",
    )
    yield Table(
        title="Tried on the stack and left out",
        columns=("title", "verdict", "saved_ns", *board, "again", "words"),
        group="left out",
    )
    yield Table(
        title="Leave one out",
        columns=("title", "cost_ns", "there", "range_ns", "boots", "kept", "words"),
        group="leave one out",
    )
    yield from (*optimized.TABLES, *floor.TABLES)
    yield Table(
        title="The same with other quanta, one boot each",
        columns=("title", "quantum", "goal_ns", "saved_ns", "words"),
        group="quantum",
    )


def _kept(table: Table, rows: Iterable[Row]) -> Table:
    """Return a table without the columns in which no row has anything; without any, where it has no rows."""
    own = [row for row in rows if row.values["group"] == table.group]
    columns = tuple(key for key in table.columns if any(row.value(key) not in {None, ""} for row in own))
    return msgspec.structs.replace(table, columns=columns)


def _footnote(results: RunDocument) -> str:
    modelled = results.modelled
    lines = [RISK_LEGEND] if results.trials or results.waterfall else []
    if modelled is not None:
        rate = f"; images at {modelled.bandwidth_bytes_per_s / 1e6:g} MB/s" if modelled.bandwidth_bytes_per_s else ""
        lines.append(
            "on a board: what the change saves there in addition, at least and at most (modelled; in no other figure): "
            f"console at {modelled.baud} baud{rate}"
        )
    if results.costs is not None:
        lines.append(f"on the board: exact time and what it adds, by {results.costs.name}; it decides")
        lines += results.costs.lines()
    return "\n".join(lines)


def _trial(trial: Trial, results: RunDocument) -> Row:
    base_boots = trial.base_spread.boots if trial.base_spread is not None else None
    return Row(
        id=trial.change.id,
        title=trial.change.id,
        ok=trial.verdict not in {Verdict.BROKEN, *UNTRIED},
        proved=trial.effect is not None and trial.effect.shown,
        verdict=trial.verdict.value,
        reason=trial.reason,
        proof=trial.effect.evidence if trial.effect is not None else "",
        key=trial.key or "",
        values={
            "group": "trial",
            "what": change_text(trial.change),
            "saved_ns": trial.saved_ns,
            "base_ns": trial.base_ns,
            "goal_ns": trial.goal_ns,
            "unsure_ns": results.unsure_ns(trial),
            "of_base": _share(trial.goal_ns, trial.base_ns),
            **_scatter(trial.spread, booted=trial.key is not None),
            "base_boots": base_boots,
            "p_value": None if trial.p_value is None else f"{trial.p_value:.3g}",
            **both_ends("board", board_gain(trial, results)),
            **_decided(trial.board),
            "risk": risk_flags(results.risk_of(trial.change.technique)),
            "words": proof(trial) if trial.board is None else "; ".join(_with_turns(trial)),
        },
    )


def _decided(board: OnBoard | None) -> dict[str, Value]:
    if board is None:
        return {}
    return {"decision": board.verdict.value, "least_ns": board.saved_ns[0], "most_ns": board.saved_ns[1]}


def _with_turns(trial: Trial) -> list[str]:
    turns = trial.board.turns_text(trial.change.id) if trial.board is not None else ""
    return [said for said in (turns, proof(trial)) if said]


def _step(number: int, step: StackStepRow, results: RunDocument) -> Row:
    trial = results.trial(step.change_id)
    base_ns = results.base.middle_ns if results.comparable else None
    return Row(
        id=step.change_id,
        title=together(step.change_id, step.members),
        verdict=Verdict.FASTER.value,
        proof=step.evidence,
        key=step.key,
        values={
            "group": "step",
            "number": number,
            "what": step.what or (change_text(trial.change) if trial else ""),
            "saved_ns": step.saved_ns,
            "base_ns": step.before_ns,
            "goal_ns": step.after_ns,
            "of_base": _share(step.after_ns, base_ns),
            **_scatter(step.after, booted=True),
            **both_ends("board", board_gain(trial, results) if trial else None),
            "there": step.board.board_ns.text(1e6) if step.board is not None else "",
            "again": "late" if step.retried else "",
            "words": step.evidence,
        },
    )


def _rejected(row: Rejected, results: RunDocument) -> Row:
    trial = results.trial(row.change_id)
    return Row(
        id=row.change_id,
        title=together(row.change_id, row.members),
        ok=row.verdict not in {Verdict.BROKEN, *UNTRIED},
        verdict=row.verdict.value,
        reason=row.reason,
        key=row.key,
        values={
            "group": "left out",
            "saved_ns": None if row.stack_ns is None or row.goal_ns is None else row.stack_ns - row.goal_ns,
            "base_ns": row.stack_ns,
            "goal_ns": row.goal_ns,
            **_scatter(row.after, booted=bool(row.key)),
            **both_ends("board", board_gain(trial, results) if trial else None),
            "again": "yes" if row.retried else "",
            "words": row.reason,
        },
    )


def _left_out(row: LeaveOneOut) -> Row:
    return Row(
        id=row.change_id,
        title=row.change_id,
        verdict=row.verdict.value,
        reason=row.reason,
        key=row.key,
        values={
            "group": "leave one out",
            "cost_ns": row.cost_ns,
            "there": row.cost_there.text(1e6) if row.cost_there is not None else "",
            **_scatter(row.spread, booted=True),
            "kept": row.kept,
            "words": row.reason or ("goal not reached" if row.cost_ns is None else ""),
        },
    )


def _at_quantum(goal: QuantumGoal, results: RunDocument) -> Row:
    own_ns = results.processors.quantum_ns
    words = "the system's own" if goal.quantum_ns == own_ns else ""
    if own_ns is not None and goal.quantum_ns in turned_at(results.quanta, goal.subject, own_ns):
        words = "gain or loss depends on the schedule"
    base = goal.subject == "base"
    return Row(
        id=f"{goal.subject} at {goal.quantum_ns} ns",
        title=goal.subject,
        ok=goal.goal_ns is not None,
        reason=goal.reason,
        key=goal.key,
        values={
            "group": "quantum",
            "quantum": f"{goal.quantum_ns / 1000:g} us",
            "quantum_ns": goal.quantum_ns,
            "goal_ns": goal.goal_ns,
            "saved_ns": None if base else saved_at(results.quanta, goal.subject, goal.quantum_ns),
            "words": goal.reason or words,
        },
    )


def _scatter(spread: Spread | None, *, booted: bool) -> dict[str, Value]:
    several = spread is not None and spread.boots > 1
    boots = spread.boots if spread is not None else 1 if booted else None
    return {"range_ns": spread.range_ns if spread is not None and several else None, "boots": boots}


def _share(part_ns: int | None, whole_ns: int | None) -> float | None:
    return part_ns / whole_ns if part_ns is not None and whole_ns else None
