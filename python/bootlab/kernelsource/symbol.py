# SPDX-License-Identifier: MIT
"""Kconfig symbols as their files define them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from bootlab.kernelsource.expression import FALSE, TRUE, Expression, both, either

Type: TypeAlias = Literal["bool", "tristate", "int", "hex", "string", "unknown"]


class Conditional(msgspec.Struct, frozen=True):
    """A default, and when it counts."""

    value: Expression
    condition: Expression


class ValueRange(msgspec.Struct, frozen=True):
    """A range of an int or hex, and when it counts."""

    low: Expression
    high: Expression
    condition: Expression


class SelectClause(msgspec.Struct, frozen=True):
    """`select` or `imply`: `by` turns `target` on while `condition` holds, which has the dependencies of `by`."""

    by: str
    target: str
    condition: Expression
    weak: bool
    """`imply`: the target's own dependencies still count, and a person may say no."""


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """One `config` block. `depends` and `prompt_if` have the conditions of all menus and ifs around it."""

    file: str
    line: int
    depends: Expression = TRUE
    prompt: str | None = None
    prompt_if: Expression = TRUE
    defaults: tuple[Conditional, ...] = ()
    ranges: tuple[ValueRange, ...] = ()
    selections: tuple[SelectClause, ...] = ()
    help: str = ""
    menu: tuple[str, ...] = ()
    choice: int | None = None
    """Number of the choice that it is a member of."""


class Symbol(msgspec.Struct, frozen=True, kw_only=True):
    """A symbol with all its definitions."""

    name: str
    type: Type
    definitions: tuple[Definition, ...]

    @property
    def prompt(self) -> str:
        """The first prompt, or "": nobody is asked."""
        return next((d.prompt for d in self.definitions if d.prompt is not None), "")

    @property
    def help(self) -> str:
        """The first help text."""
        return next((d.help for d in self.definitions if d.help), "")

    @property
    def depends(self) -> Expression:
        """What must hold for one of the definitions to count (kernel: `dir_dep`)."""
        return either(*(d.depends for d in self.definitions))

    @property
    def visible(self) -> Expression:
        """When a person may set it."""
        asked = [both(d.depends, d.prompt_if) for d in self.definitions if d.prompt is not None]
        return either(*asked) if asked else FALSE

    @property
    def choice(self) -> int | None:
        """Number of its choice."""
        return next((d.choice for d in self.definitions if d.choice is not None), None)


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A choice: one of its members is set."""

    number: int
    name: str
    prompt: str
    members: tuple[str, ...]
    optional: bool
    visible: Expression
    file: str
    line: int
