"""Results as files."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.timers.stress import Place, StressResult, parse

MAX_BYTES = 64 << 20


def encode(result: StressResult) -> bytes:
    """Return the document that `load` reads."""
    return msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n"


def load(path: Path) -> StressResult:
    """Read a saved result, or the lines that timerstress printed. Raise UserError."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise UserError(f"cannot read {path}: {fault.strerror}", hint="bootlab timers stress --save FILE") from None
    if len(raw) > MAX_BYTES:
        raise UserError(f"{path} is larger than {MAX_BYTES >> 20} MiB", hint="bootlab timers stress --save FILE")
    try:
        found = msgspec.json.decode(raw, type=StressResult)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        printed = parse(raw, Place(name=path.name, clock="wall"))
        if printed is None:
            raise UserError(
                f"{path} is not a result of `bootlab timers stress`", hint="bootlab timers stress --save FILE makes one"
            ) from None
        return printed
    if (found.format, found.version) != ("bootlab-timers", 1):
        raise UserError(
            f"{path} is not a version 1 result of `bootlab timers stress`", hint="bootlab timers stress --save FILE"
        )
    return found
