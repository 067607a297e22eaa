# SPDX-License-Identifier: MIT
"""`bootlab board health`: which boards fail more often than they should."""

from __future__ import annotations

from typing import Annotated

from bootlab.cli.gate_options import HistoryOption
from bootlab.cli.options import Argument
from bootlab.cli.session import Kept, out, print_json
from bootlab.errors import Found, UserError


def health(
    names: Annotated[
        list[str] | None,
        Argument(metavar="[BOARD...]", help="Names of boards. Default: all of the history.", show_default=False),
    ] = None,
    *,
    history: HistoryOption = None,
    asked: Kept,
) -> None:
    """Say how each board of the history is: its last good boot, how often it failed, whether it is ill (exit code 12).

    For a check at night: boot each board, add the boots to the history, and let this end the job.

    Example: bootlab board health camera-1 camera-2
    """
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.api import kept_history  # noqa: PLC0415
    from bootlab.views.history import board_page  # noqa: PLC0415

    with api.open_history(history, store=asked.store) as database:
        known = {board.name: board for board in kept_history.health(database)}
    if missing := [name for name in names or () if name not in known]:
        raise UserError(
            f"the newest boots of the history name no board {missing[0]!r}",
            hint=f"they name: {', '.join(known) or 'none'}",
        )
    boards = [known[name] for name in names or known]
    if asked.as_json:
        told = [board_page.board_words(board) for board in boards]
        print_json({"format": "bootlab-history", "version": 1, "boards": told})
    else:
        for board in boards:
            out().print(board_page.health_line(board), style="red" if board.ill else "", highlight=False, markup=False)
    if any(board.ill for board in boards):
        raise SystemExit(Found.NOT_SO)
