"""What the verbs that try techniques print at their end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.cli.screen import err, out, print_json

if TYPE_CHECKING:
    from bootlab.api import Results


def show_run(results: Results, following: str, *, html: Path | None = None, everything: bool, as_json: bool) -> None:
    """Print a run, or its document; then where it is, and the commands that may follow. `html` takes the page."""
    page = None if html is None else str(results.html(html))
    from bootlab.views.run import terminal  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.run.headline import said  # noqa: PLC0415

    if as_json:
        print_json({"run": results.id, **said(results.data), **({} if page is None else {"html": page})})
        return
    out().print(terminal.results_view(results.data, everything=everything))
    if page is not None:
        out().print(f"report: {page}", markup=False, soft_wrap=True)
    err().print(f"results: {results.run.results}", markup=False, soft_wrap=True)
    err().print(f"next: {following}", markup=False, soft_wrap=True)
