# SPDX-License-Identifier: MIT
"""Text out of logs and files, made safe for Markdown."""

from __future__ import annotations

import re

from bootlab.views.shown_text import one_line

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


def plain(text: str, limit: int = 300) -> str:
    """Escape text so that Markdown shows it as it is, on one line."""
    return _MARKUP.sub(r"\\\1", one_line(text, limit))


def code_cell(text: str) -> str:
    """Put text in a code span of a table, where a bar would end the cell even inside the span."""
    return code(text).replace("|", "\\|")


def code(text: str, limit: int = 300) -> str:
    """Put text in a code span whose fence is longer than any run of backticks in it."""
    shown = one_line(text, limit)
    if not shown:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
