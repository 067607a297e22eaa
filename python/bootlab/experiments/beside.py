# SPDX-License-Identifier: MIT
"""A board's boots and the same system's exact boot side by side: two clocks, two columns, never added."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import msgspec

from bootlab.analysis.stages import stages_of
from bootlab.collectors.diagnosis import initcalls_of
from bootlab.errors import UserError
from bootlab.experiments.base import require_goal
from bootlab.experiments.bench import Bench
from bootlab.model import figures
from bootlab.model.comparison import Column, Comparison, Row, Table, Value
from bootlab.model.costing import Costing
from bootlab.model.recording import Recording, unsure_ns
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import STAGES
from bootlab.model.verdict import Trial, Verdict

CLOCKS = "virtual | wall"
"""The clocks of such a comparison: the exact columns' and the board's."""
TOTAL = "power-on to goal"
_FORECAST = (
    Column(key="forecast_least_ns", title="forecast", kind="ms", under="modelled ms", ends="forecast_most_ns"),
    Column(key="held", title="board is"),
)
_NOT_TRIED = "not tried"
_NOT_KNOWN = frozenset({_NOT_TRIED, Verdict.UNKNOWN.value, Verdict.NOT_BOOTED.value})
_EXACT = (
    "Exact: one boot in QEMU by instruction count; it repeats, and knows nothing of caches, DRAM, flash or baud rate. "
)
_TWO_CLOCKS = " The two columns are different clocks: a difference or a sum of them means nothing."


def stage_rows(exact: Recording | None, board: Sequence[Recording], costing: Costing | None = None) -> tuple[Row, ...]:
    """Return one row a stage, and the total: the exact boot's time, and the board's median with its range.

    `costing`: what was forecast before the board was switched on; whether the median lies in it stands beside it.
    """
    old = {s.name: s.duration_ns for s in stages_of(exact)} if exact is not None else {}
    each = [{s.name: s.duration_ns for s in stages_of(r)} for r in board if r.ok]
    rows = []
    for name, _, _ in STAGES:
        walls = [lengths[name] for lengths in each if name in lengths]
        if name in old or walls:
            rows.append(_row(name, old.get(name), walls))
    if costing is not None and costing.initcalls:
        rows += _initcall_rows(costing, board)
    goals = [r.meta.goal_ns for r in board if r.ok and r.meta.goal_ns is not None]
    rows.append(_row(TOTAL, exact.meta.goal_ns if exact is not None else None, goals))
    return tuple(rows) if costing is None else tuple(_with_forecast(row, costing) for row in rows)


def compare_stages(
    system: SystemDescription, exact: Recording | None, board: Sequence[Recording], costing: Costing | None = None
) -> Comparison:
    """Return the stages of both. `board`: its boots; those that failed are counted, not averaged.

    `costing`: a forecast of the exact boot on a processor, which then stands between the two.
    """
    rows = stage_rows(exact, board, costing)
    exact_columns = (Column(key="exact_ns", title="exact (QEMU)", kind="ms", under="virtual ms"),)
    columns = (
        Column(key="title", title="stage"),
        *(exact_columns if exact is not None else ()),
        *(_FORECAST if costing is not None else ()),
        Column(key="wall_ns", title="board", kind="ms", under="wall ms, median", unsure="unsure_ns"),
        Column(key="first_ns", title="earliest", kind="ms", under="wall ms", unsure="unsure_ns"),
        Column(key="last_ns", title="latest", kind="ms", under="wall ms", unsure="unsure_ns"),
        Column(key="boots", title="boots", kind="count"),
    )
    facts: dict[str, Value] = {
        "exact_key": exact.meta.key if exact is not None else None,
        "exact_insns": exact.meta.goal_insns if exact is not None else None,
        "board": board[0].meta.board if board else None,
        "board_failed": sum(not boot.ok for boot in board),
    }
    return Comparison(
        kind="board",
        system=system.name,
        clock=CLOCKS if exact is not None else "wall",
        headline=_headline(system, exact, board, rows[-1]),
        footnote=_footnote(exact is not None, figures.counted(sum(boot.ok for boot in board), "boot"), costing),
        facts=facts,
        columns=columns,
        tables=(Table(columns=tuple(column.key for column in columns)),),
        rows=rows,
    )


def _headline(system: SystemDescription, exact: Recording | None, board: Sequence[Recording], total: Row) -> str:
    parts = []
    if exact is not None:
        goal = f"{figures.ms(total.ns('exact_ns'))} virtual ms" if exact.ok else f"failed ({exact.meta.outcome.value})"
        parts.append(f"exact {goal}")
    goals = total.values["boots"]
    if goals:
        parts.append(f"board {figures.ms(total.ns('wall_ns'), total.ns('unsure_ns'))} wall ms, median of {goals}")
    failed = [boot for boot in board if not boot.ok]
    if failed:
        reasons = ", ".join(sorted({boot.meta.outcome.value for boot in failed}))
        parts.append(f"{len(failed)} of {figures.counted(len(board), 'boot')} failed ({reasons})")
    return f"{system.name}: {'; '.join(parts)}"


def _footnote(exact: bool, boots: str, costing: Costing | None = None) -> str:
    """Say what the columns are. `exact`: there is an exact boot beside those of the board."""
    board = f"Board: {boots} on the host's clock, stamped at arrival; median, and the earliest and the latest."
    if costing is None:
        return f"{_EXACT}{board}{_TWO_CLOCKS}" if exact else board
    said = f"{costing.title} at {costing.ghz.text()} GHz, {costing.not_in_it}; {costing.seen.text(costing.core)}"
    return f"{_EXACT}{board}{_TWO_CLOCKS}\nForecast: {said}."


def compare_trials(system: SystemDescription, exact: Sequence[Trial], board: Sequence[Trial]) -> Comparison:
    """Return each change's verdict in QEMU and on the board, those that saved most on the board first."""
    by_exact, by_board = ({t.change.id: t for t in trials} for trials in (exact, board))
    names = sorted({*by_exact, *by_board}, key=lambda n: -(_saved(by_board.get(n)) or _saved(by_exact.get(n)) or 0))
    columns = (
        Column(key="title", title="change"),
        Column(key="exact_verdict", title="exact (QEMU)"),
        Column(key="exact_ns", title="saved", kind="signed-ms", under="virtual ms"),
        Column(key="board_verdict", title="board"),
        Column(key="wall_ns", title="saved", kind="signed-ms", under="wall ms", unsure="unsure_ns"),
        Column(key="interval", title="95 % interval", under="wall ms"),
        Column(key="boots", title="boots", kind="count"),
        Column(key="proof", title="proof", wide=True),
    )
    rows = tuple(_trial_row(name, by_exact.get(name), by_board.get(name)) for name in names)
    changes = figures.counted(len(rows), "change")
    faster = [row for row in rows if row.values["board_verdict"] == "faster"]
    return Comparison(
        kind="board",
        system=system.name,
        clock=CLOCKS,
        headline=f"{system.name}: {len(faster)} of {changes} faster on the board{_not_known(rows)}",
        footnote=_footnote(True, "of each change the boots of its row"),
        columns=columns,
        tables=(Table(columns=tuple(column.key for column in columns)),),
        rows=rows,
    )


def board_boots(bench: Bench, system: SystemDescription, count: int) -> tuple[Recording, ...]:
    """Boot a board several times anew. Raise BaseFailedError where not one boot reaches the goal."""
    if count < 1:
        raise UserError(f"a board cannot be booted {count} times", hint="--boots 5")
    bench.phase("board", count)
    first = bench.fresh_number(count)
    made = tuple(bench.boot(system, f"{system.name} #{n + 1}", fresh=first + n) for n in range(count))
    if not any(recording.ok for recording in made):
        require_goal(made[0])
    return made


def _row(name: str, exact_ns: int | None, walls: list[int]) -> Row:
    values: dict[str, Value] = {
        "exact_ns": exact_ns,
        "wall_ns": round(statistics.median(walls)) if walls else None,
        "first_ns": min(walls, default=None),
        "last_ns": max(walls, default=None),
        "unsure_ns": unsure_ns("wall", walls),
        "boots": len(walls),
        # Every value is kept.
        "wall_all_ms": " ".join(f"{ns / 1e6:.3f}" for ns in walls),
    }
    return Row(id=name, title=name, values=values, each_ns=tuple(walls))


def _initcall_rows(costing: Costing, board: Sequence[Recording]) -> list[Row]:
    """Return the initcalls that a forecast lists; the times of the board are its kernel's, if its console has them."""
    logs = (tuple(line.text for line in boot.lines) for boot in board if boot.ok)
    calls = [{call.function: call.duration_ns for call in initcalls_of(log)} for log in logs]
    return [
        _row(one.name, one.exact_ns, [each[name] for each in calls if name in each])
        for one in costing.longest
        for name in (one.name.removeprefix("initcall "),)
    ]


def _with_forecast(row: Row, costing: Costing) -> Row:
    known = (*costing.stages, *costing.initcalls)
    stage = costing.whole if row.id == TOTAL else next((one for one in known if one.name == row.id), None)
    if stage is None:
        return row
    low, high, wall = round(stage.forecast_ns.low), round(stage.forecast_ns.high), row.ns("wall_ns")
    said = None if wall is None else "within" if low <= wall <= high else "longer" if wall > high else "shorter"
    values = {"forecast_least_ns": low, "forecast_most_ns": high, "held": said}
    return msgspec.structs.replace(row, values={**row.values, **values})


def _not_known(rows: Sequence[Row]) -> str:
    """Say of how many changes the board does not tell whether they make it faster; "" where it tells of all."""
    unknown = sum(row.values["board_verdict"] in _NOT_KNOWN for row in rows)
    return f" ({unknown} not known)" if unknown else ""


def _saved(trial: Trial | None) -> int | None:
    return trial.saved_ns if trial is not None else None


def _trial_row(name: str, exact: Trial | None, board: Trial | None) -> Row:
    interval = board.interval_ns if board is not None else None
    said = board or exact
    values: dict[str, Value] = {
        "exact_verdict": exact.verdict.value if exact is not None else _NOT_TRIED,
        "exact_ns": _saved(exact),
        "board_verdict": board.verdict.value if board is not None else _NOT_TRIED,
        "wall_ns": _saved(board),
        "unsure_ns": board.unsure_ns if board is not None else None,
        "interval": figures.interval_ms(interval) if interval is not None else None,
        "boots": len(board.samples_ns) if board is not None else None,
    }
    proof = said.effect.evidence if said is not None and said.effect is not None else ""
    return Row(id=name, title=name, proof=proof, reason=said.reason if said is not None else "", values=values)
