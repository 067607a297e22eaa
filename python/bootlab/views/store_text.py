# SPDX-License-Identifier: MIT
"""What the store and the build cache hold, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType

from bootlab.model import figures
from bootlab.store.contents import Share
from bootlab.views.shown_text import one_line
from bootlab.views.text_table import cell, text_table

_WHAT = {
    "boots": "recordings",
    "runs": "runs and their results",
    "history.db": "the history",
    "objects": "recordings of the history",
    "files": "built files, by digest",
    "digests": "their digests",
    "kernels": "kernels, their sources and objects",
    "programs": "programs that were built",
    "loaders": "boot loaders that were built",
    "plugin": "plugins for QEMU",
    "shared": "files from other machines",
}


def contents_view(store: str, in_store: Sequence[Share], cache: str, in_cache: Sequence[Share]) -> RenderableType:
    """Show both, a row for each name, and the sums."""
    return Group(_table("Store", store, in_store), _table("Build cache", cache, in_cache))


def _table(title: str, folder: str, shares: Sequence[Share]) -> RenderableType:
    if not shares:
        return cell(f"{title}: {folder} holds nothing", "dim", 400)
    total = figures.size(sum(share.bytes for share in shares))
    table = text_table(one_line(f"{title}: {folder}, {total}", 200), "name", ">things", ">size", "what it is")
    for share in shares:
        table.add_row(
            cell(share.name),
            cell(figures.count(share.count)),
            cell(figures.size(share.bytes)),
            cell(_WHAT.get(share.name, "")),
        )
    return table
