# SPDX-License-Identifier: MIT
"""What the store and the build cache hold, and what of it is old."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.api.store_folder import default_store
from bootlab.builders.cache import Cache, default_folder
from bootlab.store.contents import Old, Share, old_built, old_runs, remove, shares

__all__ = ["Contents", "Old", "Share", "contents", "prune"]


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """What lies in both folders, by name, the largest first."""

    store: str
    in_store: tuple[Share, ...]
    cache: str
    in_cache: tuple[Share, ...]


def contents(store: Path | None = None) -> Contents:
    """Look at the store and the build cache; nothing is made."""
    folder, cache = store or default_store(), default_folder()
    return Contents(store=str(folder), in_store=tuple(shares(folder)), cache=str(cache), in_cache=tuple(shares(cache)))


def prune(
    store: Path | None = None, *, runs_s: float | None = None, cache_s: float | None = None, dry: bool = False
) -> tuple[Old, ...]:
    """Remove runs with their recordings, and built files, that are older than so many seconds; return what went.

    `dry`: remove nothing, and return what would go.
    """
    folder = store or default_store()
    old = old_runs(folder, runs_s) if runs_s is not None else []
    cache = None
    if cache_s is not None and default_folder().is_dir():
        cache = Cache(default_folder())
        old += old_built(cache, cache_s)
    return tuple(old if dry else remove(old, cache))
