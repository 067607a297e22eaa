# SPDX-License-Identifier: MIT
"""`[earlier]` and `[shutdown]` of a system file: boots that went before, and the way down as what is measured."""

from __future__ import annotations

import msgspec

from bootlab.model.earlier import Earlier
from bootlab.model.key import ranges
from bootlab.model.shutdown import Shutdown
from bootlab.systemfile.place import Place
from bootlab.systemfile.raw import RawEarlier, RawShutdown

_TYPED_MAX_BYTES = 254


def earlier(raw: RawEarlier | None, place: Place) -> Earlier | None:
    """Check `[earlier]`. Raise SystemFileError."""
    if raw is None:
        return None
    _check(raw, "earlier", raw.end, place)
    return Earlier(**msgspec.structs.asdict(raw))


def shutdown(raw: RawShutdown | None, place: Place) -> Shutdown | None:
    """Check `[shutdown]`. Raise SystemFileError."""
    if raw is None:
        return None
    _check(raw, "shutdown", raw.ask, place)
    return Shutdown(**msgspec.structs.asdict(raw))


def _check(raw: RawEarlier | RawShutdown, table: str, how: str, place: Place) -> None:
    for name, (least, most, hint) in ranges(type(raw)).items():
        value = getattr(raw, name)
        if not least <= value <= most:
            raise place.error(f"expected {least} to {most}, got {value}", f"{table}.{name}", hint)
    key = f"{table}.typed"
    if (how == "typed") != bool(raw.typed):
        hint = 'typed = "poweroff", and how it is asked: "typed"'
        raise place.error("a line to type and `typed` as the way to ask belong together", key, hint)
    if not raw.typed.isprintable() or len(raw.typed.encode()) > _TYPED_MAX_BYTES:
        raise place.error(
            f"a line that is typed has up to {_TYPED_MAX_BYTES} bytes, without line breaks and control characters", key
        )
