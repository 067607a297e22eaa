# SPDX-License-Identifier: MIT
"""Views as the text that a terminal shows."""

from __future__ import annotations

from io import StringIO

from rich.console import Console, RenderableType


def to_text(view: RenderableType, *, width: int = 120) -> str:
    """Render without colour, for files and pipes."""
    out = StringIO()
    Console(file=out, width=width, color_system=None, force_terminal=False, highlight=False).print(view)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
