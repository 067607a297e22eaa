# SPDX-License-Identifier: MIT
"""The verbs, put together with typer."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from functools import cache
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup
from typer.main import get_group

from bootlab.cli.verb_list import ABOUT, GROUPS, START, VERBS, VERSION_HELP
from bootlab.cli.verbs import expanded


class _Verbs(Mapping[str, Any]):
    """The commands of verbs, each imported and made when somebody asks for it."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __getitem__(self, verb: str) -> Any:
        if verb not in self._names:
            raise KeyError(verb)
        return _command(verb)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _Grouped(TyperGroup):
    """Lists the verbs below the headings of GROUPS, and loads none for that."""

    names: tuple[str, ...] = tuple(VERBS)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = cast("MutableMapping[str, Any]", _Verbs(self.names))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer asks so
        """Return the names of the verbs."""
        return list(self.names)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer asks so
        """Write one list a group, each in the order of GROUPS."""
        for title, verbs in GROUPS.items():
            rows = [(verb, place[2]) for verb, place in verbs.items() if verb in self.names]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _version(wanted: bool) -> None:
    if wanted:
        from bootlab import __version__  # noqa: PLC0415

        typer.echo(f"bootlab {__version__}")
        raise typer.Exit


def root(
    _version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help=VERSION_HELP)] = False,
) -> None:
    """Read the options that stand before the verb."""


@cache
def _command(verb: str) -> Any:
    """Import a verb and let typer make its command."""
    module_name, function = VERBS[verb]
    module = importlib.import_module(module_name)
    found = getattr(module, function)
    alone = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.callback()(root)
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=verb)
    else:
        alone.command(verb, cls=getattr(module, "COMMAND", None))(expanded(found))
    return get_group(alone).commands[verb]


def make_app(verbs: Iterable[str] = VERBS) -> typer.Typer:
    """Make the program with these verbs."""
    chosen = type("Chosen", (_Grouped,), {"names": tuple(verbs)})
    made = typer.Typer(
        name="bootlab",
        cls=chosen,
        help=ABOUT,
        epilog=START,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(root)
    return made
