# SPDX-License-Identifier: MIT
"""What the programs print: one JSON object a line, on a console that anybody may print on.

Lines that do not parse are left out and counted; nothing else of the console is looked at.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec

LINE_MAX_BYTES = 1 << 20
LINES_MAX = 100_000

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""A number that is never negative."""
Signed = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]

_T = TypeVar("_T", bound=msgspec.Struct)


class Lines:
    """The objects among the lines of an output. `damaged` counts those that look like one and are none."""

    def __init__(self, output: bytes) -> None:
        """Read every line that begins with `{"`."""
        self.objects: list[dict[str, Any]] = []
        self.damaged = 0
        for line in output.split(b"\n")[:LINES_MAX]:
            if not line.startswith(b'{"'):
                # Somebody's message before ours, on the same line.
                self.damaged += b'{"kind":' in line
                continue
            found = _object(line) if len(line) <= LINE_MAX_BYTES else None
            if found is None:
                self.damaged += 1
            else:
                self.objects.append(found)

    def head(self, format_name: str, kind: type[_T]) -> _T | None:
        """Return the first line of a format, in version 1; None when there is none."""
        for found in self.objects:
            if found.get("format") == format_name and found.get("version") == 1:
                return self._as(found, kind)
        return None

    def of_kind(self, name: str, kind: type[_T]) -> tuple[_T, ...]:
        """Return the lines of a kind."""
        made = (self._as(found, kind) for found in self.objects if found.get("kind") == name)
        return tuple(one for one in made if one is not None)

    def _as(self, found: dict[str, Any], kind: type[_T]) -> _T | None:
        try:
            return msgspec.convert(found, kind)
        except msgspec.ValidationError:
            self.damaged += 1
            return None


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = msgspec.json.decode(line.rstrip(b"\r"))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
