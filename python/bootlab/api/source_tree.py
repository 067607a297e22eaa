# SPDX-License-Identifier: MIT
"""A kernel's source: where functions are defined, which option builds them, what can be changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bootlab.analysis.traced_source import opened_tree, table_of
from bootlab.kernelsource.lookup import LookedUp, look_up

__all__ = ["Looked", "LookedUp", "look_up_names"]


class Looked(NamedTuple):
    """What was found of each name, and the tree's version; `assumed`: nothing but this machine says its `arch`."""

    version: str
    arch: str
    assumed: bool
    found: tuple[LookedUp, ...]


def look_up_names(
    names: Sequence[str], source: Path, *, config: Path | None = None, arch: str = "", symbols: Path | None = None
) -> Looked:
    """Find functions, initcalls, drivers, devices or symbols in a source tree..

    `symbols`: a System.map or kernel image, which tells functions of one name apart.
    """
    tree = opened_tree(source, config, arch=arch)
    table = table_of(symbols) if symbols is not None else []
    rows = [(name, kind) for _, kind, name in table if kind in "tTwW"]
    placed = tree.resolver.resolve(rows) if rows else []
    found = tuple(look_up(tree, name, placed) for name in names)
    return Looked(tree.version, tree.srcarch, tree.assumed, found)
