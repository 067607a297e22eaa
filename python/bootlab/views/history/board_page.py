# SPDX-License-Identifier: MIT
"""Real boards of the history: a table of all, and a page of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from bootlab.history.board_health import ALLOWED, CHANCE, BoardHealth
from bootlab.history.entry import HistoryEntry
from bootlab.model import figures
from bootlab.views.history.addresses import Addresses
from bootlab.views.history.text import short
from bootlab.views.page_model import Cell, PageData, PartData
from bootlab.views.page_parts import ms, number, part, show, table
from bootlab.views.shown_text import one_line

_LEAD = (
    f"A board is ill when it fails more often than {ALLOWED * 100:g} % of its boots; one that fails just so often is "
    f"called ill with at most {CHANCE * 100:g} % chance. A failure counts when the switch or the adapter failed, or "
    "when what was booted reached its goal in another boot; what never reached it says nothing of the board."
)


def boards_part(boards: Sequence[BoardHealth], to: Addresses) -> PartData:
    """Make the table of boards."""
    columns = ["board", "health", "newest boot", "last good boot", ">failed", ">of", "systems"]
    return part("Boards", _LEAD, table("Boards", columns, [_row(board, to) for board in boards]))


def board_data(board: BoardHealth, to: Addresses) -> PageData:
    """Collect everything the page of one board shows."""
    ends = Counter(boot.times.outcome.value for boot in board.boots)
    parts = [
        part(
            "How its boots ended",
            _LEAD,
            table("Ends", ["ended as", ">boots"], [[end, number(n)] for end, n in ends.most_common()]),
        ),
        part(
            "Boots",
            "The newest first.",
            table("Boots", _COLUMNS, [_boot_row(boot, board, to) for boot in reversed(board.boots)]),
        ),
    ]
    failed, judged = figures.count(len(board.failed)), figures.counted(board.judged, "boot")
    return {
        "name": show(board.name),
        "kind": "Board",
        "headline": [
            [_health(board), "", f"{failed} of {judged} failed", "broken" if board.ill else ""],
            [_when(board.last_good) or "none", "", "last good boot", ""],
        ],
        "problems": [],
        "facts": [
            ["boots looked at", figures.count(len(board.boots))],
            ["that say nothing of the board", figures.count(board.unjudged)],
            ["systems", show(", ".join(_systems(board))[:200])],
        ],
        "parts": parts,
        "trail": [["all systems", to.home]],
        "footer": "Times in milliseconds, on the clock of the host that read the console.",
    }  # fmt: skip


def board_words(board: BoardHealth) -> dict[str, Any]:
    """Return a board for programs."""
    return {
        "name": board.name,
        "ill": board.ill,
        "failed": len(board.failed),
        "judged": board.judged,
        "not_judged": board.unjudged,
        "newest": board.boots[-1].at,
        "last_good": board.last_good.at if board.last_good else None,
        "systems": _systems(board),
    }


def health_line(board: BoardHealth) -> str:
    """Say in one line how a board is."""
    failed = f"{figures.count(len(board.failed))} of {figures.counted(board.judged, 'boot')} failed"
    return (
        f"{one_line(board.name, 100)}: {_health(board)}: {failed}; last good boot: {_when(board.last_good) or 'none'}"
    )


_COLUMNS = ["boot", "system", "revision", ">whole boot", "ended as", "counts against the board"]


def _row(board: BoardHealth, to: Addresses) -> list[Cell]:
    health: Cell = [_health(board), 1, None, "slower"] if board.ill else _health(board)
    return [
        [show(board.name), show(board.name), to.board(board.name)],
        health,
        _dated(board.boots[-1], to),
        _dated(board.last_good, to),
        number(len(board.failed)),
        number(board.judged),
        show(", ".join(_systems(board))[:100]),
    ]


def _boot_row(boot: HistoryEntry, board: BoardHealth, to: Addresses) -> list[Cell]:
    counts = "yes" if boot in board.failed else "" if boot.times.ok else "no"
    total = ms(boot.times.total_ns, range_ns=boot.times.unsure_ns)
    system: Cell = [show(boot.system), show(boot.system), to.system(boot.system)]
    return [_dated(boot, to), system, show(short(boot.revision)), total, boot.times.outcome.value, counts]


def _health(board: BoardHealth) -> str:
    return "ill" if board.ill else "no sign of illness"


def _systems(board: BoardHealth) -> list[str]:
    return sorted({boot.system for boot in board.boots})


def _dated(boot: HistoryEntry | None, to: Addresses) -> Cell:
    if boot is None or boot.id is None:
        return _when(boot) or "none"
    return [_when(boot), boot.at, to.boot(boot.id)]


def _when(boot: HistoryEntry | None) -> str:
    return "" if boot is None else boot.at[:16].replace("T", " ")
