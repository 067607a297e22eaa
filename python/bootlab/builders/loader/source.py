# SPDX-License-Identifier: MIT
"""U-Boot's source trees: Debian's, or a user's own, never written into."""

from __future__ import annotations

import os
from pathlib import Path

from bootlab.builders.cache import Cache, default_folder
from bootlab.builders.kbuild.source import SourceTree, identity_of, version_of
from bootlab.errors import SourceMissing, UserError

SOURCE_VARIABLE = "BOOTLAB_UBOOT_SOURCE"
_PARTS = ("Makefile", "Kconfig", "common/spl/spl.c", "configs")
# Left by a build inside the tree; U-Boot's own Makefile refuses such a tree too.
_LEFTOVERS = (".config", "include/config", "include/generated")


def find(source: str, cache: Cache) -> SourceTree:
    """Return a checked tree. Raise SourceMissing without Debian's, UserError for a folder that is none of U-Boot's."""
    tree = _folder(source).resolve()
    missing = next((part for part in _PARTS if not (tree / part).exists()), None)
    if missing is not None:
        if source == "debian":
            raise SourceMissing(
                f"the source of U-Boot is not in {tree}",
                hint=f"scripts/fetch-uboot-source.sh {tree}   ({SOURCE_VARIABLE} names another folder)",
            )
        raise UserError(
            f"{tree} is not a source tree of U-Boot: it has no {missing}",
            hint='name the folder that holds U-Boot\'s Makefile, or take source = "debian"',
        )
    left = next((name for name in _LEFTOVERS if (tree / name).exists()), None)
    if left is not None:
        raise UserError(
            f"{tree} contains a build ({left}), so U-Boot cannot be built from it in another folder",
            hint=f"save its .config, then: make -C {tree} mrproper",
        )
    return SourceTree(path=tree, identity=identity_of(tree, cache), version=version_of(tree))


def _folder(source: str) -> Path:
    if source != "debian":
        return Path(source)
    named = os.environ.get(SOURCE_VARIABLE)
    return Path(named) if named else default_folder() / "uboot-source"
