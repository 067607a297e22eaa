# SPDX-License-Identifier: MIT
"""Text out of logs, made safe to show: control characters become visible, long text is cut and says so."""

from __future__ import annotations

import re

# C0 (tab apart), DEL, C1, zero-width and bidirectional controls, line separators, lone surrogates, the byte order mark.
_UNSAFE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")

LINE_LIMIT = 2000
"""Characters of one console line that a report shows."""

SPARED = 20
"""So many more are shown: to say that they are missing takes as many."""


def visible(text: str, limit: int = LINE_LIMIT) -> str:
    r"""Return text with every control character spelled (`\x1b`, `\u202e`), at most `limit` characters of it."""
    cut = len(text) - limit
    if cut <= SPARED:
        return _UNSAFE.sub(_spell, text)
    return f"{_UNSAFE.sub(_spell, text[:limit])} … {cut} more characters"


def one_line(text: str, limit: int = LINE_LIMIT) -> str:
    """Like `visible`, for tables: tabs become spaces."""
    return visible(text.replace("\t", " "), limit)


def _spell(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
