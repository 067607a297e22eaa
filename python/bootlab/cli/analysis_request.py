"""What `bootlab analyze` is asked for, declared once: for typer, and for the plain calls that do without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

SEPARATOR = "\0--"
"""Stands for `--` among the files: the parser would swallow it, and with it which files are the base."""


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """How a field of `Request` is said on the command line. `least` and `most` bound a number."""

    help: str
    name: str = ""
    metavar: str | None = None
    least: int | None = None
    most: int | None = None


class Request(msgspec.Struct, kw_only=True):
    """What was asked for. A field with an `Option` is an option of `bootlab analyze`: nothing else declares it."""

    files: list[str]
    as_json: Annotated[
        bool, Option(name="--json", help="Print one JSON document on standard output, and nothing else.")
    ] = False
    csv: Annotated[bool, Option(help="Print the timeline as CSV.")] = False
    html: Annotated[Path | None, Option(help="Write one self-contained HTML page.")] = None
    svg: Annotated[Path | None, Option(help="Write a picture of the boot.")] = None
    perfetto: Annotated[Path | None, Option(help="Write a Perfetto trace.")] = None
    chrome: Annotated[Path | None, Option(help="Write a Chrome JSON trace.")] = None
    folded: Annotated[Path | None, Option(help="Write folded stacks for flame graphs.")] = None
    speedscope: Annotated[Path | None, Option(help="Write a speedscope file.")] = None
    top: Annotated[int, Option(least=1, most=10_000, help="Show at most this many rows of each table.")] = 10
    boot: Annotated[int | None, Option(least=1, help="Use only boot number N of a log with several boots.")] = None
    application: Annotated[str | None, Option(help="Text on the console that marks the start of the application.")] = (
        None
    )
    goal: Annotated[str | None, Option(help="Text on the console that means the system is usable.")] = None
    baud: Annotated[int | None, Option(least=1, help="Console speed in baud, if the log does not say it.")] = None
    budget: Annotated[
        list[str],
        Option(
            metavar="NAME=TIME",
            help="Fail when something takes longer: a stage (kernel=500ms, boot-loader=1s), a boot loader's mark, an "
            "initcall, a device, a unit or a function. May be given more than once.",
        ),
    ] = []
    threshold_ms: Annotated[
        float,
        Option(least=0, help="Ignore differences smaller than this many milliseconds; for functions, a tenth of it."),
    ] = 1.0
    threshold_percent: Annotated[
        float, Option(least=0, help="Ignore differences smaller than this percentage of the base.")
    ] = 5.0
    threshold: Annotated[
        list[str],
        Option(
            metavar="KIND=TIME[,PERCENT%]",
            help="Threshold for one kind of item (stage, initcall, probe, unit, function, process): initcall=2ms,10%. "
            "May be given more than once.",
        ),
    ] = []
    apart: Annotated[bool, Option(help="Show each file by itself, without comparing.")] = False
    junit: Annotated[Path | None, Option(help="Write the results of budgets and comparison as JUnit XML.")] = None
    system: Annotated[
        Path | None, Option(help="Write the skeleton of a system file, so that what the log advises can be tried.")
    ] = None


class Declared(NamedTuple):
    """An option as `Request` declares it. `kind`: what its text becomes; `repeated`: it may be given more than once."""

    field: str
    name: str
    kind: Callable[[str], Any]
    repeated: bool
    option: Option
    annotation: Any
    default: Any

    def takes(self, value: Any) -> bool:
        """Tell whether a number lies within its bounds."""
        low, high = self.option.least, self.option.most
        return (low is None or value >= low) and (high is None or value <= high)


def options() -> list[Declared]:
    """Return the options in the order of `Request`."""
    hints = get_type_hints(Request, include_extras=True)
    declared = []
    for field in msgspec.structs.fields(Request):
        if get_origin(hints[field.name]) is not Annotated:
            continue
        annotation, option = get_args(hints[field.name])
        kind = next((part for part in get_args(annotation) if part is not NoneType), annotation)
        name = option.name or "--" + field.name.replace("_", "-")
        repeated = get_origin(annotation) is list
        declared.append(Declared(field.name, name, kind, repeated, option, annotation, field.default))
    return declared


def plain_request(args: Sequence[str]) -> Request | None:
    """Parse arguments without typer; None for anything but plain calls, which typer then parses or refuses."""
    request = Request(files=[])
    known = {option.name: option for option in options()}
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if word == "--":
            if SEPARATOR in request.files or any(r.startswith("-") and r != "-" for r in rest):
                return None
            request.files.append(SEPARATOR)
        elif word == "-" or not word.startswith("-"):
            request.files.append(word)
        elif not _take(request, known, word, rest):
            return None
    return request if request.files else None


def _take(request: Request, known: dict[str, Declared], word: str, rest: list[str]) -> bool:
    name, equals, value = word.partition("=")
    option = known.get(name)
    if option is None:
        return False
    if option.kind is bool:
        setattr(request, option.field, True)
        return not equals
    if not (equals or rest):
        return False
    try:
        taken = option.kind(value if equals else rest.pop(0))
    except ValueError:
        return False
    if option.repeated:
        getattr(request, option.field).append(taken)
    else:
        setattr(request, option.field, taken)
    return option.takes(taken)
