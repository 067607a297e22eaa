# SPDX-License-Identifier: MIT
"""The store of what was built: a file a key, made once, whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bootlab.errors import UserError, cannot_write
from bootlab.recordings import damage, seal

_STALE_S = 24 * 3600
_KEY_CHARS = frozenset("0123456789abcdef")


class Cache:
    """A folder of files named by the digest of everything they were made from.

    Safe with several processes and threads at once: who comes second waits and takes what is there. A process that is
    killed leaves a temporary file, which a later one removes when it is a day old, and never half of a result.

    Every file's digest lies in `digests`. One whose contents are others by now is made again, and `logging` told.
    """

    def __init__(self, root: Path) -> None:
        """Open the store, making its folders. Raise EnvironmentFault when it cannot be written."""
        self.root = root
        self._digests: dict[tuple[str, int, int, int, int], str] = {}
        try:
            for name in ("files", "digests", "locks", "new"):
                (root / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(
                f"the build cache {root} cannot be made",
                error,
                root.parent,
                besides="BOOTLAB_CACHE names another folder",
            ) from error
        self._sweep()

    def file(self, key: str, suffix: str, make: Callable[[Path], None]) -> Path:
        """Return the file of a key; when it is not there, `make` writes it to the path it is given.

        `key` comes from :func:`key_of`. Whatever `make` raises passes through and leaves nothing behind.
        """
        if not key or not _KEY_CHARS.issuperset(key):
            raise ValueError(f"not a key: {key!r}")
        final = self.root / "files" / f"{key}{suffix}"
        if self._intact(final):
            return final
        try:
            with self.alone(key):
                if not self._intact(final):
                    if final.is_file():
                        damage.tell(final)
                    self._make(final, make)
        except OSError as error:
            raise cannot_write(f"the build cache {self.root} cannot be written", error, self.root) from error
        return final

    def digest(self, path: Path) -> str:
        """Return the SHA-256 of a file's contents, remembered while its size and times stay the same."""
        try:
            status = path.stat()
            # The time of the last change of any kind cannot be set back, as that of the contents can.
            known = (str(path), status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            if known not in self._digests:
                self._digests[known] = seal.sha256_of(path)
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -l {path}") from error
        return self._digests[known]

    def _intact(self, final: Path) -> bool:
        if not final.is_file():
            return False
        said = seal.said_by(self.root / "digests" / final.name)
        # Without its digest nothing shows what it is: it is made again.
        return bool(said) and said == self.digest(final)

    def _make(self, final: Path, make: Callable[[Path], None]) -> None:
        handle, name = tempfile.mkstemp(prefix=f"{final.name[:16]}-", dir=self.root / "new")
        os.close(handle)
        new = Path(name)
        try:
            make(new)
            # On disk before it gets its name: a power cut must not leave a named file without its contents.
            with new.open("rb") as file:
                os.fsync(file.fileno())
            new.chmod(0o644)
            # Without its digest for a moment rather than with that of other contents.
            place = self.root / "digests" / final.name
            place.unlink(missing_ok=True)
            sha256 = seal.sha256_of(new)
            new.replace(final)
            seal.put_on(place, sha256)
        finally:
            new.unlink(missing_ok=True)

    @contextlib.contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """Be the only one who makes what belongs to a key, waiting for whoever does. Raise OSError."""
        # The lock file stays: removing it would let two processes lock two files of one name.
        with (self.root / "locks" / key).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _sweep(self) -> None:
        oldest_s = time.time() - _STALE_S
        for left in (self.root / "new").iterdir():
            with contextlib.suppress(OSError):
                if left.stat().st_mtime < oldest_s:
                    left.unlink()


def default_folder() -> Path:
    """Return the user's own: BOOTLAB_CACHE, or `bootlab` in the folder for caches (XDG_CACHE_HOME, ~/.cache)."""
    named = os.environ.get("BOOTLAB_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "bootlab"


def key_of(*parts: object) -> str:
    """Return the key of a list of plain values: the SHA-256 of a text in which no two lists look alike."""
    digest = hashlib.sha256()
    for part in parts:
        text = repr(part).encode("utf-8", "surrogateescape")
        digest.update(b"%d:%s," % (len(text), text))
    return digest.hexdigest()
