# SPDX-License-Identifier: MIT
"""What `bootlab analyze` is asked for, declared once: for typer, and for the plain calls that do without it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from bootlab.cli.options import Group, JsonOption, Option, take

SEPARATOR = "\0--"
"""Stands for `--` among the files: the parser would swallow it, and with it which files are the base."""


class AnalysisRequest(Group):
    """What was asked for. A field with an `Option` is an option of `bootlab analyze`: nothing else declares it."""

    files: list[str] = msgspec.field(default_factory=list)
    as_json: JsonOption = False
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
    ] = msgspec.field(default_factory=list)
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
    ] = msgspec.field(default_factory=list)
    apart: Annotated[bool, Option(help="Show each file by itself, without comparing.")] = False
    junit: Annotated[Path | None, Option(help="Write the results of budgets and comparison as JUnit XML.")] = None
    system: Annotated[
        Path | None, Option(help="Write the skeleton of a system file, so that what the log advises can be tried.")
    ] = None


def plain_request(args: Sequence[str]) -> AnalysisRequest | None:
    """Parse arguments without typer; None for anything but plain calls, which typer then parses or refuses."""
    request = AnalysisRequest()
    behind = args[list(args).index("--") + 1 :] if "--" in args else ()
    words = take(request, args)
    if not words or any(word.startswith("-") and word != "-" for word in behind):
        return None
    request.files = [SEPARATOR if word == "--" else word for word in words]
    return request
