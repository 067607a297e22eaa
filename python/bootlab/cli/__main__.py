"""The program `bootlab`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from bootlab import __version__
from bootlab.cli import boot, doctor, new, report, stack, techniques, trace, trying
from bootlab.cli.session import fail
from bootlab.errors import BootlabError

app = typer.Typer(
    name="bootlab",
    help="A laboratory for Linux boot time: boot a system, see where the time goes, try each technique, prove it.",
    epilog="Start with: bootlab doctor, then bootlab new my.toml, then bootlab boot my.toml",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bootlab {__version__}")
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read the options that stand before the verb."""


app.command("doctor")(doctor.doctor)
app.command("new")(new.new)
app.command("boot")(boot.boot)
app.command("techniques")(techniques.techniques)
app.command("try")(trying.try_)
app.command("stack")(stack.stack)
app.command("report")(report.report)
app.command("trace")(trace.trace)


def main() -> None:
    """Run the command line; every bootlab error becomes a sentence, a hint and its exit code."""
    try:
        app()
    except BootlabError as error:
        fail(error, as_json="--json" in sys.argv)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(0) from None


if __name__ == "__main__":
    main()
