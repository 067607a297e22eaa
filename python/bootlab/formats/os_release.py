# SPDX-License-Identifier: MIT
"""os-release: how a distribution names itself (os-release(5))."""

from __future__ import annotations

import shlex

_LINES_MAX = 100


def read(text: str) -> dict[str, str]:
    """Return what each key is set to. Values are quoted as in a shell; one that is not is taken as it stands."""
    found = {}
    for line in text.splitlines()[:_LINES_MAX]:
        key, equals, value = line.partition("=")
        if equals and not key.lstrip().startswith("#"):
            found[key.strip()] = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    try:
        return " ".join(shlex.split(value))
    except ValueError:
        return value.strip("\"'")
