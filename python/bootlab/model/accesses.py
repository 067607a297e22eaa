# SPDX-License-Identifier: MIT
"""Who touched which file of a booted system: what each method saw, up to the goal and while the check ran."""

from __future__ import annotations

from typing import Literal

import msgspec

Method = Literal["fanotify", "tracing", "atime", "given"]
METHODS: tuple[Method, ...] = ("fanotify", "tracing", "atime")
"""What the agent can do. `given`: from a list that somebody else made, of a board."""
Kind = Literal["read", "opened", "executed", "listed", "followed", "named"]
Phase = Literal["boot", "check"]


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """One access, each only once. `path` as the method saw it: `tracing` sees names before links are followed.

    `who`: the process's name; "" where the method does not know it. `kind` `named`: the name was given to a system
    call, which may have failed.
    """

    path: str
    method: Method
    kind: Kind
    phase: Phase = "boot"
    who: str = ""


class MethodState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a method worked in this boot, and what it cannot see (or why it did not work)."""

    name: Method
    works: bool
    text: str


class Accesses(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was seen in one boot; also what `bootlab rootfs atime --output` writes.

    `complete`: the report came through whole. `mount_points`: where the system had mounted something.
    """

    format: str = "bootlab-accesses"
    version: int = 2
    methods: tuple[MethodState, ...] = ()
    seen: tuple[Access, ...] = ()
    mount_points: tuple[str, ...] = ()
    complete: bool = True

    def by(self, method: Method) -> tuple[Access, ...]:
        """Return what one method saw."""
        return tuple(access for access in self.seen if access.method == method)

    def works(self, method: Method) -> bool:
        """Tell whether a method worked."""
        return any(state.name == method and state.works for state in self.methods)
