# SPDX-License-Identifier: MIT
"""TOML: a user's file as a table, with errors that name the line; texts and lists as TOML writes them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bootlab.errors import SystemFileError

_QUOTE = 'write texts in quotes: key = "value"; tables start with [name]'


def read_text(path: Path, *, kind: str, most_mib: int, write: str) -> str:
    """Return a file's text. `kind`: what it should be; `write`: the command that makes one. Raise SystemFileError."""
    name, most = str(path), most_mib << 20
    try:
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except FileNotFoundError as error:
        raise SystemFileError(
            "there is no such file", path=name, hint=f"write one: {write}   (or check the path)"
        ) from error
    except IsADirectoryError as error:
        raise SystemFileError("this is a folder", path=name, hint="name the TOML file in it") from error
    except OSError as error:
        raise SystemFileError(f"cannot be read: {error.strerror}", path=name) from error
    if len(data) > most:
        raise SystemFileError(
            f"larger than {most_mib} MiB; this is not a {kind}", path=name, hint=f"`{write}` writes one"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SystemFileError(
            f"byte 0x{data[error.start]:02x} is not UTF-8", path=name, where=f"line {line}", hint="TOML is UTF-8 text"
        ) from error


def read_table(text: str, path: str) -> dict[str, Any]:
    """Return what a text says. Raise SystemFileError, which names the line."""
    try:
        return tomllib.loads(text.removeprefix("\N{BYTE ORDER MARK}"))
    except tomllib.TOMLDecodeError as error:
        message, where = _line_of(str(error), text)
        raise SystemFileError(message, path=path, where=where, hint=_QUOTE) from error
    except RecursionError as error:
        raise SystemFileError("nested too deeply", path=path, hint="three levels of tables are enough") from error


def _line_of(message: str, text: str) -> tuple[str, str]:
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if not found:
        return message, ""
    line = found[1] or str(text.count("\n") + 1)
    what = message[: found.start()]
    return what[:1].lower() + what[1:], f"line {line}"


def quoted(value: str) -> str:
    """Return a text as a TOML string."""
    # A JSON string is a TOML basic string, but for DEL, which TOML wants escaped; lone surrogates are no UTF-8.
    plain = value.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007F")


def listed(values: Iterable[str]) -> str:
    """Return texts as a TOML list."""
    return "[" + ", ".join(quoted(value) for value in values) + "]"
