"""`bootlab history`: boots over months."""

from __future__ import annotations

import typer

from bootlab.cli.history_add import add
from bootlab.cli.history_keep import export, prune
from bootlab.cli.history_show import show

history = typer.Typer(
    help="Keep boots over months: add runs, recordings and logs with their commit, show how each stage developed "
    "and where it changed, export boots, remove old ones.\n\n"
    "Example: bootlab history add last --system camera --revision v1.1",
    no_args_is_help=True,
    rich_markup_mode=None,
)
history.command("add")(add)
history.command("show")(show)
history.command("export")(export)
history.command("prune")(prune)
