# SPDX-License-Identifier: MIT
"""Where a server shows things, so that its pages can link to each other."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Addresses(msgspec.Struct, frozen=True):
    """Where a server shows things: a system, a boot of the history, a run, a comparison of boots, a board.

    `step`: a change of level, by system, quantity and the number of the boot that is the first behind it.
    """

    system: Callable[[str], str]
    boot: Callable[[int], str]
    run: Callable[[str], str]
    compare: Callable[[str, str, str], str]
    board: Callable[[str], str]
    step: Callable[[str, str, int], str]
    home: str = "./"
    commit: Callable[[str], str | None] = lambda _: None
    """Where a forge shows a revision; None where nobody said."""
