# SPDX-License-Identifier: MIT
"""What the guest's clock shows at power-on: not before the newest thing on the image was written.

A system whose clock is behind its files checks file systems, complains of clock skew and builds caches again.
"""

from __future__ import annotations

import datetime

from bootlab.model.system import Clockwork
from bootlab.sources.facts import DiskFacts

_LATEST = datetime.datetime(2100, 1, 1, tzinfo=datetime.UTC)


def rtc_base(disk: DiskFacts | None) -> tuple[str, str]:
    """Return date and time for `clock.rtc_base`, and why; "" where the usual date is late enough."""
    times = [part.file_system.written_s for part in (disk.partitions if disk else ()) if part.file_system is not None]
    newest = max(times, default=0)
    usual = datetime.datetime.fromisoformat(Clockwork().rtc_base).replace(tzinfo=datetime.UTC)
    if not usual.timestamp() < newest < _LATEST.timestamp():
        return "", ""
    written = datetime.datetime.fromtimestamp(newest, datetime.UTC)
    after = (written + datetime.timedelta(days=1)).replace(hour=0, minute=0, second=0)
    return after.replace(tzinfo=None).isoformat(), f"the image was written on {written:%Y-%m-%d}"
