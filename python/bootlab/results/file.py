# SPDX-License-Identifier: MIT
"""`results.json`: written whole or not at all, read back with errors that name the field."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from bootlab.errors import UserError, cannot_write
from bootlab.recordings import sealed
from bootlab.recordings.damage import Damaged
from bootlab.recordings.sealed import Form, NotWhole, OtherForm
from bootlab.results.document import FORMAT, VERSION, RunDocument

LIMIT_BYTES = 512 * 1024 * 1024
_FORM = Form(name=FORMAT, version=VERSION, sealed_since=2, oldest=1)
_UNSEALED = "these results are of version 1, which had no digest: nothing shows whether they are what was written"
_AGAIN = "run the same command again: it takes the boots that are kept, and writes a new results.json"


def encode(results: RunDocument) -> bytes:
    """Write results as JSON. Text that is not Unicode (a path's stray bytes) is written with replacement marks."""
    values = sealed.values_of(results)
    try:
        raw = sealed.text_of(values)
    except UnicodeEncodeError:
        raw = sealed.text_of(_unicode(values))
    return raw + b"\n"


def decode(raw: bytes, *, source: str) -> RunDocument:
    """Read results. Raise UserError (with `source`) on another format, an unknown version or any damage."""
    try:
        results, head = sealed.document_of(raw, _FORM, RunDocument)
    except OtherForm as fault:
        if fault.name != FORMAT:
            raise UserError(
                f"{source}: this is not a bootlab results file (format {str(fault.name)[:60]!r}, expected {FORMAT!r})",
                hint="give the results.json of a run, or its folder",
            ) from fault
        newer = isinstance(fault.version, int) and fault.version > VERSION
        raise UserError(
            f"{source}: results of version {str(fault.version)[:20]}; this bootlab reads versions 1 to {VERSION}",
            hint="upgrade bootlab" if newer else _AGAIN,
        ) from fault
    except NotWhole as fault:
        raise Damaged(Path(source), fault, hint=_AGAIN) from fault
    return results if head.sealed else msgspec.structs.replace(results, notes=(*results.notes, _UNSEALED))


def save(results: RunDocument, path: Path) -> None:
    """Write the file beside its final place, then move it there: a reader sees the old or the new one, never half."""
    write_atomically(path, encode(results))


def load(path: Path) -> RunDocument:
    """Read a results file, or the `results.json` in a folder. Raise UserError when there is none or it is wrong."""
    file = path / "results.json" if path.is_dir() else path
    try:
        if file.stat().st_size > LIMIT_BYTES:
            raise UserError(f"{file}: larger than {LIMIT_BYTES} bytes; this is not a results file")
        raw = file.read_bytes()
    except OSError as error:
        raise UserError(
            f"{file}: cannot be read: {error.strerror}", hint="give the folder of a run that has a results.json"
        ) from error
    return decode(raw, source=str(file))


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; its folder is made when missing. Raise EnvironmentFault when that fails."""
    try:
        _write(path, data)
    except OSError as error:
        raise cannot_write(f"{path} cannot be written", error, path.parent) from error


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only the owner can read; a report is meant to be shared.
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _unicode(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_unicode(k): _unicode(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_unicode(v) for v in value]
    return value
