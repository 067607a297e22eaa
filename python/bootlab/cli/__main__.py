"""The program `bootlab`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from bootlab.errors import BootlabError

VERBS: dict[str, tuple[str, str]] = {
    "doctor": ("bootlab.cli.doctor", "doctor"),
    "analyze": ("bootlab.cli.analyze", "analyze"),
    "new": ("bootlab.cli.new", "new"),
    "boot": ("bootlab.cli.boot", "boot"),
    "techniques": ("bootlab.cli.techniques", "techniques"),
    "try": ("bootlab.cli.trying", "try_"),
    "stack": ("bootlab.cli.stack", "stack"),
    "report": ("bootlab.cli.report", "report"),
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
        made.command(verb, cls=getattr(module, "COMMAND", None))(getattr(module, function))
    return made


def __getattr__(name: str) -> typer.Typer:
    """Give the whole program as `app`, made when somebody asks for it."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    whole = make_app(VERBS)
    globals()["app"] = whole
    return whole


def main() -> None:
    """Run the command line; every bootlab error becomes a sentence, a hint and its exit code."""
    named = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        make_app([named] if named in VERBS else VERBS)()
    except BootlabError as error:
        from bootlab.cli.session import fail  # noqa: PLC0415

        fail(error, as_json="--json" in sys.argv)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(0) from None


if __name__ == "__main__":
    main()
