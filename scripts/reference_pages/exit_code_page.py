# SPDX-License-Identifier: MIT
# ruff: noqa: E501 - a row of a Markdown table is one line
"""`exit-codes.md`: how a process ends, and the tree of errors."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import bootlab
from bootlab.errors import BootlabError, Found
from bootlab.model.recording import Outcome
from reference_pages.markdown import code, table

_INTRODUCTION = """\
# Exit codes and errors

Every error is one sentence that says what happened and where, and a `hint:` with the next command to try. With `--json`
the error goes to standard output as `{"error": …, "hint": …, "exit_code": …}`.

## Exit codes

"""
_FAMILIES = (
    (0, "done; a boot reached its goal, with its functional check passed"),
    (
        1,
        "a bug in bootlab: an exception that nothing caught, with its traceback. Never a result",
    ),
    (2, "your input is wrong: a system file, an option, a name"),
    (
        3,
        "something on this machine is wrong: a tool is missing, KVM does not work, a folder cannot be written; `doctor` found something missing",
    ),
    (
        4,
        "the target failed in a way that has no code of its own; `timers`: an expiration was lost, early or counted twice, or an assertion failed",
    ),
    (
        5,
        "the measurement cannot be trusted: boots that must be equal differ (`boot --repeat`), or boots disturbed each other",
    ),
)
_OUTCOMES = """
## How a boot ends

`bootlab boot` ends with the code of its outcome, and so do `try` and `stack` if the *base* fails. A variant that fails is a
result (the verdict *broken*), not an error.

"""
_ERRORS = """
## The tree of errors

For scripts: every class derives from `BootlabError` and has `message`, `hint` and `exit_code`.

"""


def render() -> str:
    """Return the page."""
    parts = [_INTRODUCTION, table(("code", "meaning"), [(c, text) for c, text in meanings()])]
    rows = [(code(o.value), code(o.exit_code), o.hint or "") for o in Outcome]
    parts += [_OUTCOMES, table(("outcome", "exit code", "the next thing to try"), rows)]
    parts += [_ERRORS, table(("class", "is a", "exit code", "raised when"), [_row(e) for e in error_classes()])]
    return "".join(parts)


def meanings() -> Iterator[tuple[str, str]]:
    """Give each exit code, or range of them, in Markdown, and what it means."""
    yield from ((code(number), text) for number, text in _FAMILIES)
    yield from ((code(found.value), found.meaning) for found in Found)
    yield "`41` to `59`", "how a boot failed, below"
    yield "`130`", "stopped by Ctrl-C; finished boots are kept"


def error_classes() -> list[type[BootlabError]]:
    """Return every class of the tree, each after its base."""
    for module in pkgutil.walk_packages(bootlab.__path__, "bootlab."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found: list[type[BootlabError]] = []
    waiting: list[type[BootlabError]] = [BootlabError]
    while waiting:
        error = waiting.pop(0)
        found.append(error)
        waiting[:0] = sorted(error.__subclasses__(), key=lambda e: (e.exit_code, e.__name__))
    return found


def _row(error: type[BootlabError]) -> tuple[str, str, str, str]:
    bases = ", ".join(b.__name__ for b in error.__bases__ if issubclass(b, BootlabError))
    number = f"`{error.exit_code}`"
    if error.__name__ == "BaseFailedError":
        number = "that of the base's outcome"
    return f"`{error.__module__}.{error.__name__}`", code(bases) if bases else "", number, inspect.getdoc(error) or ""
