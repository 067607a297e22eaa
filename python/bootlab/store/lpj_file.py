# SPDX-License-Identifier: MIT
"""A stored loops-per-jiffy value as a file."""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError
from bootlab.logs.lpj_value import StoredLpj
from bootlab.recordings import damage, sealed
from bootlab.recordings.damage import Damaged
from bootlab.recordings.sealed import Form, NotWhole, OtherForm

_FORM = Form(name="bootlab-lpj", version=2, sealed_since=2, oldest=1)
_MAX_BYTES = 1 << 16


def save(stored: StoredLpj, path: Path) -> None:
    """Write it. Raise UserError when the file cannot be written."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_bytes(sealed.text_of(sealed.values_of(stored)) + b"\n")
        fresh.replace(path)
    except OSError as fault:
        raise UserError(f"cannot write {path}: {fault.strerror}", hint=f"ls -ld {path.parent}") from fault


def load(path: Path) -> StoredLpj:
    """Read it. Raise UserError for a file that is none, or of a version that this bootlab does not know."""
    again = "bootlab lpj read SYSTEM.toml --output lpj.json"
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
    except OSError as fault:
        raise UserError(f"cannot read {path}: {fault.strerror}", hint=f"make one: {again}") from fault
    try:
        stored, head = sealed.document_of(raw, _FORM, StoredLpj)
    except OtherForm as fault:
        if fault.name != _FORM.name:
            raise UserError(
                f"{path} is not a stored value: its format is not {_FORM.name}", hint=f"make one: {again}"
            ) from fault
        raise UserError(
            f"{path} has version {str(fault.version)[:20]}; this bootlab knows 1 to {_FORM.version}",
            hint=f"make it again: {again}",
        ) from fault
    except NotWhole as fault:
        if f'"{_FORM.name}"'.encode() not in raw:
            raise UserError(f"{path} is not a stored value: {fault}", hint=f"make one: {again}") from fault
        raise Damaged(path, fault, hint=f"make it again: {again}") from fault
    if not head.sealed:
        damage.tell_unsealed(path, head.version)
    if stored.lpj <= 0 or (stored.hz is not None and stored.hz <= 0):
        raise UserError(f"{path} is damaged: lpj={stored.lpj}, hz={stored.hz}", hint=f"make it again: {again}")
    return stored
