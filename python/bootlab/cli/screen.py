# SPDX-License-Identifier: MIT
"""The two consoles, results on standard output, progress and errors beside it; and JSON.

Without typer: `bootlab analyze` ends before its import would.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec
from rich.console import Console
from rich.markup import escape

from bootlab.errors import BootlabError

_PIPE_COLUMNS = 100


def out() -> Console:
    """Return the console for results."""
    console = Console(highlight=False)
    # A pipe has no width: what comes out of it is read in a mail, a page or a terminal later. Who sets COLUMNS knows.
    given = console.is_terminal or os.environ.get("COLUMNS", "").isdecimal()
    return console if given else Console(highlight=False, width=_PIPE_COLUMNS)


class LongOutput:
    """A console that knows whether what it printed is longer than the screen that it is on."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lines = 0

    @property
    def left_the_screen(self) -> bool:
        """Tell whether the first line has left a terminal's screen; a pipe and a file have none."""
        return self._console.is_terminal and self._lines > self._console.height

    def print(self, *shown: Any) -> None:
        """Print as a console does, and count the lines."""
        with self._console.capture() as text:
            self._console.print(*shown)
        self._lines += text.get().count("\n")
        self._console.file.write(text.get())


def err() -> Console:
    """Return the console for progress and errors."""
    return Console(stderr=True, highlight=False)


def put_line(text: str) -> None:
    """Write a line of the results, however long it is, as it is."""
    out().print(text, markup=False, soft_wrap=True)


def say(text: str) -> None:
    """Write a line beside the results, however long it is, as it is."""
    err().print(text, markup=False, soft_wrap=True)


def program() -> str:
    """Return the word that starts bootlab here: its name, or its path where a shell would not find that."""
    called = Path(sys.argv[0])
    if called.name != "bootlab" or not called.is_file() or shutil.which("bootlab"):
        return "bootlab"
    here = Path.cwd()
    # Not resolved: the file is often a link, and the name that was typed is the one that a person knows.
    whole = Path(os.path.abspath(called))  # noqa: PTH100
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)


def print_json(value: Any) -> None:
    """Write a value as indented JSON with a final line break."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n")


def alarm(lines: Sequence[str]) -> None:
    """Print lines that nobody may miss."""
    console = err()
    for line in lines:
        console.print(escape(line), style="bold white on red", soft_wrap=True, highlight=False)


def fail(error: BootlabError, *, as_json: bool = False) -> NoReturn:
    """Say what happened and the way out; end with the error's exit code."""
    if as_json:
        print_json({"error": error.message, "hint": error.hint, "exit_code": error.exit_code})
    console = err()
    console.print(f"[bold red]error:[/] {escape(error.message)}", soft_wrap=True)
    if error.hint:
        console.print(f"[bold]hint:[/]  {escape(error.hint)}", soft_wrap=True)
    raise SystemExit(error.exit_code)
