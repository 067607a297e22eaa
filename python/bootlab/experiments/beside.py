"""A board's boots and the same system's exact boot side by side: two clocks, two columns, never added."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from bootlab.analysis.stages import stages_of
from bootlab.errors import UserError
from bootlab.experiments.base import require_goal
from bootlab.experiments.bench import Bench
from bootlab.model import figures
from bootlab.model.comparison import Column, Comparison, Row, Table, Value
from bootlab.model.recording import Recording
from bootlab.model.system import System
from bootlab.model.timeline import STAGES
from bootlab.model.verdict import Trial

CLOCKS = "virtual | wall"
"""The clocks of such a comparison: the exact columns' and the board's."""
TOTAL = "power-on to goal"
_FOOTNOTE = (
    "Exact: one boot in QEMU by instruction count; it repeats, and knows nothing of caches, DRAM, flash or baud rate. "
    "Board: {boots} on the host's clock, stamped at arrival; median, and the earliest and the latest. The two "
    "columns are different clocks: a difference or a sum of them means nothing."
)


def stage_rows(exact: Recording | None, board: Sequence[Recording]) -> tuple[Row, ...]:
    """Return one row a stage, and the total: the exact boot's time, and the board's median with its range."""
    old = {s.name: s.duration_ns for s in stages_of(exact)} if exact is not None else {}
    each = [{s.name: s.duration_ns for s in stages_of(r)} for r in board if r.ok]
    rows = []
    for name, _, _ in STAGES:
        walls = [lengths[name] for lengths in each if name in lengths]
        if name in old or walls:
            rows.append(_row(name, old.get(name), walls))
    goals = [r.meta.goal_ns for r in board if r.ok and r.meta.goal_ns is not None]
    rows.append(_row(TOTAL, exact.meta.goal_ns if exact is not None else None, goals))
    return tuple(rows)


def compare_stages(system: System, exact: Recording | None, board: Sequence[Recording]) -> Comparison:
    """Return the stages of both. `board`: its boots; those that failed are counted, not averaged."""
    rows = stage_rows(exact, board)
    failed = [r for r in board if not r.ok]
    total = rows[-1]
    exact_ms, wall_ms = figures.ms(total.ns("exact_ns")), figures.ms(total.ns("wall_ns"))
    beside = f"exact {exact_ms} virtual ms; " if exact is not None else ""
    head = f"{system.name}: {beside}board {wall_ms} wall ms, median of {len(board) - len(failed)}"
    if failed:
        reasons = ", ".join(sorted({r.meta.outcome.value for r in failed}))
        head += f"; {len(failed)} of {len(board)} boots failed ({reasons})"
    columns = (
        Column(key="title", title="stage"),
        Column(key="exact_ns", title="exact (QEMU)", kind="ms", under="virtual ms"),
        Column(key="wall_ns", title="board", kind="ms", under="wall ms, median"),
        Column(key="first_ns", title="earliest", kind="ms", under="wall ms"),
        Column(key="last_ns", title="latest", kind="ms", under="wall ms"),
        Column(key="boots", title="boots", kind="count"),
    )
    facts: dict[str, Value] = {
        "exact_key": exact.meta.key if exact is not None else None,
        "exact_insns": exact.meta.goal_insns if exact is not None else None,
        "board": board[0].meta.board if board else None,
        "board_failed": len(failed),
    }
    return Comparison(
        kind="board",
        system=system.name,
        clock=CLOCKS,
        headline=head,
        footnote=_FOOTNOTE.format(boots=figures.counted(len(board) - len(failed), "boot")),
        facts=facts,
        columns=columns,
        tables=(Table(columns=tuple(column.key for column in columns)),),
        rows=rows,
    )


def compare_trials(system: System, exact: Sequence[Trial], board: Sequence[Trial], *, boots: int) -> Comparison:
    """Return each change's verdict in QEMU and on the board, those that saved most on the board first."""
    by_exact, by_board = ({t.change.id: t for t in trials} for trials in (exact, board))
    names = sorted({*by_exact, *by_board}, key=lambda n: -(_saved(by_board.get(n)) or _saved(by_exact.get(n)) or 0))
    columns = (
        Column(key="title", title="change"),
        Column(key="exact_verdict", title="exact (QEMU)"),
        Column(key="exact_ns", title="saved", kind="signed-ms", under="virtual ms"),
        Column(key="board_verdict", title="board"),
        Column(key="wall_ns", title="saved", kind="signed-ms", under="wall ms"),
        Column(key="interval", title="95 % interval", under="wall ms"),
        Column(key="boots", title="boots", kind="count"),
        Column(key="proof", title="proof", wide=True),
    )
    rows = tuple(_trial_row(name, by_exact.get(name), by_board.get(name)) for name in names)
    faster = [row for row in rows if row.values["board_verdict"] == "faster"]
    return Comparison(
        kind="board",
        system=system.name,
        clock=CLOCKS,
        headline=f"{system.name}: {len(faster)} of {figures.counted(len(rows), 'change')} faster on the board",
        footnote=_FOOTNOTE.format(boots=f"{boots} of each"),
        columns=columns,
        tables=(Table(columns=tuple(column.key for column in columns)),),
        rows=rows,
    )


def board_boots(bench: Bench, system: System, count: int) -> tuple[Recording, ...]:
    """Boot a board several times anew. Raise BaseFailedError where not one boot reaches the goal."""
    if count < 1:
        raise UserError(f"a board cannot be booted {count} times", hint="--boots 5")
    bench.phase("board", count)
    first = bench.fresh_number()
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
        "boots": len(walls),
        # Every value is kept.
        "wall_all_ms": " ".join(f"{ns / 1e6:.3f}" for ns in walls),
    }
    return Row(id=name, title=name, values=values)


def _saved(trial: Trial | None) -> int | None:
    return trial.saved_ns if trial is not None else None


def _trial_row(name: str, exact: Trial | None, board: Trial | None) -> Row:
    interval = board.interval_ns if board is not None else None
    said = board or exact
    values: dict[str, Value] = {
        "exact_verdict": exact.verdict.value if exact is not None else "not tried",
        "exact_ns": _saved(exact),
        "board_verdict": board.verdict.value if board is not None else "not tried",
        "wall_ns": _saved(board),
        "interval": f"{interval[0] / 1e6:+.3f} to {interval[1] / 1e6:+.3f}" if interval is not None else None,
        "boots": len(board.samples_ns) if board is not None else None,
    }
    proof = said.effect.evidence if said is not None and said.effect is not None else ""
    return Row(id=name, title=name, proof=proof, reason=said.reason if said is not None else "", values=values)
