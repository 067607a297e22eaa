# SPDX-License-Identifier: MIT
"""Tokens, each with a role and the systems it is for; a file keeps their hashes. And how often one may try.

A token is 24 random bytes, so a plain hash of it cannot be turned back by guessing.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import threading
import time
from collections import deque
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.errors import UserError, cannot_write

Role = Literal["read", "add", "administrate"]
ROLES: tuple[Role, ...] = ("read", "add", "administrate")
"""Each may do what those before it may."""

TRIES, TRIES_S = 10, 60.0
"""So many wrong tokens from one address in so many seconds, and then it has to wait."""
_MOST_ADDRESSES = 10_000
_NAME = re.compile(r"[A-Za-z0-9._-]{1,60}")
_HASH = re.compile(r"[0-9a-f]{64}")
_LINE = "NAME ROLE SHA256 SYSTEM,SYSTEM"


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody may do. `systems`: patterns of names, `*` for all."""

    name: str
    role: Role
    systems: tuple[str, ...] = ("*",)

    def may(self, role: Role) -> bool:
        """Tell whether a role is in it."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def sees(self, system: str) -> bool:
        """Tell whether it is for a system."""
        return any(fnmatchcase(system, pattern) for pattern in self.systems)

    @property
    def everything(self) -> bool:
        """Tell whether it is for all systems, and so for what belongs to none."""
        return "*" in self.systems


ANYBODY = Grant(name="anybody", role="read")
"""Who reads on the loopback address."""


class Tokens:
    """Who has which token. The file is read again when it changes: a line that is taken out ends its token."""

    def __init__(self, file: Path | None = None, *, token: str | None = None) -> None:
        """Read a file of hashes; `token`: one more, that may add to everything. Raise UserError."""
        self._file = file
        self._own = (_hash(token), Grant(name="token", role="add")) if token is not None else None
        self._read: tuple[tuple[int, int], dict[str, Grant]] | None = None
        self._lock = threading.Lock()
        if file is not None:
            self._grants()

    @property
    def writes(self) -> bool:
        """Tell whether somebody may add."""
        return self._own is not None or any(grant.may("add") for grant in self._grants().values())

    def of(self, given: str) -> Grant | None:
        """Return what a token may; None where it is none."""
        hashed = _hash(given)
        known = list(self._grants().items())
        if self._own is not None:
            known.append(self._own)
        found = None
        for digest, grant in known:
            if hmac.compare_digest(digest, hashed):
                found = grant
        return found

    def _grants(self) -> dict[str, Grant]:
        if self._file is None:
            return {}
        with self._lock:
            try:
                status = self._file.stat()
                state = (status.st_mtime_ns, status.st_size)
                if self._read is None or self._read[0] != state:
                    self._read = (state, _parsed(self._file))
            except OSError as fault:
                raise UserError(f"cannot read the tokens in {self._file}: {fault}", hint=_how(self._file)) from fault
            return self._read[1]


class TokenTries:
    """Counts wrong tokens of each address."""

    def __init__(self) -> None:
        """Count from nothing."""
        self._wrong: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def wait_s(self, address: str) -> float:
        """Return how long an address has to wait, seconds; 0 where it may try."""
        now = time.monotonic()
        with self._lock:
            wrong = self._wrong.get(address)
            if wrong is None or len(wrong) < TRIES:
                return 0.0
            return max(0.0, wrong[0] + TRIES_S - now)

    def failed(self, address: str) -> None:
        """Note a wrong token."""
        now = time.monotonic()
        with self._lock:
            if address not in self._wrong and len(self._wrong) >= _MOST_ADDRESSES:
                self._wrong = {name: times for name, times in self._wrong.items() if times[-1] > now - TRIES_S}
                if len(self._wrong) >= _MOST_ADDRESSES:
                    del self._wrong[next(iter(self._wrong))]
            self._wrong.setdefault(address, deque(maxlen=TRIES)).append(now)


def make(file: Path, name: str, role: str, systems: str) -> str:
    """Make a token, put its hash into a file, and return it: nobody can read it there. Raise UserError."""
    patterns = tuple(pattern.strip() for pattern in systems.split(",") if pattern.strip())
    if not _NAME.fullmatch(name):
        raise UserError(f"{name!r}: a token's name has letters, digits, `.`, `_` and `-`", hint="--new-token ci-camera")
    if role not in ROLES:
        raise UserError(f"{role!r} is no role", hint=f"--role {', '.join(ROLES)}")
    if not patterns or any(re.search(r"\s", pattern) for pattern in patterns):
        raise UserError(f"{systems!r} names no systems", hint="--systems 'camera*,door'")
    known = _parsed(file) if file.exists() else {}
    if any(grant.name == name for grant in known.values()):
        raise UserError(f"{file} has a token {name} already", hint="take its line out, or give another name")
    token = secrets.token_hex(24)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as out:
            out.write(f"{name} {role} {_hash(token)} {','.join(patterns)}\n")
    except OSError as fault:
        raise cannot_write(f"{file} cannot be written", fault, file.parent) from fault
    return token


def _parsed(file: Path) -> dict[str, Grant]:
    found: dict[str, Grant] = {}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise UserError(f"cannot read the tokens in {file}: {fault}", hint=_how(file)) from fault
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 4 or words[1] not in ROLES or not _HASH.fullmatch(words[2]):
            raise UserError(f"{file}, line {number}: it is not {_LINE}", hint=_how(file))
        systems = tuple(pattern for pattern in words[3].split(",") if pattern)
        found[words[2]] = Grant(name=words[0], role=words[1], systems=systems)
    return found


def _how(file: Path) -> str:
    return f"bootlab serve --tokens {file} --new-token NAME --role add --systems 'camera*'"


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
