"""The two consoles: results on standard output, progress and errors beside it."""

from __future__ import annotations

from rich.console import Console

_PIPE_COLUMNS = 150


def out() -> Console:
    """Return the console for results."""
    console = Console(highlight=False)
    # A pipe has no width; 80 columns would cut what a file has room for.
    return console if console.is_terminal else Console(highlight=False, width=_PIPE_COLUMNS)


def err() -> Console:
    """Return the console for progress and errors."""
    return Console(stderr=True, highlight=False)
