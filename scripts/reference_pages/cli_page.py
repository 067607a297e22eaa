# SPDX-License-Identifier: MIT
# ruff: noqa: E501 - a row of a Markdown table is one line
"""`cli.md`: the help of every verb, as the program prints it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import typer

from bootlab.cli.__main__ import app

_WIDTH = 100
_INTRODUCTION = """\
# Command line

`bootlab VERB …`. Results go to standard output, progress and errors to standard error. `--json` puts one JSON document
on standard output and nothing else there. [Exit codes](exit-codes.md) says how a command ends;
the [glossary](glossary.md) explains the words.

## Environment

| variable | meaning |
|---|---|
| `BOOTLAB_STORE` | folder of recordings and runs, unless `--store` is given; default: `.bootlab` in the current folder |
| `BOOTLAB_CACHE` | folder of built artefacts, kernel facts and the plugin; default: `$XDG_CACHE_HOME/bootlab` or `~/.cache/bootlab` |
| `BOOTLAB_HISTORY` | URL of the history, unless `--history` is given; default: `history.db` in the store |
| `BOOTLAB_NO_PLUGIN` | set to anything: boot without the stamp plugin |
| `BOOTLAB_KERNEL` | not read by bootlab itself; the demo and the template name it as `$BOOTLAB_KERNEL` in the system file |

Shell completion: `bootlab --install-completion`.

"""


def render() -> str:
    """Return the page."""
    # An option may take its default from the environment; the page must not depend on it.
    for name in [n for n in os.environ if n.startswith("BOOTLAB_")]:
        del os.environ[name]
    root = typer.main.get_command(app)
    parts = [_INTRODUCTION, "## bootlab\n\n", _block(root, None)]
    for path, command, parent in _walk(root):
        parts.append(f"\n## bootlab {path}\n\n{_block(command, parent)}")
    return "".join(parts)


def _walk(root: Any) -> Iterator[tuple[str, Any, Any]]:
    context = _context(root, None)
    stack = [(name, command, context) for name, command in reversed(list(root.commands.items()))]
    while stack:
        name, command, parent = stack.pop()
        yield name, command, parent
        if getattr(command, "commands", None):
            inner = _context(command, parent)
            stack += [(f"{name} {n}", c, inner) for n, c in reversed(list(command.commands.items()))]


def _context(command: Any, parent: Any) -> Any:
    return command.make_context(
        command.name or "bootlab",
        [],
        parent=parent,
        resilient_parsing=True,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
    )


def _block(command: Any, parent: Any) -> str:
    text = command.get_help(_context(command, parent))
    return "```text\n" + "\n".join(line.rstrip() for line in text.splitlines()) + "\n```\n"
