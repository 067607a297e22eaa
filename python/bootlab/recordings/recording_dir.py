# SPDX-License-Identifier: MIT
"""A recording as a folder: `recording.json`, `console.log` (packed: `.xz`), `stamps.npz`, `emulator.log`.

`recording.json` holds the digest of every file and of itself: a recording that was cut off or altered is found when it
is read. Those of version 1 hold none, and are read as they are. Those of versions 1 and 2 have the emulator's command
alone; what was started is read out of it.

A recording of a kernel that bootlab built holds its configuration too: `kernel.config`; one of a boot loader that it
built `loader.config`; one of programs that it built what they are: `programs.json`.
"""

from __future__ import annotations

import lzma
import threading
import zlib
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.errors import UserError
from bootlab.model.program import BuiltPrograms
from bootlab.model.recording import Mark, Meta, Recording
from bootlab.recordings import sealed
from bootlab.recordings.console import split_lines
from bootlab.recordings.damage import DamagedRecording
from bootlab.recordings.files import CONSOLE_FILE, PACKED_CONSOLE_FILE, RECORDING_FILE
from bootlab.recordings.recorded_command import launch_in
from bootlab.recordings.seal import sha256_of
from bootlab.recordings.sealed import Form, NotWhole, OtherForm
from bootlab.recordings.stamps import Stamps

KERNEL_CONFIG_FILE = "kernel.config"
LOADER_CONFIG_FILE = "loader.config"
PROGRAMS_FILE = "programs.json"
_STAMPS_FILE = "stamps.npz"
_CONSOLE_MAX_BYTES = 128 << 20
_CONFIG_MAX_BYTES = 4 << 20
_FORMAT = "bootlab-recording"
_VERSION = 3
_FIRST_WITH_LAUNCH = 3
_FORM = Form(name=_FORMAT, version=_VERSION, sealed_since=2, oldest=1)
_UNSEALED = "this recording is of version 1, which had no digests: nothing shows whether it is what was written"


class _Document(msgspec.Struct, frozen=True, kw_only=True):
    format: str
    version: int
    meta: Meta
    marks: tuple[Mark, ...]
    files: dict[str, str] = {}


# Made here, by one thread: msgspec crashes when two threads look at a type for the first time at once.
for _kind in (_Document, BuiltPrograms):
    msgspec.json.Decoder(_kind)


def save(folder: Path, meta: Meta, marks: tuple[Mark, ...], console: bytes, stamps: Stamps | None) -> None:
    """Write a recording; `recording.json` comes last, so that a folder with it is whole. It gets its date here."""
    (folder / CONSOLE_FILE).write_bytes(console)
    if stamps is not None:
        _save_stamps(folder, stamps)
    if not meta.made_at:
        meta = msgspec.structs.replace(meta, made_at=datetime.now(UTC).isoformat(timespec="microseconds"))
    _save_document(folder, meta, marks)


def restate(folder: Path, recording: Recording, meta: Meta) -> Recording:
    """Say something else of the recording that lies in a folder: what several boots showed together."""
    return msgspec.structs.replace(recording, meta=_save_document(folder, meta, recording.marks))


def _save_document(folder: Path, meta: Meta, marks: tuple[Mark, ...]) -> Meta:
    files = {path.name: sha256_of(path) for path in sorted(folder.iterdir()) if _is_part(path)}
    meta = msgspec.structs.replace(meta, version=_VERSION)
    document = _Document(format=_FORMAT, version=_VERSION, meta=meta, marks=marks, files=files)
    fresh = folder / f"{RECORDING_FILE}.new"
    fresh.write_bytes(sealed.text_of(msgspec.to_builtins(document)))
    fresh.replace(folder / RECORDING_FILE)
    return meta


def load(folder: Path, *, whole: bool = False, key: str | None = None) -> Recording:
    """Read a recording. Raise UserError when the folder holds none, or one of another version, or a damaged one.

    `whole`: look also at the files that are not read here. `key`: of the boot that it must be; another is damage.
    """
    try:
        raw = (folder / RECORDING_FILE).read_bytes()
    except OSError as fault:
        raise _none_there(folder, fault) from fault
    document = _document(folder / RECORDING_FILE, raw)
    if key is not None and document.meta.key != key:
        raise DamagedRecording(folder / RECORDING_FILE, f"it is of another boot ({document.meta.key[:12] or 'no key'})")
    read = {CONSOLE_FILE, PACKED_CONSOLE_FILE, _STAMPS_FILE, KERNEL_CONFIG_FILE, LOADER_CONFIG_FILE, PROGRAMS_FILE}
    for name, sha256 in document.files.items():
        if whole or name in read:
            _check(folder / name, sha256)
    if document.version >= _FORM.sealed_since and (more := _not_recorded(folder, read - document.files.keys())):
        raise DamagedRecording(folder / more, "it is not a part of what was recorded")
    try:
        console = _console(folder)
    except OSError as fault:
        raise _none_there(folder, fault) from fault
    except (lzma.LZMAError, EOFError) as fault:
        raise DamagedRecording(folder / PACKED_CONSOLE_FILE, fault) from fault
    return Recording(
        meta=document.meta,
        lines=split_lines(console, _load_stamps(folder / _STAMPS_FILE)),
        marks=document.marks,
        console=console,
        path=str(folder),
        kernel_config=_kernel_config(folder / KERNEL_CONFIG_FILE),
        loader_config=_kernel_config(folder / LOADER_CONFIG_FILE),
        programs=_programs(folder / PROGRAMS_FILE),
    )


def stamps_of(folder: Path) -> Stamps | None:
    """Return the times of a recording's console bytes, without the marks, which the recording has; None without any."""
    return _load_stamps(folder / _STAMPS_FILE)


def line_stamps(folder: Path, console: bytes) -> list[int] | None:
    """Return when each line of a recording's console began, ns: the lines as they are cut at LF.

    The list ends where the stamps do; None when the recording has none.
    """
    stamps = stamps_of(folder)
    if stamps is None or not len(stamps.ends):
        return None
    found: list[int] = []
    at = 0
    while at < len(console) and (stamp := stamps.at(at)) is not None:
        found.append(stamp[0])
        at = console.find(b"\n", at) + 1 or len(console)
    return found


def _document(path: Path, raw: bytes) -> _Document:
    try:
        document, head = sealed.document_of(raw, _FORM, _Document)
    except OtherForm as fault:
        raise UserError(
            f"{path} is not a version {_VERSION} recording: {fault}", hint="boot the system again with this bootlab"
        ) from fault
    except NotWhole as fault:
        raise DamagedRecording(path, fault) from fault
    meta = document.meta
    if head.version < _FIRST_WITH_LAUNCH:
        meta = msgspec.structs.replace(meta, launch=launch_in(meta.command))
    if not head.sealed:
        meta = msgspec.structs.replace(meta, notes=(*meta.notes, _UNSEALED))
    return msgspec.structs.replace(document, meta=meta)


def _check(path: Path, sha256: str) -> None:
    try:
        found = sha256_of(path)
    except OSError as fault:
        raise DamagedRecording(path, fault.strerror or fault) from fault
    if found != sha256:
        raise DamagedRecording(path, "its contents are not those that were recorded")


def _not_recorded(folder: Path, names: set[str]) -> str | None:
    """Return a file that would be read although the document does not name it."""
    return next((name for name in sorted(names) if (folder / name).is_file()), None)


def foreign(folder: Path) -> str | None:
    """Return the name of something in a folder that is no part of its recording; None where there is nothing else."""
    path = folder / RECORDING_FILE
    document = _document(path, path.read_bytes())
    # Version 1 does not name its files.
    older = {CONSOLE_FILE, PACKED_CONSOLE_FILE, _STAMPS_FILE, "emulator.log"}
    known = {RECORDING_FILE, *(document.files if document.version >= _FORM.sealed_since else older)}
    return next((path.name for path in sorted(folder.iterdir()) if path.name not in known), None)


def _is_part(path: Path) -> bool:
    # A document that is being written has no digest of itself.
    return path.is_file() and not path.name.startswith(RECORDING_FILE)


def _none_there(folder: Path, fault: OSError) -> UserError:
    return UserError(
        f"{folder} is not a recording: {fault.strerror or fault}", hint="`bootlab boot SYSTEM.toml` makes one"
    )


def pack(folder: Path) -> None:
    """Make a recording small, to be kept for long: console compressed, stamps only where a line begins or ends.

    Every line keeps its times; those of the bytes inside it are lost.
    """
    import numpy as np  # noqa: PLC0415 - loaded while a machine runs, not before it starts

    recording = load(folder, whole=True)
    console = recording.console
    stamps = _load_stamps(folder / _STAMPS_FILE)
    if stamps is not None and len(stamps.ends):
        edges = {o for line in split_lines(console) for o in (line.offset_bytes, line.offset_bytes - 2)}
        wanted = np.asarray(sorted({0, *edges, len(console) - 1}), dtype=np.int64)
        keep = np.unique(np.minimum(np.searchsorted(stamps.ends, wanted, side="right"), len(stamps.ends) - 1))
        _save_stamps(
            folder,
            msgspec.structs.replace(stamps, ends=stamps.ends[keep], ns=stamps.ns[keep], insns=stamps.insns[keep]),
        )
    (folder / PACKED_CONSOLE_FILE).write_bytes(lzma.compress(console, preset=9))
    (folder / CONSOLE_FILE).unlink(missing_ok=True)
    _save_document(folder, recording.meta, recording.marks)


def _console(folder: Path) -> bytes:
    plain = folder / CONSOLE_FILE
    if plain.is_file() or not (folder / PACKED_CONSOLE_FILE).is_file():
        return plain.read_bytes()
    decompressor = lzma.LZMADecompressor(memlimit=256 << 20)
    console = decompressor.decompress((folder / PACKED_CONSOLE_FILE).read_bytes(), max_length=_CONSOLE_MAX_BYTES)
    if not decompressor.eof:
        raise EOFError(f"it is cut off, or larger than {_CONSOLE_MAX_BYTES >> 20} MiB")
    return console


def _kernel_config(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        text = file.read(_CONFIG_MAX_BYTES).decode("utf-8", "replace")
    return {f"CONFIG_{name}": plain for _, name, _, plain in _core.config_lines(text)[0]}


def _programs(path: Path) -> BuiltPrograms:
    if not path.is_file():
        return BuiltPrograms()
    try:
        return sealed.read(path.read_bytes(), BuiltPrograms)
    except (OSError, NotWhole) as fault:
        raise DamagedRecording(path, fault) from fault


def _save_stamps(folder: Path, stamps: Stamps) -> None:
    import zipfile  # noqa: PLC0415 - NumPy loads it too, while a machine runs

    import numpy as np  # noqa: PLC0415

    columns = {"ends": stamps.ends, "ns": stamps.ns, "insns": stamps.insns}
    # As np.savez_compressed() does, whose level takes six times as long for files that are a thirtieth smaller.
    with zipfile.ZipFile(folder / _STAMPS_FILE, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for name, column in columns.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, column, allow_pickle=False)


# NumPy reads a header with `ast`, and Python 3.11 counts the depth of all threads in one place (gh-106905 of
# CPython): now and then a second thread gets a SystemError.
_ONE_HEADER = threading.Lock()


def _load_stamps(path: Path) -> Stamps | None:
    if not path.is_file():
        return None
    import zipfile  # noqa: PLC0415

    import numpy as np  # noqa: PLC0415

    try:
        # Opened here: NumPy leaves the file open when it is no archive.
        with _ONE_HEADER, path.open("rb") as file, np.load(file, allow_pickle=False) as table:
            columns = [np.asarray(table[name], dtype=np.int64) for name in ("ends", "ns", "insns")]
    except (OSError, ValueError, TypeError, KeyError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error) as fault:
        raise DamagedRecording(path, fault) from fault
    if any(c.ndim != 1 or len(c) != len(columns[0]) for c in columns):
        raise DamagedRecording(path, "its columns do not fit together")
    return Stamps(ends=columns[0], ns=columns[1], insns=columns[2], marks={})
