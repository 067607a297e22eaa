# SPDX-License-Identifier: MIT
"""`bootlab trace NEW --compare BASE`: what changed between two traces."""

from __future__ import annotations

from pathlib import Path

from bootlab.api.traces import CallForest, TraceRequest, compare
from bootlab.cli.files import write_files
from bootlab.cli.session import Kept, out, print_json
from bootlab.cli.trace_sources import forest
from bootlab.views.functions import difference_page
from bootlab.views.functions.difference_text import difference_view


def run(base: Path, new: Path, request: TraceRequest, asked: Kept, *, rows: int, floor: int, html: Path | None) -> None:
    """Compare, write the page and show the table or JSON. `floor`: smaller changes and paths are left out."""
    sides = [forest(what, request, asked) for what in (base, new)]
    (name, before), (other, after) = sides
    names = (name, other) if name != other else (f"{name} ({_short(base)})", f"{other} ({_short(new)})")
    found = compare(before, after)
    write_files((html, lambda: difference_page.render(found, names, floor=floor).encode()))
    changed = [row for row in found.functions if row.change != "same" and max(abs(row.total), abs(row.own)) >= floor]
    if asked.as_json:
        print_json(
            {
                "format": "bootlab-trace-difference",
                "version": 1,
                "clock": after.clock,
                "unit": after.unit,
                "base": _side(names[0], found.before),
                "new": _side(names[1], found.after),
                "functions": [
                    {
                        "function": row.function,
                        "change": row.change,
                        "self": row.own,
                        "total": row.total,
                        "count": row.count,
                        "wait": row.wait,
                        "base": row.before,
                        "new": row.after,
                    }
                    for row in changed
                ],
            }
        )
        return
    out().print(difference_view(found, changed, names, limit=rows))


def _short(path: Path) -> str:
    """Return what tells two recordings of one system apart: the keys of boots differ from their first digits on."""
    return path.resolve().name[:12] if path.is_dir() else str(path)


def _side(name: str, side: CallForest) -> dict[str, object]:
    return {"name": name, "work": int(side.total[0]), "wait": int(side.wait[0])}
