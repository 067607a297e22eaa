# SPDX-License-Identifier: MIT
"""Patches as `git format-patch` writes them and `git am` takes them: text, binary files, links, modes."""

from __future__ import annotations

import base64
import difflib
import hashlib
import zlib
from datetime import UTC, datetime
from email.utils import format_datetime

import msgspec

_LINE_BYTES = 52
_NO_BLOB = "0" * 40


class Blob(msgspec.Struct, frozen=True):
    """One file as git keeps it. `mode`: 100644, 100755 or 120000 (a link, whose target is the data)."""

    data: bytes
    mode: str = "100644"

    @property
    def name(self) -> str:
        """Git's name of the contents."""
        return hashlib.sha1(b"blob %d\0" % len(self.data) + self.data, usedforsecurity=False).hexdigest()


def mail(subject: str, body: str, made: str, files: dict[str, tuple[Blob | None, Blob]], place: str) -> str:
    """Return one patch. `files`: by path, the file before (None: it is new) and with the change; `place`: `2/5`."""
    when = format_datetime(datetime.fromisoformat(made)) if made else format_datetime(datetime.fromtimestamp(0, UTC))
    head = (
        f"From {_NO_BLOB} Mon Sep 17 00:00:00 2001\nFrom: bootlab <bootlab@localhost>\nDate: {when}\n"
        f"Subject: [PATCH {place}] {subject}\n\n{body}---\n\n"
    )
    return head + "".join(_difference(path, *sides) for path, sides in sorted(files.items())) + "-- \nbootlab\n"


def _difference(path: str, old: Blob | None, new: Blob) -> str:
    name = _quoted(path)
    head = f"diff --git a/{name} b/{name}\n" if name == path else f'diff --git "a/{name}" "b/{name}"\n'
    if old is None:
        head += f"new file mode {new.mode}\nindex {_NO_BLOB}..{new.name}\n"
    elif old.mode == new.mode:
        head += f"index {old.name}..{new.name} {new.mode}\n"
    else:
        head += f"old mode {old.mode}\nnew mode {new.mode}\nindex {old.name}..{new.name}\n"
    if old is not None and old.data == new.data:
        return head.partition("index ")[0]
    if _is_text(new.data) and (old is None or _is_text(old.data)):
        return head + _lines(path, old, new)
    return f"{head}GIT binary patch\n{_literal(new.data)}\n{_literal(old.data if old else b'')}\n"


def _is_text(data: bytes) -> bool:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    # What splits lines besides a line feed would be broken up.
    return not any(char in text for char in "\0\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def _lines(path: str, old: Blob | None, new: Blob) -> str:
    before = old.data.decode().splitlines(keepends=True) if old is not None else []
    after = new.data.decode().splitlines(keepends=True)
    if before == after == []:
        return ""
    name = _quoted(path)
    sides = ("/dev/null" if old is None else _side("a", name, path), _side("b", name, path))
    lines = difflib.unified_diff(before, after, *sides, lineterm="\n")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _side(letter: str, name: str, path: str) -> str:
    return f"{letter}/{name}" if name == path else f'"{letter}/{name}"'


def _quoted(path: str) -> str:
    """Return a path as git quotes it (`quote.c`): bytes above ASCII, quotes and control characters by number."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}" for byte in path.encode())


def _literal(data: bytes) -> str:
    packed = zlib.compress(data, 9)
    rows = [packed[start : start + _LINE_BYTES] for start in range(0, len(packed), _LINE_BYTES)]
    text = "".join(f"{_length(len(row))}{base64.b85encode(row, pad=True).decode()}\n" for row in rows)
    return f"literal {len(data)}\n{text}"


def _length(count: int) -> str:
    return chr(ord("A") + count - 1) if count <= 26 else chr(ord("a") + count - 27)
