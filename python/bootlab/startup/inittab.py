# SPDX-License-Identifier: MIT
"""`/etc/inittab`: what init starts. `id:runlevels:action:process` (BusyBox init.c, sysvinit's inittab(5))."""

from __future__ import annotations

import posixpath
import shlex

import msgspec

_ENTRIES_MAX = 1000
_KEPT_ALIVE = frozenset({"respawn", "askfirst"})
GETTYS = frozenset({"getty", "agetty", "mgetty", "login"})
"""Programs that ask a person for a name."""
_FOR_A_PERSON = GETTYS | {"sh", "ash"}
_WORDS_SEARCHED = 4
"""A program may stand behind those that start it: `setsid cttyhack sh`."""
_STARTS = ("sysinit", "bootwait", "boot", "wait", "once", "respawn", "askfirst")
DEFAULT_SCRIPT = "/etc/init.d/rcS"
"""What BusyBox's init runs without an inittab (INIT_SCRIPT in init/init.c)."""


class InittabLine(msgspec.Struct, frozen=True):
    """One line. `terminal`: the device that BusyBox gives the process, "" for the console. `process`: as written."""

    number: int
    terminal: str
    runlevels: str
    action: str
    process: str

    @property
    def words(self) -> tuple[str, ...]:
        """Return the process's words, `-` of a login shell taken off; empty when its quotes do not close."""
        try:
            return tuple(shlex.split(self.process.removeprefix("-")))
        except ValueError:
            return ()

    @property
    def serves_a_person(self) -> bool:
        """Tell whether init keeps a login prompt or a shell alive on a terminal."""
        names = {posixpath.basename(word) for word in self.words[:_WORDS_SEARCHED]}
        return self.action in _KEPT_ALIVE and not names.isdisjoint(_FOR_A_PERSON)


def parse(text: str) -> tuple[InittabLine, ...]:
    """Return the entries of an inittab in their order; what is none is left out, as init does."""
    found: list[InittabLine] = []
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.strip().split(":", 3)
        if line.lstrip().startswith("#") or len(fields) != 4 or len(found) >= _ENTRIES_MAX:
            continue
        found.append(InittabLine(number, *(field.strip() for field in fields)))
    return tuple(found)


def in_order(entries: tuple[InittabLine, ...]) -> list[InittabLine]:
    """Return what is started, in init's order: all of one action before the next (init.c: run_actions)."""
    return [entry for action in _STARTS for entry in entries if entry.action == action]
