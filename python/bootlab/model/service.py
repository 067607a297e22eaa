# SPDX-License-Identifier: MIT
"""A service that an init started, by what it printed."""

from __future__ import annotations

import msgspec

MANAGERS = {
    "scripts": "start scripts",
    "openrc": "OpenRC",
    "runit": "runit",
    "s6": "s6-rc",
    "dinit": "dinit",
    "finit": "Finit",
    "upstart": "upstart",
    "android": "Android's init",
}
"""Who starts services (crates/boottrace: `facts::services`), as people write it."""


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """One service's start. `name`: as its line calls it. `done_ns` None: nothing says when it was up.

    `at_most`: it was up no later than that, when the next one began. `ok` False: it did not come up.
    """

    name: str
    manager: str
    start_ns: int
    done_ns: int | None = None
    at_most: bool = False
    ok: bool = True
    lines: tuple[int, int] = (0, 0)

    @property
    def duration_ns(self) -> int | None:
        """How long its start took."""
        return None if self.done_ns is None else self.done_ns - self.start_ns

    @property
    def remark(self) -> str:
        """Who started it, and what is to be known about its times."""
        said = [MANAGERS.get(self.manager, self.manager)]
        said += ["up to the next line"] if self.at_most else []
        said += ["how long is not shown"] if self.done_ns is None else []
        said += ["did not come up"] if not self.ok else []
        return "; ".join(said)
