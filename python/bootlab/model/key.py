# SPDX-License-Identifier: MIT
"""What a key of the system file says of itself, at its field: meaning, range, whether it names files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec


class Range(NamedTuple):
    """The numbers that a key may have; `hint`: what to write instead of another one."""

    least: int
    most: int
    hint: str = ""


def key(meaning: str, *, within: Range | None = None, files: bool = False) -> msgspec.Meta:
    """Describe a field. `files`: its texts are paths, whose contents belong to the boot where they are images."""
    return msgspec.Meta(description=meaning, extra={"within": within, "files": files})


@cache
def keys(kind: type[msgspec.Struct]) -> dict[str, msgspec.Meta]:
    """Return what the fields of a struct say of themselves, by their names."""
    return dict(_keys(kind))


def _keys(kind: type[Any]) -> Iterator[tuple[str, msgspec.Meta]]:
    # A field that a table's own struct states again is the same key.
    for base in reversed(kind.__mro__[: kind.__mro__.index(msgspec.Struct)]):
        for name, hint in get_type_hints(base, include_extras=True).items():
            for said in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
                if isinstance(said, msgspec.Meta) and said.description is not None:
                    yield name, said


def ranges(kind: type[msgspec.Struct]) -> dict[str, Range]:
    """Return the numbers that fields may have, of those that say so."""
    return {name: said.extra["within"] for name, said in keys(kind).items() if said.extra and said.extra["within"]}


def file_keys(kind: type[msgspec.Struct]) -> frozenset[str]:
    """Return the names of the fields that name files."""
    return frozenset(name for name, said in keys(kind).items() if said.extra and said.extra["files"])
