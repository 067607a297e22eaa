"""A recording as a folder: `recording.json`, `console.log`, `stamps.npz`, `emulator.log`."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from bootlab.errors import UserError
from bootlab.model.recording import Mark, Meta, Recording
from bootlab.targets.console import split_lines
from bootlab.targets.stamps import Stamps

RECORDING_FILE = "recording.json"
_FORMAT = "bootlab-recording"
_VERSION = 1


class _Document(msgspec.Struct, frozen=True, kw_only=True):
    format: str
    version: int
    meta: Meta
    marks: tuple[Mark, ...]


def save(folder: Path, meta: Meta, marks: tuple[Mark, ...], console: bytes, stamps: Stamps | None) -> None:
    """Write a recording; `recording.json` comes last, so that a folder with it is whole."""
    (folder / "console.log").write_bytes(console)
    if stamps is not None:
        columns = {"ends": stamps.ends, "ns": stamps.ns, "insns": stamps.insns}
        with (folder / "stamps.npz").open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **columns)
    document = _Document(format=_FORMAT, version=_VERSION, meta=meta, marks=marks)
    fresh = folder / f"{RECORDING_FILE}.new"
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1))
    fresh.replace(folder / RECORDING_FILE)


def load(folder: Path) -> Recording:
    """Read a recording. Raise UserError when the folder holds none, or one of another version."""
    try:
        raw = (folder / RECORDING_FILE).read_bytes()
        console = (folder / "console.log").read_bytes()
    except OSError as fault:
        raise UserError(
            f"{folder} is no recording: {fault.strerror or fault}", hint="`bootlab boot SYSTEM.toml` makes one"
        ) from fault
    try:
        head = msgspec.json.decode(raw)
        if not isinstance(head, dict) or (head.get("format"), head.get("version")) != (_FORMAT, _VERSION):
            raise UserError(
                f"{folder / RECORDING_FILE} is not a version {_VERSION} recording",
                hint="boot the system again with this bootlab",
            )
        document = msgspec.json.decode(raw, type=_Document)
    except msgspec.DecodeError as fault:
        raise UserError(f"{folder / RECORDING_FILE} is damaged: {fault}", hint="boot the system again") from fault
    return Recording(
        meta=document.meta,
        lines=split_lines(console, _load_stamps(folder / "stamps.npz")),
        marks=document.marks,
        console=console,
        path=str(folder),
    )


def _load_stamps(path: Path) -> Stamps | None:
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as table:
            return Stamps(ends=table["ends"], ns=table["ns"], insns=table["insns"], marks={})
    except (OSError, ValueError, KeyError) as fault:
        raise UserError(f"{path} is damaged: {fault}", hint="boot the system again") from fault
