"""`bootlab analyze`: read any boot log or trace and show its costs; compare logs; check budgets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from bootlab.cli.analysis_run import SEPARATOR, Request, run


class AnalyzeCommand(TyperCommand):
    """A command that keeps the `--` between base and new files."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Replace the first `--`, then parse as ever."""
        if "--" in args:
            args[args.index("--")] = SEPARATOR
        return super().parse_args(ctx, args)


COMMAND = AnalyzeCommand
"""The command class of this verb."""


def analyze(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Logs or traces of any kind; `-` reads standard input. The first file is the base that the others "
            "are compared with. `BASE... -- NEW...` compares two groups.",
            show_default=False,
        ),
    ],
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document on standard output, and nothing else.")
    ] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print the timeline as CSV.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained HTML page.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture of the boot.")] = None,
    perfetto: Annotated[Path | None, typer.Option(help="Write a Perfetto trace.")] = None,
    chrome: Annotated[Path | None, typer.Option(help="Write a Chrome JSON trace.")] = None,
    folded: Annotated[Path | None, typer.Option(help="Write folded stacks for flame graphs.")] = None,
    speedscope: Annotated[Path | None, typer.Option(help="Write a speedscope file.")] = None,
    top: Annotated[int, typer.Option(min=1, max=10_000, help="Show at most this many rows of each table.")] = 10,
    boot: Annotated[int | None, typer.Option(min=1, help="Use only boot number N of a log with several boots.")] = None,
    application: Annotated[
        str | None, typer.Option(help="Text on the console that marks the start of the application.")
    ] = None,
    goal: Annotated[str | None, typer.Option(help="Text on the console that means the system is usable.")] = None,
    baud: Annotated[int | None, typer.Option(min=1, help="Console speed in baud, if the log does not say it.")] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TIME",
            help="Fail when something takes longer: a stage (kernel=500ms, boot-loader=1s), a boot loader's mark, an "
            "initcall, a device, a unit or a function. May be given more than once.",
        ),
    ] = None,
    threshold_ms: Annotated[
        float,
        typer.Option(
            min=0, help="Ignore differences smaller than this many milliseconds; for functions, a tenth of it."
        ),
    ] = 1.0,
    threshold_percent: Annotated[
        float, typer.Option(min=0, help="Ignore differences smaller than this percentage of the base.")
    ] = 5.0,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=TIME[,PERCENT%]",
            help="Threshold for one kind of item (stage, initcall, probe, unit, function, process): initcall=2ms,10%. "
            "May be given more than once.",
        ),
    ] = None,
    apart: Annotated[bool, typer.Option("--apart", help="Show each file by itself, without comparing.")] = False,
    junit: Annotated[
        Path | None, typer.Option(help="Write the results of budgets and comparison as JUnit XML.")
    ] = None,
) -> None:
    """Read boot logs and traces: show stages, initcalls by true duration, costs and failures.

    Exit code 11: a budget is exceeded, or something became slower beyond noise. That means: by more than --threshold-ms
    and --threshold-percent, and every new value lies above every old one.

    Example: bootlab analyze boot.log --html boot.html
    """
    code = run(
        Request(
            files=files, as_json=as_json, csv=csv, html=html, svg=svg, perfetto=perfetto, chrome=chrome, folded=folded,
            speedscope=speedscope, top=top, boot=boot, application=application, goal=goal, baud=baud,
            budget=budget or [], threshold_ms=threshold_ms, threshold_percent=threshold_percent,
            threshold=threshold or [], apart=apart, junit=junit,
        )
    )  # fmt: skip
    if code:
        raise typer.Exit(code)
