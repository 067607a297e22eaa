# SPDX-License-Identifier: MIT
"""Files that machines share over a URL (fsspec: a folder, `s3://BUCKET/PREFIX`, ...), named by their contents.

`files/SHA256` holds what boots and kernels are made of; `boots/NAME/ATTEMPT/` a recording, whose `recording.json` is
put there last, so that one with it is whole; `kernels/KEY` the digest of a kernel that was built, which is packed among
the files; `stop/NAME` asks for the end of a boot or a build. Nothing is ever changed in place.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.builders.cache import Cache
from bootlab.errors import BootlabError, EnvironmentFault
from bootlab.recordings import recording_dir
from bootlab.recordings.files import RECORDING_FILE
from bootlab.recordings.seal import sha256_of
from bootlab.workers.folder_storage import FolderStorage
from bootlab.workers.own_name import own_name

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem


class SharedFiles:
    """A place that every machine reaches: a URL, or a folder. Raise EnvironmentFault for one that cannot be reached."""

    def __init__(self, url: str) -> None:
        """Open it."""
        self.url = url
        self._fs: AbstractFileSystem | FolderStorage
        scheme, separator, path = url.partition("://")
        if not separator or scheme in {"file", "local"}:
            self._fs, self._root = FolderStorage(), str(Path(path if separator else url).absolute())
            return
        with self._reached():
            from fsspec.core import url_to_fs  # noqa: PLC0415 - an extra

            # What a listing said a moment ago is no answer: other machines write.
            # No bucket is made: one that is not there is a mistake in the address.
            found: tuple[AbstractFileSystem, str] = url_to_fs(url, use_listings_cache=False)
            self._fs, self._root = found

    def put(self, path: Path, sha256: str) -> None:
        """Hand a file over, unless one with these contents is there."""
        there = f"{self._root}/files/{sha256}"
        with self._reached():
            if not self._fs.exists(there):
                self._write(path, there)

    def take(self, sha256: str, suffix: str, cache: Cache) -> Path:
        """Return a file with these contents in this machine's cache, fetched if it is not there.

        Raise EnvironmentFault when it is gone or damaged: a boot with other contents would be another boot.
        """
        # An own name for each kind of file: an emulator looks at what a name ends in.
        final = cache.root / "shared" / f"{sha256}{suffix}"
        if final.is_file() and cache.digest(final) == sha256:
            return final
        final.parent.mkdir(parents=True, exist_ok=True)
        fresh = final.with_name(f".{final.name}.{own_name()}")
        try:
            with self._reached():
                self._fs.get_file(f"{self._root}/files/{sha256}", str(fresh))
            if sha256_of(fresh) != sha256:
                raise EnvironmentFault(
                    f"{self.url}/files/{sha256} has other contents than its name says", hint="remove it there"
                )
            fresh.replace(final)
        finally:
            fresh.unlink(missing_ok=True)
        return final

    def keep(self, folder: Path, name: str) -> str:
        """Hand a recording over; return the name of this attempt."""
        attempt = own_name()
        there = f"{self._root}/boots/{name}/{attempt}"
        last = folder / RECORDING_FILE
        with self._reached():
            for path in (*sorted(p for p in folder.iterdir() if p.is_file() and p != last), last):
                self._write(path, f"{there}/{path.name}")
        return attempt

    def attempts(self, name: str) -> tuple[str, ...]:
        """Return the attempts of a boot that came to a whole recording."""
        with self._reached():
            self._fs.invalidate_cache()
            found = self._fs.glob(f"{self._root}/boots/{name}/*/{RECORDING_FILE}")
        return tuple(sorted(str(path).rsplit("/", 2)[1] for path in found))

    def fetch(self, name: str, attempt: str, folder: Path) -> None:
        """Write a recording into a folder that is not there yet. Raise UserError for a damaged one."""
        there = f"{self._root}/boots/{name}/{attempt}"
        fresh = folder.with_name(f"{folder.name}.{own_name()}")
        fresh.mkdir(parents=True)
        try:
            with self._reached():
                for path in self._fs.ls(there, detail=False):
                    self._fs.get_file(path, str(fresh / str(path).rsplit("/", 1)[1]))
            recording_dir.load(fresh, whole=True)
            fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def kernel(self, key: str) -> str:
        """Return the digest of the archive with a kernel that somebody built; "" when nobody did."""
        with self._reached():
            try:
                return bytes(self._fs.cat_file(f"{self._root}/kernels/{key}")).decode("ascii", "replace")
            except FileNotFoundError:
                return ""

    def note_kernel(self, key: str, sha256: str) -> None:
        """Say which archive among the files holds a kernel, all of it."""
        with self._reached():
            self._fs.pipe_file(f"{self._root}/kernels/{key}", sha256.encode())

    def ask_to_stop(self, name: str) -> None:
        """Ask whoever makes a boot to end its machine."""
        with self._reached():
            self._fs.pipe_file(f"{self._root}/stop/{name}", b"stop")

    def stop_asked(self, name: str) -> bool:
        """Tell whether somebody asks for the end of a boot."""
        with self._reached():
            return bool(self._fs.exists(f"{self._root}/stop/{name}"))

    def forget_stop(self, name: str) -> None:
        """Take the asking back."""
        with self._reached(), contextlib.suppress(FileNotFoundError):
            self._fs.rm_file(f"{self._root}/stop/{name}")

    def _write(self, path: Path, there: str) -> None:
        # An object of a bucket appears when it is whole, and so does a file of a folder.
        self._fs.put_file(str(path), there)

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except BootlabError:
            raise
        except ImportError as fault:
            raise EnvironmentFault(
                f"{self.url} needs a package that is not installed: {fault}", hint="pip install 'bootlab[dask,s3]'"
            ) from fault
        except Exception as fault:
            # Each kind of storage has its own errors.
            raise EnvironmentFault(
                f"{socket.gethostname()} cannot use {self.url}: {type(fault).__name__}: {fault}",
                hint="look at the address and at the credentials; `fsspec` names the kinds of URLs that it knows",
            ) from fault
