"""The verbs, put together with typer."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Annotated

import typer

VERBS: dict[str, tuple[str, str]] = {
    "doctor": ("bootlab.cli.doctor", "doctor"),
    "analyze": ("bootlab.cli.analyze", "analyze"),
    "check": ("bootlab.cli.check", "check"),
    "new": ("bootlab.cli.new", "new"),
    "boot": ("bootlab.cli.boot", "boot"),
    "techniques": ("bootlab.cli.techniques", "techniques"),
    "try": ("bootlab.cli.trying", "try_"),
    "ladder": ("bootlab.cli.ladder", "ladder"),
    "fs": ("bootlab.cli.fs", "fs"),
    "steps": ("bootlab.cli.steps", "steps"),
    "rootfs": ("bootlab.cli.rootfs", "rootfs"),
    "stack": ("bootlab.cli.stack", "stack"),
    "report": ("bootlab.cli.report", "report"),
    "trace": ("bootlab.cli.trace", "trace"),
    "profile": ("bootlab.cli.profile", "profile"),
    "where": ("bootlab.cli.where", "where"),
    "timers": ("bootlab.cli.timers", "timers"),
    "kernel": ("bootlab.cli.kernel", "kernel"),
    "lpj": ("bootlab.cli.lpj", "lpj"),
    "delay": ("bootlab.cli.delay", "delay"),
    "xip": ("bootlab.cli.xip", "xip"),
}
"""Where each verb lives. A call imports the verb it names and no other: `analyze` must not wait for the laboratory."""


def _version(wanted: bool) -> None:
    if wanted:
        from bootlab import __version__  # noqa: PLC0415

        typer.echo(f"bootlab {__version__}")
        raise typer.Exit


def root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read the options that stand before the verb."""


def make_app(verbs: Iterable[str]) -> typer.Typer:
    """Make the program with these verbs."""
    made = typer.Typer(
        name="bootlab",
        help="A laboratory for Linux boot time: boot a system, see where the time goes, try each technique, prove it.",
        epilog="Start with: bootlab analyze boot.log, or: bootlab doctor, then bootlab new my.toml, then bootlab boot "
        "my.toml",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(root)
    for verb in verbs:
        module_name, function = VERBS[verb]
        module = importlib.import_module(module_name)
        found = getattr(module, function)
        if isinstance(found, typer.Typer):
            made.add_typer(found, name=verb)
        else:
            made.command(verb, cls=getattr(module, "COMMAND", None))(found)
    return made
