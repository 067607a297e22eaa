# SPDX-License-Identifier: MIT
"""One boot as the history keeps it: its times, and which revision of which system it was."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import msgspec

from bootlab.history.boot_times import BootTimes


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A boot in the history. `revision`: a commit or any other name of what was built; `variant`: what it differs by.

    `at`: when it was made, ISO 8601 in UTC; `object`: the digest of its recording, "" where none is kept;
    `session`: boots that were made together, in their order.
    """

    system: str
    revision: str
    variant: str = ""
    session: str = ""
    host: str = ""
    times: BootTimes
    object: str = ""
    id: int | None = None

    @property
    def at(self) -> str:
        """When the boot was made."""
        return self.times.at

    @property
    def uid(self) -> str:
        """What makes it this boot: the same one added twice is one. Its date counts where it carries one itself."""
        parts = [self.system, self.revision, self.variant, self.session, self.times.key, self.times.at]
        if self.times.exact:
            # Exact boots of one thing are equal, whenever they were made.
            parts = [self.system, self.revision, self.variant, "", self.times.key, ""]
        values = sorted(self.times.values.items())
        return hashlib.sha256(msgspec.json.encode([*parts, values])).hexdigest()


def dated(times: BootTimes) -> BootTimes:
    """Give times without a date the present."""
    return (
        times if times.at else msgspec.structs.replace(times, at=datetime.now(UTC).isoformat(timespec="microseconds"))
    )


def host() -> str:
    """Return this machine's name."""
    import socket  # noqa: PLC0415 - reading a history does without

    return socket.gethostname()[:200]
