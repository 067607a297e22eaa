"""Options taken from a command line without typer: importing it takes longer than some verbs do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def option(word: str, rest: list[str], values: Mapping[str, Callable[[str], Any]]) -> tuple[str, Any] | None:
    """Return an option's name and value; the value is taken from `rest` when the word itself holds none.

    `values`: what makes a value of an option's text. None for anything else, which typer then parses or refuses.
    """
    name, equals, value = word.removeprefix("--").partition("=")
    convert = values.get(name)
    if convert is None or not word.startswith("--") or not (equals or rest):
        return None
    try:
        return name, convert(value if equals else rest.pop(0))
    except ValueError:
        return None
