# SPDX-License-Identifier: MIT
"""Sources that bootlab compiles where it is used: the folders `guest`, `host` and `qemu-plugin` beside this file.

In a wheel they are files; in a checkout they are links to the folders of the same name at its top.
"""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import EnvironmentFault


def source_folder(name: str, file: str = "", *, top: str = "guest") -> Path:
    """Return the folder TOP/NAME (TOP itself for an empty name), which holds `file`. Raise EnvironmentFault."""
    folder = (Path(__file__).parent / top / name).resolve()
    if not (folder / file).exists():
        raise EnvironmentFault(
            f"{folder / file} is missing: bootlab was installed without its sources",
            hint="install bootlab again from its wheel, or `make setup` in a checkout",
        )
    return folder
