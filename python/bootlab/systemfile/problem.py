# SPDX-License-Identifier: MIT
"""What is wrong with a system file, in words: from a decoder's message to the key, the expectation and the hint."""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Iterable

import msgspec

from bootlab.errors import SystemFileError

_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text in quotes",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
    "datetime": "a date without quotes",
}
# What Debian, the Go tools and others call an architecture.
_OTHER_NAMES = {
    **dict.fromkeys(("amd64", "x64", "x86-64", "x86", "i386", "intel"), "x86_64"),
    **dict.fromkeys(("aarch64", "armv8", "arm64v8"), "arm64"),
    **dict.fromkeys(("armhf", "armel", "armv7", "armv7l", "arm32"), "arm"),
    **dict.fromkeys(("riscv", "rv64"), "riscv64"),
}
_INDEX = re.compile(r"\[\d+\]")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean "x"?` for the nearest known word, or the list of all."""
    choices = sorted(known)
    if (other := _OTHER_NAMES.get(word.lower(), "")) in choices:
        return f'here it is called "{other}"'
    near = difflib.get_close_matches(word, choices, n=1, cutoff=0.5)
    return f'did you mean "{near[0]}"?' if near else f"known here: {', '.join(choices)}"


def translate(
    error: msgspec.ValidationError, *, root: type[msgspec.Struct], value: object, path: str, prefix: str = ""
) -> SystemFileError:
    """Turn msgspec's message (`Expected ... - at `$.a.b``) into an error that names the key as TOML does."""
    message, _, place = str(error).partition(" - at `$")
    place = place.rstrip("`").lstrip(".")
    where = ".".join(part for part in (prefix, place) if part)
    owner, field = _owner(root, place)

    if found := re.match(r"Object contains unknown field `(.*)`", message, re.DOTALL):
        table, name = _table(root, place), found[1]
        where = f"{where}.{name}" if where else name
        hint = did_you_mean(name, table.__struct_fields__) if table else ""
        return SystemFileError(f'unknown key "{name}"', path=path, where=where, hint=hint)
    if found := re.match(r"Object missing required field `(.*)`", message):
        where = f"{where}.{found[1]}" if where else found[1]
        table_name = where.rpartition(".")[0]
        hint = f"add it to [{table_name}]" if table_name else f'add a line: {found[1]} = "..."'
        if owner is None and _is_table(root, found[1]):
            hint = f"add a table [{found[1]}]; `bootlab new` writes a file with every table in it"
        return SystemFileError("this key must be given", path=path, where=where, hint=hint)
    if message.startswith("Invalid enum value"):
        allowed = _choices(owner or root, field)
        given = message.partition("'")[2].rstrip("'")
        hint = did_you_mean(given, allowed)
        return SystemFileError(
            f'expected one of {", ".join(allowed)}; got "{given}"', path=path, where=where, hint=hint
        )
    if found := re.match(r"Expected `(.*?)`, got `(.*?)`", message):
        wanted = " or ".join(_WORDS.get(w.strip(), w.strip()) for w in found[1].split("|") if w.strip() != "null")
        got = _WORDS.get(found[2], found[2])
        return SystemFileError(
            f"expected {wanted}, got {got}", path=path, where=where, hint=_type_hint(found[1], found[2], value, place)
        )
    return SystemFileError(message[:1].lower() + message[1:], path=path, where=where)


def _type_hint(wanted: str, got: str, value: object, place: str) -> str:
    if got == "str" and wanted.startswith(("int", "float")):
        return "write the number without quotes"
    if got == "str" and wanted == "array":
        return f'put it into brackets: ["{_at(value, place)}"]'
    if got == "object" or wanted == "object":
        return "a table is written [like.this], its keys on the lines below; check which table the line is in"
    if wanted.startswith("str"):
        return "put it into quotes"
    return ""


def _at(value: object, place: str) -> object:
    for part in filter(None, place.split(".")):
        value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, str) else "..."


def _struct_in(annotation: object) -> type[msgspec.Struct] | None:
    for kind in (annotation, *typing.get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            return kind
    return None


def _table(root: type[msgspec.Struct], place: str) -> type[msgspec.Struct] | None:
    table: type[msgspec.Struct] | None = root
    for part in filter(None, _INDEX.sub("", place).split(".")):
        if table is None:
            return None
        table = _struct_in(typing.get_type_hints(table).get(part))
    return table


def _owner(root: type[msgspec.Struct], place: str) -> tuple[type[msgspec.Struct] | None, str]:
    head, _, field = _INDEX.sub("", place).rpartition(".")
    return (_table(root, head) if head else None), field


def _is_table(root: type[msgspec.Struct], field: str) -> bool:
    return _struct_in(typing.get_type_hints(root).get(field)) is not None


def _choices(table: type[msgspec.Struct], field: str) -> tuple[str, ...]:
    annotation = typing.get_type_hints(table).get(field)
    found: list[str] = []
    for choice in typing.get_args(annotation):
        # A key that may be left out is a Literal or None.
        found += [str(word) for word in typing.get_args(choice)] or ([str(choice)] if choice is not type(None) else [])
    return tuple(found)
