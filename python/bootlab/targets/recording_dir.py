"""A recording as a folder: `recording.json`, `console.log` (packed: `.xz`), `stamps.npz`, `emulator.log`.

`recording.json` holds the digest of every file and of itself: a recording that was cut off or altered is found when it
is read. Those of version 1 hold none, and are read as they are. Those of versions 1 and 2 have the emulator's command
alone; what was started is read out of it.

A recording of a kernel that bootlab built holds its configuration too: `kernel.config`; one of a boot loader that it
built `loader.config`; one of programs that it built what they are: `programs.json`.
"""

from __future__ import annotations

import hashlib
import lzma
import zipfile
import zlib
from pathlib import Path

import msgspec

from bootlab.builders.seal import sha256_of
from bootlab.errors import UserError
from bootlab.kernelsource.configuration import parse_config
from bootlab.model.program import BuiltPrograms
from bootlab.model.recording import Mark, Meta, Recording
from bootlab.targets.console import split_lines
from bootlab.targets.recorded_command import launch_in
from bootlab.targets.stamps import Stamps

RECORDING_FILE = "recording.json"
KERNEL_CONFIG_FILE = "kernel.config"
LOADER_CONFIG_FILE = "loader.config"
PROGRAMS_FILE = "programs.json"
_CONSOLE_FILE = "console.log"
_PACKED_FILE = "console.log.xz"
_STAMPS_FILE = "stamps.npz"
_CONSOLE_MAX_BYTES = 128 << 20
_CONFIG_MAX_BYTES = 4 << 20
_FORMAT = "bootlab-recording"
_VERSION = 3
_WITHOUT_LAUNCH = 2
_WITHOUT_DIGESTS = 1


class _Document(msgspec.Struct, frozen=True, kw_only=True):
    format: str
    version: int
    meta: Meta
    marks: tuple[Mark, ...]
    files: dict[str, str] = {}
    digest: str = ""


# Made here, by one thread: msgspec crashes when two threads look at a type for the first time at once.
_READ_DOCUMENT = msgspec.json.Decoder(_Document)
_READ_PROGRAMS = msgspec.json.Decoder(BuiltPrograms)


class DamagedRecording(UserError):
    """A recording is not what was written: cut off, altered, or a part of it is gone."""

    def __init__(self, path: Path, what: object) -> None:
        """Name the file and what is wrong with it."""
        super().__init__(f"{path} is damaged: {what}", hint="boot the system again: `bootlab boot SYSTEM.toml`")


def save(folder: Path, meta: Meta, marks: tuple[Mark, ...], console: bytes, stamps: Stamps | None) -> None:
    """Write a recording; `recording.json` comes last, so that a folder with it is whole."""
    (folder / _CONSOLE_FILE).write_bytes(console)
    if stamps is not None:
        _save_stamps(folder, stamps)
    _save_document(folder, meta, marks)


def restate(folder: Path, meta: Meta) -> Recording:
    """Say something else of a recording that lies in a folder: what several boots showed together."""
    _save_document(folder, meta, load(folder).marks)
    return load(folder)


def _save_document(folder: Path, meta: Meta, marks: tuple[Mark, ...]) -> None:
    files = {path.name: sha256_of(path) for path in sorted(folder.iterdir()) if _is_part(path)}
    meta = msgspec.structs.replace(meta, version=_VERSION)
    document = _Document(format=_FORMAT, version=_VERSION, meta=meta, marks=marks, files=files)
    plain = msgspec.to_builtins(document)
    fresh = folder / f"{RECORDING_FILE}.new"
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(plain | {"digest": _digest_of(plain)}), indent=1))
    fresh.replace(folder / RECORDING_FILE)


def load(folder: Path, *, whole: bool = False) -> Recording:
    """Read a recording. Raise UserError when the folder holds none, or one of another version, or a damaged one.

    `whole`: look also at the files that are not read here.
    """
    try:
        raw = (folder / RECORDING_FILE).read_bytes()
    except OSError as fault:
        raise _none_there(folder, fault) from fault
    document = _document(folder / RECORDING_FILE, raw)
    read = {_CONSOLE_FILE, _PACKED_FILE, _STAMPS_FILE, KERNEL_CONFIG_FILE, LOADER_CONFIG_FILE, PROGRAMS_FILE}
    for name, sha256 in document.files.items():
        if whole or name in read:
            _check(folder / name, sha256)
    try:
        console = _console(folder)
    except OSError as fault:
        raise _none_there(folder, fault) from fault
    except (lzma.LZMAError, EOFError) as fault:
        raise DamagedRecording(folder / _PACKED_FILE, fault) from fault
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
        head = msgspec.json.decode(raw)
        known = (_VERSION, _WITHOUT_LAUNCH, _WITHOUT_DIGESTS)
        if not isinstance(head, dict) or head.get("format") != _FORMAT or head.get("version") not in known:
            raise UserError(
                f"{path} is not a version {_VERSION} recording", hint="boot the system again with this bootlab"
            )
        if head["version"] != _WITHOUT_DIGESTS and head.get("digest") != _digest_of(head):
            raise DamagedRecording(path, "its contents are not those that were written")
        document = _READ_DOCUMENT.decode(raw)
    except msgspec.DecodeError as fault:
        raise DamagedRecording(path, fault) from fault
    if document.version == _VERSION:
        return document
    meta = msgspec.structs.replace(document.meta, launch=launch_in(document.meta.command))
    return msgspec.structs.replace(document, meta=meta)


def _digest_of(plain: dict[str, object]) -> str:
    """Return the digest of a document: of its values, however they are laid out."""
    values = {key: value for key, value in plain.items() if key != "digest"}
    return hashlib.sha256(msgspec.json.encode(values, order="deterministic")).hexdigest()


def _check(path: Path, sha256: str) -> None:
    try:
        found = sha256_of(path)
    except OSError as fault:
        raise DamagedRecording(path, fault.strerror or fault) from fault
    if found != sha256:
        raise DamagedRecording(path, "its contents are not those that were recorded")


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
    (folder / _PACKED_FILE).write_bytes(lzma.compress(console, preset=9))
    (folder / _CONSOLE_FILE).unlink(missing_ok=True)
    _save_document(folder, recording.meta, recording.marks)


def _console(folder: Path) -> bytes:
    plain = folder / _CONSOLE_FILE
    if plain.is_file() or not (folder / _PACKED_FILE).is_file():
        return plain.read_bytes()
    decompressor = lzma.LZMADecompressor(memlimit=256 << 20)
    console = decompressor.decompress((folder / _PACKED_FILE).read_bytes(), max_length=_CONSOLE_MAX_BYTES)
    if not decompressor.eof:
        raise EOFError(f"it is cut off, or larger than {_CONSOLE_MAX_BYTES >> 20} MiB")
    return console


def _kernel_config(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        return parse_config(file.read(_CONFIG_MAX_BYTES).decode("utf-8", "replace"))


def _programs(path: Path) -> BuiltPrograms:
    if not path.is_file():
        return BuiltPrograms()
    try:
        return _READ_PROGRAMS.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError) as fault:
        raise DamagedRecording(path, fault) from fault


def _save_stamps(folder: Path, stamps: Stamps) -> None:
    import numpy as np  # noqa: PLC0415

    columns = {"ends": stamps.ends, "ns": stamps.ns, "insns": stamps.insns}
    with (folder / _STAMPS_FILE).open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **columns)


def _load_stamps(path: Path) -> Stamps | None:
    if not path.is_file():
        return None
    import numpy as np  # noqa: PLC0415

    try:
        # Opened here: NumPy leaves the file open when it is no archive.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as table:
            columns = [np.asarray(table[name], dtype=np.int64) for name in ("ends", "ns", "insns")]
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as fault:
        raise DamagedRecording(path, fault) from fault
    if any(c.ndim != 1 or len(c) != len(columns[0]) for c in columns):
        raise DamagedRecording(path, "its columns do not fit together")
    return Stamps(ends=columns[0], ns=columns[1], insns=columns[2], marks={})
