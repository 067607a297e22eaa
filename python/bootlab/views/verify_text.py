# SPDX-License-Identifier: MIT
"""A build held against a hand-over, for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from bootlab.deliver.verified import Fate, Verified
from bootlab.model.figures import counted
from bootlab.views.shown_text import one_line

_ORDER: tuple[Fate, ...] = ("missing", "unknown", "found")


def answer(verified: Verified) -> str:
    """Say in a line how many changes a build has."""
    whole = len(verified.changes)
    said = [f"{len(verified.of(fate))} {fate}" for fate in _ORDER if verified.of(fate)]
    return f"{verified.build}: of {counted(whole, 'change')}, {', '.join(said) or 'none to look for'}"


def lines(verified: Verified) -> Iterator[str]:
    """Give the text: what is missing first, with the reason of each part; then what the boot told."""
    yield one_line(answer(verified), 300)
    for fate in _ORDER:
        for change in verified.of(fate):
            title = f": {change.title}" if change.title else ""
            yield one_line(f"{fate:<8}{change.change_id}{title}", 200)
            for part in change.parts:
                if part.fate == fate:
                    yield one_line(f"        {part.what}: {part.reason}", 400)
            if not change.parts:
                yield "        a later change of the hand-over undoes it"
    if verified.gain:
        yield one_line(f"boot    {verified.gain}", 400)
