# SPDX-License-Identifier: MIT
"""Lines that a boot printed, and what a pattern would find in them first, as a boot looks for its goal."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec


class Match(msgspec.Struct, frozen=True):
    """The first match of a pattern: the index of its line, and when the byte came that completes it."""

    index: int
    ns: int | None


class Printed(msgspec.Struct, frozen=True):
    """Lines of a boot in their order. `begin`: the index of the first line that user space may have printed.

    `begin_char`: where in that line; before it stand the last words of the kernel or its set-up code, which ended no
    line (`Probing EDD (edd=off to disable)... ok`).

    `time`: when the text of a line (its index) was complete up to a character (its index), in virtual nanoseconds from
    power-on; None where nothing stamped it.
    """

    texts: tuple[str, ...]
    time: Callable[[int, int], int | None] = lambda _index, _character: None
    begin: int = 0
    begin_char: int = 0

    @property
    def of_user_space(self) -> tuple[str, ...]:
        """The lines, without what the kernel said in the one in which user space begins to speak."""
        cut = (text[self.begin_char :] for text in self.texts[self.begin : self.begin + 1])
        return (*self.texts[: self.begin], *cut, *self.texts[self.begin + 1 :])

    def first(self, pattern: str, begin: int = 0) -> Match | None:
        """Return the first match of a pattern in any line from `begin` on, a kernel's too; None without one."""
        compiled = re.compile(pattern)
        for index, text in enumerate(self.texts[begin:], begin):
            if (match := compiled.search(text)) is not None:
                return Match(index, self.time(index, max(match.start(), match.end() - 1)))
        return None
