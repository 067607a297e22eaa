"""What every verb shares: where things are kept, how errors and interrupts end the process, text or JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import msgspec
import typer
from rich.markup import escape

from bootlab.cli.screen import err, out
from bootlab.errors import BootlabError
from bootlab.report.modelled import DEFAULT_BANDWIDTH

__all__ = [
    "DEFAULT_STORE",
    "JobsOption",
    "JsonOption",
    "StoreOption",
    "SystemArgument",
    "err",
    "fail",
    "out",
    "print_json",
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]
StoreOption = Annotated[
    Path,
    typer.Option("--store", envvar="BOOTLAB_STORE", help="Folder that keeps recordings and runs.", show_default=True),
]
SystemArgument = Annotated[
    Path, typer.Argument(metavar="SYSTEM.toml", help="The system file (`bootlab new` writes one).", show_default=False)
]
JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, max=64, help="Machines at a time. Default: one a core, at most 4."),
]
BandwidthOption = Annotated[
    float,
    typer.Option(min=0.001, max=1e6, help="MB/s of the medium, for the modelled load time in a column of its own."),
]
DEFAULT_BANDWIDTH_MB = DEFAULT_BANDWIDTH / 1e6
DEFAULT_STORE = Path(".bootlab")


def print_json(value: Any) -> None:
    """Write a value as indented JSON with a final line break."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n")


def fail(error: BootlabError, *, as_json: bool = False) -> NoReturn:
    """Say what happened and the way out; end with the error's exit code."""
    if as_json:
        print_json({"error": error.message, "hint": error.hint, "exit_code": error.exit_code})
    console = err()
    console.print(f"[bold red]error:[/] {escape(error.message)}", soft_wrap=True)
    if error.hint:
        console.print(f"[bold]hint:[/]  {escape(error.hint)}", soft_wrap=True)
    raise SystemExit(error.exit_code)
