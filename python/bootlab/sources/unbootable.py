# SPDX-License-Identifier: MIT
"""Files that boot nothing: told by their first bytes, and refused with what they are."""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError
from bootlab.formats import foreign_file, tar_archive, uboot_header
from bootlab.logs import log_facts
from bootlab.sources import given_path, updates, zipped
from bootlab.sources.facts import SourceFacts

_ISO_AT = 0x8001
_TEXT_SHARE = 0.9
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_RAUC = foreign_file.Named("other", "an update for RAUC (a bundle)")


def log_of(path: Path, other: foreign_file.Named | None) -> SourceFacts:
    """Look at a text as a boot log. Raise UserError for another one, by its name where it has one."""
    try:
        return SourceFacts(source=path, what="a boot log", log=log_facts.read(path))
    except UserError as error:
        raise (refusal(path, other) if other is not None else error) from error


def by_end(path: Path, head: bytes) -> foreign_file.Named | None:
    """Say what a file is whose end tells: RAUC's bundle is a squashfs with a signature and its length behind it."""
    if not head.startswith(b"hsqs"):
        return None
    size, used = path.stat().st_size, int.from_bytes(head[40:48], "little")
    with path.open("rb") as file:
        file.seek(max(0, size - 8))
        signature = int.from_bytes(file.read(8), "big")
        start = size - 8 - signature
        file.seek(max(0, start))
        # DER: a sequence with a length of two bytes.
        signed = used <= start < size and file.read(2) == b"\x30\x82"
    return _RAUC if signed else None


def boots_nothing(other: foreign_file.Named, head: bytes) -> bool:
    """Tell whether a file of a known kind is none that boots."""
    # A cpio archive in an old format has its way out, and the kernel does not unpack it.
    old = other.kind == "initramfs" and bool(other.way) and not head.startswith(uboot_header.MAGIC)
    return other.kind == "other" or old or is_iso(head)


def is_iso(head: bytes) -> bool:
    """Tell whether a file is an ISO image, whatever partition table lies before it."""
    return head[_ISO_AT : _ISO_AT + 5] == b"CD001"


def refusal(path: Path, other: foreign_file.Named) -> UserError:
    """Return what is said of such a file."""
    way = other.hint(path)
    if other is _RAUC:
        way = updates.of_rauc(path)
    elif other.what == foreign_file.SWUPDATE:
        way = updates.of_swupdate(path, given_path.head(path))
    elif other.what.startswith(f"a tar archive, {tar_archive.MENDER}"):
        way = updates.of_mender(path)
    elif other is foreign_file.PAYLOAD:
        way = zipped.of_payload(path)
    what = other.what
    if other is foreign_file.ZIP:
        of, way = zipped.of(path)
        what = f"{what}, {of}" if of else what
    return UserError(
        f"{path} is {what}{f': {other.why}' if other.why else ', which bootlab does not boot'}",
        hint=way or "docs/how-to/boot-your-own-system.md lists what can be read",
    )


def is_text(head: bytes) -> bool:
    """Tell whether the first bytes of a file are a text's."""
    plain = sum(1 for byte in head if byte in b"\t\r\n\x1b" or 32 <= byte < 127)
    return plain > len(head) * _TEXT_SHARE or head.startswith(_UTF_16)
