# SPDX-License-Identifier: MIT
"""JSON schemas of the system file and the board file, out of the fields that read them, for editors."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from bootlab.model.key import keys
from bootlab.systemfile import raw, raw_board

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
# A driver of a power switch has keys of its own beside those of `[power]`.
_OPEN = frozenset({"RawPower"})


def system_file() -> str:
    """Return the schema of a system file."""
    return _render(raw.RawSystem, "A system of bootlab: everything that is booted")


def board_file() -> str:
    """Return the schema of a board file."""
    return _render(raw_board.RawBoard, "A board of bootlab: how it is switched, and where its console is")


def _render(kind: type[msgspec.Struct], title: str) -> str:
    (root,), definitions = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    for struct in _structs(kind):
        made = definitions.get(struct.__name__)
        if made is not None:
            _describe(made, struct)
    for made in definitions.values():
        made.pop("title", None)
    whole = {"$schema": _DIALECT, "title": title, **root, "$defs": definitions}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _describe(made: dict[str, Any], struct: type[msgspec.Struct]) -> None:
    """Put each key's meaning beside it, and let a driver's own keys in."""
    # What the class says is for whoever reads its source; msgspec takes it along.
    made.pop("description", None)
    if struct.__name__ in _OPEN:
        made.pop("additionalProperties", None)
    said = keys(struct)
    for name, property_ in made["properties"].items():
        if property_.get("default") in (None, "", [], {}) or isinstance(property_["default"], dict):
            # What is left out is no value of its own: `null` cannot even be written in TOML.
            property_.pop("default", None)
        if name in said:
            # A reference may have other words beside it since draft 2019-09. An editor shows no Markdown's links.
            property_["description"] = _LINK.sub(r"\1", said[name].description)


def _structs(kind: type[msgspec.Struct]) -> set[type[msgspec.Struct]]:
    """Return a struct and all that its fields name."""
    found: set[type[msgspec.Struct]] = set()

    def look(node: Any) -> None:
        if isinstance(node, msgspec.inspect.StructType):
            if node.cls in found:
                return
            found.add(node.cls)
            for field in node.fields:
                look(field.type)
        elif isinstance(node, msgspec.Struct):
            for name in node.__struct_fields__:
                inner = getattr(node, name)
                for one in inner if isinstance(inner, tuple) else (inner,):
                    look(one)

    look(msgspec.inspect.type_info(kind))
    return found
