# SPDX-License-Identifier: MIT
"""What the verbs that try techniques print at their end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.cli.screen import out, print_json, put_line, say

if TYPE_CHECKING:
    from bootlab.api import Results
    from bootlab.cli.options import Kept


def show_run(
    results: Results,
    asked: Kept,
    *lines: str,
    html: Path | None = None,
    everything: bool = False,
    named: tuple[str, ...] = (),
) -> None:
    """Print a run, or its document; then beside it the lines that say what may follow.

    `html` takes the page. `named`: techniques that the user asked for.
    """
    page = None if html is None else str(results.html(html))
    from bootlab.views.run import terminal  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.run.headline import said  # noqa: PLC0415

    if asked.as_json:
        print_json({"run": results.id, **said(results.data), **({} if page is None else {"html": page})})
        return
    out().print(terminal.results_view(results.data, everything=everything, named=named))
    if page is not None:
        put_line(f"report: {page}")
    for line in lines:
        say(line)
