# SPDX-License-Identifier: MIT
"""What is said of a kept file that is not what was written, and where it is put."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

from bootlab.errors import UserError

_LOG = logging.getLogger("bootlab")
_ASIDE = ".damaged"


class Damaged(UserError):
    """A file that bootlab wrote is not what was written: cut off or altered."""

    def __init__(self, path: Path, what: object, *, hint: str) -> None:
        """Name the file and what is wrong with it."""
        super().__init__(f"{path} is damaged: {what}", hint=hint)
        self.path = path


class DamagedRecording(Damaged):
    """A recording is not what was written: cut off, altered, or a part of it is gone."""

    def __init__(self, path: Path, what: object) -> None:
        """Name the file and what is wrong with it."""
        super().__init__(path, what, hint="boot the system again: `bootlab boot SYSTEM.toml`")


def tell(path: Path, what: object = "its digest is another") -> None:
    """Say that a kept file is not what was written, and is made again. To `logging`: nothing prints here."""
    _LOG.warning("%s is damaged (%s); it is made again", path, what)


def tell_left_out(what: str) -> None:
    """Say that something kept is not what was written, and that nothing gives it back."""
    _LOG.warning("%s is not what was written, and is left out", what)


def tell_healed(what: str, source: str) -> None:
    """Say that something kept was not what was written, and was made again from `source`."""
    _LOG.warning("%s was not what had been written; it was made again from %s", what, source)


def tell_unsealed(path: Path, version: int) -> None:
    """Say that a file is from before there were digests."""
    said = "nothing shows whether it is what was written"
    _LOG.warning("%s is of version %d, which had no digest: %s", path, version, said)


def set_aside(folder: Path) -> Path | None:
    """Move a damaged folder out of the way, where it can be looked at; return where it is now.

    One of each name is kept: `.damaged/NAME` beside it. None where it cannot be moved: what is made again replaces it.
    """
    place = folder.parent / _ASIDE / folder.name
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            shutil.rmtree(place)
        folder.rename(place)
    except OSError:
        return None
    return place
