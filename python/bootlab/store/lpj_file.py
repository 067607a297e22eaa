"""A stored loops-per-jiffy value as a file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.logs.lpj_value import StoredLpj

_FORMAT = "bootlab-lpj"
_VERSION = 1
_MAX_BYTES = 1 << 16


def save(stored: StoredLpj, path: Path) -> None:
    """Write it. Raise UserError when the file cannot be written."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_bytes(msgspec.json.format(msgspec.json.encode(stored), indent=1) + b"\n")
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
        head = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError) as fault:
        raise UserError(f"{path} is not a stored value: {fault}", hint=f"make one: {again}") from fault
    if not isinstance(head, dict) or head.get("format") != _FORMAT:
        raise UserError(f"{path} is not a stored value: its format is not {_FORMAT}", hint=f"make one: {again}")
    if head.get("version") != _VERSION:
        raise UserError(
            f"{path} has version {str(head.get('version'))[:20]}; this bootlab knows {_VERSION}",
            hint=f"make it again: {again}",
        )
    try:
        stored = msgspec.json.decode(raw, type=StoredLpj)
    except msgspec.DecodeError as fault:
        raise UserError(f"{path} is damaged: {fault}", hint=f"make it again: {again}") from fault
    if stored.lpj <= 0 or (stored.hz is not None and stored.hz <= 0):
        raise UserError(f"{path} is damaged: lpj={stored.lpj}, hz={stored.hz}", hint=f"make it again: {again}")
    return stored
