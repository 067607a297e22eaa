# SPDX-License-Identifier: MIT
# ruff: noqa: E501 - a row of a Markdown table is one line
"""`cli.md`: the help of every verb, as the program prints it."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import Any

import typer

from bootlab.cli.__main__ import app
from reference_pages.markdown import code, table

_WIDTH = 100
_INTRODUCTION = """\
# Command line

`bootlab VERB …`. Results go to standard output, progress and errors to standard error. `--json` puts one JSON document
on standard output and nothing else there. [Exit codes](exit-codes.md) says how a command ends;
the [glossary](glossary.md) explains the words.

## Environment

"""
ENVIRONMENT = {
    "BOOTLAB_STORE": "folder of recordings and runs, unless `--store` is given; default: `.bootlab` in the current folder",
    "BOOTLAB_CACHE": "folder of built artefacts, kernel facts and the plugin; default: `$XDG_CACHE_HOME/bootlab` or `~/.cache/bootlab`",
    "BOOTLAB_HISTORY": "URL of the history, unless `--history` is given; default: `history.db` in the store",
    "BOOTLAB_NO_PLUGIN": "set to anything: boot without the stamp plugin",
    "BOOTLAB_KERNEL": "not read by bootlab itself; the demo and the template name it as `$BOOTLAB_KERNEL` in the system file",
}
"""What each variable of the environment does."""
_COMPLETION = "\nShell completion: `bootlab --install-completion`. Man pages come with the [wheel](../how-to/install.md#from-a-wheel).\n\n"


def render() -> str:
    """Return the page."""
    parts = [_INTRODUCTION, table(("variable", "meaning"), [(code(name), said) for name, said in ENVIRONMENT.items()])]
    parts += [_COMPLETION, "## bootlab\n\n", _block(_root(), _context(_root(), None))]
    parts += [f"\n## bootlab {path}\n\n{_block(command, context)}" for path, command, context in commands()]
    return "".join(parts)


def commands() -> Iterator[tuple[str, Any, Any]]:
    """Give each verb, its command of click and a context to ask it with; a verb's own verbs follow it."""
    root = _root()
    context = _context(root, None)
    stack = [(name, command, context) for name, command in reversed(list(root.commands.items()))]
    while stack:
        name, command, parent = stack.pop()
        inner = _context(command, parent)
        yield name, command, inner
        if getattr(command, "commands", None):
            stack += [(f"{name} {n}", c, inner) for n, c in reversed(list(command.commands.items()))]


@functools.cache
def _root() -> Any:
    # An option may take its default from the environment; the page must not depend on it.
    for name in [n for n in os.environ if n.startswith("BOOTLAB_")]:
        del os.environ[name]
    return typer.main.get_command(app)


def _context(command: Any, parent: Any) -> Any:
    return command.make_context(
        command.name or "bootlab",
        [],
        parent=parent,
        resilient_parsing=True,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
    )


def _block(command: Any, context: Any) -> str:
    text = command.get_help(context)
    return "```text\n" + "\n".join(line.rstrip() for line in text.splitlines()) + "\n```\n"
