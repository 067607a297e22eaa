# SPDX-License-Identifier: MIT
"""Options and arguments declared once, at their field or parameter: help, reference and completion come from there.

Importing typer takes longer than reading a log, and a third of the time that passes before QEMU starts.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec


class Argument(msgspec.Struct, frozen=True, kw_only=True):
    """How a parameter is said on the command line by its place. `least` and `most` bound a number.

    `complete` returns the words that a shell offers for a beginning.
    """

    help: str = ""
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    show_default: bool = True
    complete: Callable[[str], list[str]] | None = None


class Option(Argument, frozen=True, kw_only=True):
    """How a field is said on the command line by a name (default: the field's). `envvar` gives its default."""

    names: tuple[str, ...] = ()
    envvar: str | None = None


def technique_ids(beginning: str) -> list[str]:
    """Return the ids of techniques that begin so, for a shell."""
    from bootlab.api.techniques import all_techniques  # noqa: PLC0415 - only a shell that completes waits for it

    return [technique.id for technique in all_techniques() if technique.id.startswith(beginning)]


class Group(msgspec.Struct, kw_only=True):
    """Options that verbs take together: a parameter of this type stands for all its fields that have an `Option`."""


DEFAULT_STORE = Path(".bootlab")
RowsOption = Annotated[int, Option(names=("-n", "--rows"), least=1, help="Show at most this many rows of each table.")]
JsonOption = Annotated[
    bool, Option(names=("--json",), help="Print one JSON document on standard output, and nothing else.")
]
StoreOption = Annotated[Path, Option(envvar="BOOTLAB_STORE", help="Folder for recordings and runs.")]
JobsOption = Annotated[
    int | None,
    Option(
        names=("--jobs", "-j"),
        least=1,
        most=64,
        help="Boot up to this many machines at a time. Default: one per core, at most 4.",
    ),
]


class Kept(Group):
    """What every verb takes that reads or keeps boots; the fields without an `Option` are for those that offer more."""

    store: StoreOption = DEFAULT_STORE
    as_json: JsonOption = False
    jobs: int | None = None
    scheduler: str | None = None
    share: str | None = None
    costs: str | None = None

    @property
    def store_words(self) -> str:
        """Return what a command that finds this store has to say besides."""
        return "" if self.store == DEFAULT_STORE else f" --store {shlex.quote(str(self.store))}"

    @property
    def costs_words(self) -> str:
        """Return what a command that decides by the same board has to say besides."""
        return "" if self.costs is None else f" --costs {shlex.quote(self.costs)}"


class Booting(Kept):
    """What verbs take that boot several machines."""

    jobs: JobsOption = None


class Declared(NamedTuple):
    """An option as a field declares it. `kind`: what its text becomes; `repeated`: it may be given more than once."""

    field: str
    names: tuple[str, ...]
    kind: Any
    repeated: bool
    option: Option
    annotation: Any
    default: Any

    def takes(self, value: Any) -> bool:
        """Tell whether a number lies within its bounds."""
        low, high = self.option.least, self.option.most
        return (low is None or value >= low) and (high is None or value <= high)


def declared(kind: type[Group]) -> list[Declared]:
    """Return the options of a group in the order of its fields, its own before those that it inherits."""
    hints = get_type_hints(kind, include_extras=True)
    defaults = {field.name: field.default for field in msgspec.structs.fields(kind)}
    names = dict.fromkeys(
        name for one in kind.__mro__ for name in getattr(one, "__annotations__", ()) if name in defaults
    )
    found = (declared_as(name, hints[name], defaults[name]) for name in names)
    return [one for one in found if one is not None]


def declared_as(field: str, hint: Any, default: Any) -> Declared | None:
    """Return the option that an annotation declares; None for one that declares none."""
    annotation, option = get_args(hint)[:2] if get_origin(hint) is Annotated else (hint, None)
    if not isinstance(option, Option):
        return None
    kind = next((part for part in get_args(annotation) if part is not NoneType), annotation)
    names = option.names or ("--" + field.replace("_", "-"),)
    return Declared(field, names, kind, get_origin(annotation) is list, option, annotation, default)


def take(request: Group, args: Sequence[str]) -> list[str] | None:
    """Set the options that arguments name; return the other words, or None where typer has to parse or to refuse."""
    options = declared(type(request))
    for option in options:
        if option.option.envvar is not None and (value := os.environ.get(option.option.envvar)):
            setattr(request, option.field, option.kind(value))
    known = {name: option for option in options for name in option.names}
    words, rest = [], list(args)
    while rest:
        word = rest.pop(0)
        if word in {"-", "--"} or not word.startswith("-"):
            words.append(word)
        elif not _take(request, known, word, rest):
            return None
    return words


def _take(request: Group, known: dict[str, Declared], word: str, rest: list[str]) -> bool:
    name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
    option = known.get(name)
    if option is None:
        return False
    if option.kind is bool:
        setattr(request, option.field, True)
        return not equals
    if not (equals or rest):
        return False
    text = value if equals else rest.pop(0)
    try:
        taken = option.kind(text)
    except ValueError:
        return False
    if option.repeated:
        getattr(request, option.field).append(taken)
    else:
        setattr(request, option.field, taken)
    return option.takes(taken) and (text == "-" or not text.startswith("-"))
