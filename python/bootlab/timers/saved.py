# SPDX-License-Identifier: MIT
"""Results as files."""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError
from bootlab.recordings import damage, sealed
from bootlab.recordings.damage import Damaged
from bootlab.recordings.sealed import Form, NotWhole, OtherForm
from bootlab.timers.stress import StressPlace, StressResult, parse

MAX_BYTES = 64 << 20
_FORM = Form(name="bootlab-timers", version=2, sealed_since=2, oldest=1)
_MAKE = "bootlab timers stress --save FILE makes one"


def encode(result: StressResult) -> bytes:
    """Return the document that `load` reads."""
    return sealed.text_of(sealed.values_of(result)) + b"\n"


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
        result, head = sealed.document_of(raw, _FORM, StressResult)
    except (OtherForm, NotWhole) as fault:
        printed = parse(raw, StressPlace(name=path.name, clock="wall"))
        if printed is not None:
            return printed
        if isinstance(fault, NotWhole) and f'"{_FORM.name}"'.encode() in raw:
            raise Damaged(path, fault, hint=_MAKE) from None
        raise UserError(
            f"{path} is not a result of `bootlab timers stress` that this bootlab reads: {fault}", hint=_MAKE
        ) from None
    if not head.sealed:
        damage.tell_unsealed(path, head.version)
    return result
