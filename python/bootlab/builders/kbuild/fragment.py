# SPDX-License-Identifier: MIT
"""Configuration fragments: lists of `CONFIG_X=value` and `# CONFIG_X is not set`, as `.config` itself is one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.errors import UserError
from bootlab.kernelsource.configuration import read_config

_NAME = re.compile(r"[A-Za-z0-9_]+")
_SIZE_MAX_BYTES = 4 << 20


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """Options that are asked for together: one fragment, or the options of the system file and of changes.

    `options` maps a name without `CONFIG_` to the value as a `.config` writes it, `n` for "is not set"; `lines` says
    where in the file each stands (1 is the first line).
    """

    origin: str
    options: dict[str, str]
    lines: dict[str, int] = {}

    def place(self, name: str) -> str:
        """Say where an option is asked for."""
        return f"{self.origin}:{self.lines[name]}" if name in self.lines else self.origin


class KernelOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option whose value changes; None: not there. `asked`: it was set, and does not merely follow."""

    name: str
    before: str | None
    after: str | None
    asked: bool


def changed_options(before: str, after: str, asked: frozenset[str]) -> tuple[KernelOption, ...]:
    """Return the options whose value differs between two texts of a `.config`, those that were asked for first."""
    old, new = read_config(before), read_config(after)
    return tuple(
        KernelOption(name=name, before=old.get(name), after=new.get(name), asked=name in asked)
        for name in sorted(old.keys() | new.keys(), key=lambda name: (name not in asked, name))
        if old.get(name) != new.get(name)
    )


def read_fragment(path: Path) -> Layer:
    """Read a fragment. Raise UserError, naming the line, for what is none and for one that contradicts itself."""
    try:
        with path.open("rb") as file:
            data = file.read(_SIZE_MAX_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -l {path}") from error
    if len(data) > _SIZE_MAX_BYTES or b"\0" in data:
        raise UserError(
            f"{path} is not a kernel configuration", hint="a fragment is text, one option per line: CONFIG_SMP=y"
        )
    return parse_fragment(data.decode("utf-8", "replace"), str(path))


def parse_fragment(text: str, origin: str) -> Layer:
    """Read a fragment's text; `origin` names it in errors."""
    options: dict[str, str] = {}
    lines: dict[str, int] = {}
    rows, other = _core.config_lines(text)
    readable = [row for row in rows if not other or row[0] < other[0]]
    for number, name, written, _ in readable:
        value = written.strip()
        if options.get(name, value) != value:
            raise UserError(
                f"{origin} contradicts itself: line {lines[name]} asks for CONFIG_{name}={options[name]}, "
                f"line {number} for CONFIG_{name}={value}",
                hint="remove one of the two lines",
            )
        options[name], lines[name] = check_value(name, value, f"{origin}:{number}"), number
    if other:
        line = text.split("\n")[other[0] - 1].strip()
        raise UserError(
            f"{origin}:{other[0]}: {line[:80]!r} is not an option",
            hint="write CONFIG_NAME=value, or # CONFIG_NAME is not set",
        )
    return Layer(origin=origin, options=options, lines=lines)


def of_options(options: Iterable[tuple[str, str]], origin: str) -> Layer:
    """Make a layer of names and values. Raise UserError for what cannot stand in a `.config`."""
    checked: dict[str, str] = {}
    for name, value in options:
        bare = name.removeprefix("CONFIG_")
        if not _NAME.fullmatch(bare):
            raise UserError(f"{origin}: {name[:80]!r} is not an option name", hint="SMP, HZ_100: without CONFIG_")
        checked[bare] = check_value(bare, value, origin)
    return Layer(origin=origin, options=checked)


def check_value(name: str, value: str, place: str) -> str:
    """Return a value that a `.config` can hold. Raise UserError for any other."""
    is_number = re.fullmatch(r"-?\d+|0[xX][0-9a-fA-F]+", value)
    if value in {"y", "m", "n"} or is_number or re.fullmatch(r'"(?:[^"\\\n]|\\.)*"', value):
        return value
    raise UserError(
        f"{place}: CONFIG_{name} cannot be {value[:80]!r}",
        hint='y, m, n, a number, 0x…, or a text in double quotes: "x"',
    )


def merge(layers: Iterable[Layer]) -> dict[str, str]:
    """Merge layers; what a later one asks for also stands later, which decides between the members of a choice."""
    merged: dict[str, str] = {}
    for layer in layers:
        for name, value in layer.options.items():
            merged.pop(name, None)
            merged[name] = value
    return merged


def same_value(asked: str, got: str) -> bool:
    """Compare two values: numbers by value, everything else as text. An option that is not there is `n`."""
    if asked == got:
        return True
    try:
        return int(asked, 0) == int(got, 0)
    except ValueError:
        return False
