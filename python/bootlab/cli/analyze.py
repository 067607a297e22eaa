# SPDX-License-Identifier: MIT
"""`bootlab analyze`: read any boot log or trace and show its costs; compare logs; check budgets."""

from __future__ import annotations

from typing import Annotated, Any

from typer.core import TyperCommand

from bootlab.cli.analysis_request import SEPARATOR, AnalysisRequest
from bootlab.cli.analysis_run import run
from bootlab.cli.options import Argument


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
    Argument(
        metavar="FILE...",
        help="Logs or traces of any kind; `-` reads standard input. The first file is the base that the others "
        "are compared with. `BASE... -- NEW...` compares two groups.",
        show_default=False,
    ),
]


def analyze(files: Files, asked: AnalysisRequest) -> None:
    """Read boot logs and traces: show stages, initcalls by true duration, costs and failures.

    Exit code 11: a budget is exceeded, or something became slower beyond noise. That means: by more than --threshold-ms
    and --threshold-percent, and every new value lies above every old one.

    Example: bootlab analyze boot.log --html boot.html
    """
    asked.files = files
    if code := run(asked):
        raise SystemExit(code)
