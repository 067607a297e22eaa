# SPDX-License-Identifier: MIT
"""The command line: one verb a file. Only here is anything printed or the process ended."""

from __future__ import annotations

import sys


def _load_msgspec() -> None:
    """Load msgspec without typing_extensions, which it asks for before `typing`.

    `typing` has all that it wants from Python 3.11 on; typing_extensions with `inspect` behind it would take a tenth of
    the time before a machine starts. Whoever wants it later gets it.
    """
    if "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # that it cannot be imported
    try:
        import msgspec  # noqa: F401, PLC0415
    finally:
        del sys.modules["typing_extensions"]


_load_msgspec()
