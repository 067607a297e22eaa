# SPDX-License-Identifier: MIT
"""Expressions over Kconfig symbols, of Kconfig files and of Makefiles' conditions, with what is not known kept apart.

A value is a range: n = 0, m = 1, y = 2. What nobody can know without running the compiler is (n, y). So
`FOO && $(cc-option,...)` is n for certain when FOO is n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import msgspec

LEVELS = {"n": 0, "m": 1, "y": 2}
LETTERS = "nmy"

Lookup: TypeAlias = Callable[[str], "str | None"]
"""A symbol's value: `y`, `m`, `n`, a text or number; None when it is unknown."""


class TristateRange(NamedTuple):
    """What is known of a tristate value: not below `low`, not above `high`."""

    low: int
    high: int

    @property
    def certain(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high

    @property
    def text(self) -> str:
        """`n`, `m`, `y` or `unknown`."""
        return LETTERS[self.low] if self.certain else "unknown"


NO, YES, ANY = TristateRange(0, 0), TristateRange(2, 2), TristateRange(0, 2)


class Constant(msgspec.Struct, frozen=True):
    """`y`, `m`, `n`, a number or a quoted text."""

    text: str


class Ref(msgspec.Struct, frozen=True):
    """A symbol, without `CONFIG_`."""

    name: str


class Unknown(msgspec.Struct, frozen=True):
    """What only a run of the compiler, the shell or make can tell; `text` is how it is written."""

    text: str


class Not(msgspec.Struct, frozen=True):
    """`!A`."""

    of: Expression


class And(msgspec.Struct, frozen=True):
    """`A && B`: the lower value."""

    parts: tuple[Expression, ...]


class Or(msgspec.Struct, frozen=True):
    """`A || B`: the higher value."""

    parts: tuple[Expression, ...]


class Compare(msgspec.Struct, frozen=True):
    """`A = B`, `A != B`, `A < B`, ..."""

    left: Constant | Ref | Unknown
    operator: str
    right: Constant | Ref | Unknown


Expression: TypeAlias = Constant | Ref | Unknown | Not | And | Or | Compare
TRUE, FALSE = Constant("y"), Constant("n")


def both(*parts: Expression) -> Expression:
    """Return the conjunction, without what is always true."""
    flat: list[Expression] = []
    for part in parts:
        for one in part.parts if isinstance(part, And) else (part,):
            if one == FALSE:
                return FALSE
            if one != TRUE and one not in flat:
                flat.append(one)
    return TRUE if not flat else flat[0] if len(flat) == 1 else And(tuple(flat))


def either(*parts: Expression) -> Expression:
    """Return the disjunction, without what is always false."""
    flat: list[Expression] = []
    for part in parts:
        for one in part.parts if isinstance(part, Or) else (part,):
            if one == TRUE:
                return TRUE
            if one != FALSE and one not in flat:
                flat.append(one)
    return FALSE if not flat else flat[0] if len(flat) == 1 else Or(tuple(flat))


def negated(of: Expression) -> Expression:
    """Return the negation."""
    if of == TRUE:
        return FALSE
    if of == FALSE:
        return TRUE
    return of.of if isinstance(of, Not) and isinstance(of.of, Compare) else Not(of)


def evaluate(expression: Expression, lookup: Lookup) -> TristateRange:  # noqa: PLR0911 - one a kind
    """Return what is known of an expression's value."""
    match expression:
        case Constant(text):
            level = LEVELS.get(text, 0)
            return TristateRange(level, level)
        case Ref(name):
            value = lookup(name)
            if value is None:
                return ANY
            level = LEVELS.get(value, 0)
            return TristateRange(level, level)
        case Unknown():
            return ANY
        case Not(of):
            inner = evaluate(of, lookup)
            return TristateRange(2 - inner.high, 2 - inner.low)
        case And(parts):
            low, high = 2, 2
            for part in parts:
                one = evaluate(part, lookup)
                low, high = min(low, one.low), min(high, one.high)
                if high == 0:
                    break
            return TristateRange(low, high)
        case Or(parts):
            low, high = 0, 0
            for part in parts:
                one = evaluate(part, lookup)
                low, high = max(low, one.low), max(high, one.high)
                if low == 2:
                    break
            return TristateRange(low, high)
        case Compare(left, operator, right):
            return _compared(_text(left, lookup), operator, _text(right, lookup))


def _text(side: Constant | Ref | Unknown, lookup: Lookup) -> str | None:
    if isinstance(side, Unknown):
        return None
    return side.text if isinstance(side, Constant) else lookup(side.name)


def _compared(left: str | None, operator: str, right: str | None) -> TristateRange:
    """Compare as numbers when both are, else as texts (kernel: scripts/kconfig/expr.c)."""
    if left is None or right is None:
        return ANY
    a, b = _number(left), _number(right)
    order = (left > right) - (left < right) if a is None or b is None else (a > b) - (a < b)
    holds = {
        "=": order == 0,
        "!=": order != 0,
        "<": order < 0,
        "<=": order <= 0,
        ">": order > 0,
        ">=": order >= 0,
    }[operator]
    return YES if holds else NO


def _number(text: str) -> int | None:
    if text in LEVELS:
        return LEVELS[text]
    try:
        return int(text, 16 if text[:2].lower() == "0x" else 10)
    except ValueError:
        return None


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """Return what must hold together."""
    if expression == TRUE:
        return ()
    return expression.parts if isinstance(expression, And) else (expression,)


def symbols(expression: Expression) -> Iterator[str]:
    """Yield the symbols that an expression names, from left to right, each as often as it stands there."""
    match expression:
        case Ref(name):
            yield name
        case Not(of):
            yield from symbols(of)
        case And(parts) | Or(parts):
            for part in parts:
                yield from symbols(part)
        case Compare(left, _, right):
            yield from symbols(left)
            yield from symbols(right)
        case _:
            return


def requires(expression: Expression, symbol: str, lookup: Lookup) -> bool:
    """Tell whether an expression that can hold now cannot hold once `symbol` is n."""
    if symbol not in symbols(expression):
        return False
    without = evaluate(expression, lambda name: "n" if name == symbol else lookup(name))
    return evaluate(expression, lookup).high > 0 and without.high == 0


def written(expression: Expression, parent: type | None = None) -> str:  # noqa: PLR0911 - one a kind
    """Write an expression as Kconfig does."""
    match expression:
        case Constant(text):
            plain = text in LEVELS or _number(text) is not None
            return text if plain else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case Ref(name):
            return name
        case Unknown(text):
            return text
        case Not(of):
            inner = written(of, Not)
            return f"!({inner})" if isinstance(of, Compare) else f"!{inner}"
        case And(parts):
            text = " && ".join(written(part, And) for part in parts)
            return f"({text})" if parent is Not else text
        case Or(parts):
            text = " || ".join(written(part, Or) for part in parts)
            return f"({text})" if parent in {Not, And} else text
        case Compare(left, operator, right):
            return f"{written(left)} {operator} {written(right)}"
