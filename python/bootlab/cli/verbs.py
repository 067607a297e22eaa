# SPDX-License-Identifier: MIT
"""Makes verbs of functions: what they declare by fields and `Option` becomes options of typer."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Annotated, Any, get_args, get_origin

import typer

from bootlab.cli.options import Argument, Declared, Group, declared, declared_as


class Verbs(typer.Typer):
    """Verbs below one name, as those of `bootlab history`."""

    def __init__(self, said: str, **verbs: Callable[..., None]) -> None:
        """Take what `--help` says of them, and the function of each by its name."""
        super().__init__(help=said, no_args_is_help=True, rich_markup_mode=None)
        for name, function in verbs.items():
            self.command(name)(expanded(function))


def expanded(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function that typer can ask: each field of a group is a parameter of its own there."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    groups: dict[str, type[Group]] = {
        one.name: one.annotation
        for one in parameters
        if inspect.isclass(one.annotation) and issubclass(one.annotation, Group)
    }

    @functools.wraps(function)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            fields = {one.field: given.pop(one.field) for one in declared(group)}
            # Typer's word for an option that may be given more than once, and was not.
            given[name] = group(**{field: value for field, value in fields.items() if value is not None})
        function(**given)

    asked = [one for parameter in parameters for one in _asked(parameter, groups)]
    called.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in asked}
    return called


def _asked(parameter: inspect.Parameter, groups: dict[str, type[Group]]) -> Iterator[inspect.Parameter]:
    if parameter.name in groups:
        yield from (_option(one) for one in declared(groups[parameter.name]))
    elif (one := declared_as(parameter.name, parameter.annotation, parameter.default)) is not None:
        yield _option(one)
    elif get_origin(parameter.annotation) is Annotated:
        kind, argument = get_args(parameter.annotation)[:2]
        yield parameter.replace(annotation=Annotated[kind, _argument(argument)])
    else:
        raise TypeError(f"{parameter.name} is neither a group of options nor declared as Option or Argument")


def _option(one: Declared) -> inspect.Parameter:
    said = one.option
    option = typer.Option(*one.names, envvar=said.envvar, **_said(said))
    kind: Any = one.annotation | None if one.repeated else one.annotation
    default = None if one.repeated else one.default
    return inspect.Parameter(
        one.field, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )


def _argument(said: Argument) -> Any:
    return typer.Argument(**_said(said))


def _said(said: Argument) -> dict[str, Any]:
    return {
        "help": said.help or None,
        "metavar": said.metavar,
        "min": said.least,
        "max": said.most,
        "show_default": said.show_default,
        "autocompletion": said.complete,
    }
