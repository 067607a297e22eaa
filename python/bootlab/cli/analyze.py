"""`bootlab analyze`: read any boot log or trace and show its costs; compare logs; check budgets."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from bootlab.cli.analysis_request import SEPARATOR, Request, options
from bootlab.cli.analysis_run import run


class AnalyzeCommand(TyperCommand):
    """A command that keeps the `--` between base and new files."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Replace the first `--`, then parse as ever."""
        if "--" in args:
            args[args.index("--")] = SEPARATOR
        return super().parse_args(ctx, args)


COMMAND = AnalyzeCommand
"""The command class of this verb."""

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Logs or traces of any kind; `-` reads standard input. The first file is the base that the others "
        "are compared with. `BASE... -- NEW...` compares two groups.",
        show_default=False,
    ),
]


def analyze(files: Files, **given: Any) -> None:
    """Read boot logs and traces: show stages, initcalls by true duration, costs and failures.

    Exit code 11: a budget is exceeded, or something became slower beyond noise. That means: by more than --threshold-ms
    and --threshold-percent, and every new value lies above every old one.

    Example: bootlab analyze boot.log --html boot.html
    """
    if code := run(Request(files=files, **{name: value for name, value in given.items() if value is not None})):
        raise typer.Exit(code)


def _declare() -> None:
    """Give typer the options that `Request` declares."""
    parameters = [inspect.Parameter("files", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Files)]
    for declared in options():
        said = declared.option
        option = typer.Option(declared.name, help=said.help, metavar=said.metavar, min=said.least, max=said.most)
        # Typer's own word for an option that may be given more than once, and was not.
        kind: Any = declared.annotation | None if declared.repeated else declared.annotation
        default = None if declared.repeated else declared.default
        annotation = Annotated[kind, option]
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(declared.field, keyword, default=default, annotation=annotation))
    analyze.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    analyze.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


_declare()
