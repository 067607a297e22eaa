# SPDX-License-Identifier: MIT
"""Documents that decide something: JSON that holds the digest of its own values, which is checked when it is read.

A digest finds damage, not forgery. It is that of the values, so a document may be laid out anew. One of a version that
has a digest is refused without it: damage to a version's number cannot switch the check off. Versions from before
digests are read as they are where their format says so, and whoever reads them is told.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from bootlab.recordings import damage

DIGEST = "digest"
"""The key of a document's own digest."""

_Kind = TypeVar("_Kind")


class NotWhole(ValueError):
    """Bytes are not a document, or not the one that was written; the text says why."""


class OtherForm(ValueError):
    """A document of another format, or of a version that is not read here."""

    def __init__(self, name: object, version: object) -> None:
        """Keep what it calls itself."""
        super().__init__(f"it is of format {str(name)[:60]!r}, version {str(version)[:20]}")
        self.name = name
        self.version = version


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """A format: its name, the version that is written, and the first one that has a digest.

    `oldest`: the first version that is read; older than `sealed_since`, it is read without a check.
    """

    name: str
    version: int
    sealed_since: int
    oldest: int


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A document's values after the check. `sealed`: it had a digest, and it was right."""

    values: dict[str, Any]
    version: int
    sealed: bool


def values_of(value: msgspec.Struct) -> dict[str, Any]:
    """Return a value's fields as plain ones, of the version that is written, whatever version it was read from."""
    values: dict[str, Any] = msgspec.to_builtins(value)
    current = {field.encode_name: field.default for field in msgspec.structs.fields(value)}
    return values | {"version": current["version"]} if "version" in current else values


def text_of(values: dict[str, Any], *, indent: int = 1) -> bytes:
    """Return a document with its digest. Raise UnicodeEncodeError for text that is not Unicode."""
    whole = values | {DIGEST: digest_of(values)}
    return msgspec.json.format(msgspec.json.encode(whole), indent=indent)


def digest_of(values: dict[str, Any]) -> str:
    """Return the digest of a document's values, however they are laid out."""
    others = {key: value for key, value in values.items() if key != DIGEST}
    return hashlib.sha256(msgspec.json.encode(others, order="deterministic")).hexdigest()


def digest_in_order(value: msgspec.Struct) -> str:
    """Return the same digest of a value whose fields, and those of what it holds, stand in the order of their names.

    Nothing is put in order for it: for the many rows of a table.
    """
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()


def read(raw: bytes, kind: type[_Kind]) -> _Kind:
    """Return a value that bytes hold, unchecked: for what another digest covers. Raise NotWhole, and nothing else."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        # A byte that is not UTF-8 inside a text is a UnicodeDecodeError, which is a ValueError.
        raise NotWhole(str(fault)) from fault


def opened(raw: bytes, form: Form) -> Opened:
    """Check a document. Raise OtherForm, or NotWhole for one that is damaged."""
    values = read(raw, dict[str, Any])
    name, version = values.get("format"), values.get("version")
    if name != form.name or not isinstance(version, int) or not form.oldest <= version <= form.version:
        raise OtherForm(name, version)
    sealed = version >= form.sealed_since
    if sealed:
        _check(values)
    if not sealed and DIGEST in values:
        raise NotWhole(f"it has a digest, which version {version} had not")
    return Opened(values=values, version=version, sealed=sealed)


def _check(values: dict[str, Any]) -> None:
    if values.get(DIGEST) != digest_of(values):
        raise NotWhole("its contents are not those that were written")


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == hashlib.sha256().digest_size * 2


def document_of(raw: bytes, form: Form, kind: type[_Kind]) -> tuple[_Kind, Opened]:
    """Check a document and return it as a value. Raise OtherForm, or NotWhole for one that is damaged."""
    head = opened(raw, form)
    if not head.sealed and issubclass(kind, msgspec.Struct):
        for key in head.values.keys() - set(kind.__struct_encode_fields__):
            if _is_digest(head.values[key]):
                # Its name and the version were both altered.
                raise NotWhole(f"it has a digest, {key[:40]!r}, which version {head.version} had not")
    return read(raw, kind), head


def intact(raw: bytes) -> dict[str, Any]:
    """Return the values of any document, checked where it has a digest. Raise NotWhole."""
    values = read(raw, dict[str, Any])
    if DIGEST in values:
        _check(values)
    return values


def keep(path: Path, value: msgspec.Struct) -> None:
    """Write a value of a cache with its digest, whole or not at all. Raise OSError."""
    handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text_of(values_of(value)))
        fresh.chmod(0o644)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def kept(path: Path, kind: type[_Kind], form: Form | None = None) -> _Kind | None:
    """Return a value of a cache; None where there is none, or none that may be trusted, so that it is made again.

    `form`: of documents that name their format. Others must have their digest.
    """
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    try:
        if form is not None:
            return document_of(raw, form, kind)[0]
        values = read(raw, dict[str, Any])
        if DIGEST not in values and read(raw, kind) is not None:
            # Written by a bootlab that kept no digests here.
            return None
        _check(values)
        return read(raw, kind)
    except OtherForm:
        return None
    except NotWhole as fault:
        damage.tell(path, fault)
        return None
