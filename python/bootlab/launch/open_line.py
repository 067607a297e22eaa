# SPDX-License-Identifier: MIT
"""One console line as it grows, and where patterns match in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from bootlab.model.terminal import without_control
from bootlab.recordings.console import LINE_MAX_BYTES, LINE_MAX_CHARS, length_in_bytes, parts_of, text_of

SEARCHED_MAX_BYTES = 1 << 20
"""What lies behind that in one line is not looked at."""
_STEP_BYTES = LINE_MAX_CHARS // 2
_WINDOW_BYTES = LINE_MAX_CHARS
# A window begins anywhere: in a character, in a control sequence. No match begins in so many bytes of it.
_MARGIN_BYTES = 256


class LineMatch(msgspec.Struct, frozen=True):
    """Where a pattern matched, in bytes of its line, and its groups; all of the match where it has none.

    `start_bytes`: how many bytes hold the text before it. `end_bytes` is behind the byte that completes the match: the
    last one of its last character.
    """

    start_bytes: int
    end_bytes: int
    groups: tuple[str, ...]


class OpenLine:
    """A line that may be as long as the console: the beginning of it is kept, and the end that is looked at."""

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        """Look for some patterns."""
        self._patterns = patterns
        self._windows: _Windows | None = None
        self._texts: tuple[tuple[int, bytes, str], ...] | None = None
        self.head = b""
        self.size_bytes = 0

    @property
    def is_cut(self) -> bool:
        """Tell whether a part of it was not looked at."""
        return self.size_bytes > SEARCHED_MAX_BYTES

    def grow(self, more: bytes) -> None:
        """Take the bytes that follow."""
        self.size_bytes += len(more)
        self._texts = None
        if self._windows is not None:
            self._windows.grow(more)
        elif self.size_bytes > LINE_MAX_CHARS:
            self._windows = _Windows(self._patterns)
            self._windows.grow((self.head + more)[_STEP_BYTES:])
        self.head += more[: max(0, LINE_MAX_BYTES - len(self.head))]

    @property
    def texts(self) -> tuple[tuple[int, bytes, str], ...]:
        """The lines that stand in its beginning: place, bytes and text of each."""
        if self._texts is None:
            self._texts = tuple((start, part, text_of(part)) for start, part in parts_of(self.head))
        return self._texts

    def find(self, number: int) -> LineMatch | None:
        """Return the first match of a pattern in what there is; more of the line may change it."""
        pattern = self._patterns[number]
        for start, part, text in self.texts:
            match = pattern.search(text)
            # Where the text was cut off is no end of the line.
            if match is not None and not (self._windows is not None and match.end() == len(text)):
                return _found(part, match, start, stripped=True)
        return self._windows.find(number) if self._windows is not None else None


class _Windows:
    """What lies behind a line's beginning, in windows that overlap: longer matches than the overlap are not seen.

    They begin where they do whatever the reads were.
    """

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        self._patterns = patterns
        self._found: list[LineMatch | None] = [None] * len(patterns)
        self._window = b""
        self._at = _STEP_BYTES
        self._cut = False

    def grow(self, more: bytes) -> None:
        while more and not self._cut:
            if len(self._window) == _WINDOW_BYTES:
                self._go_on()
            room = _WINDOW_BYTES - len(self._window)
            self._window += more[:room]
            more = more[room:]
            self._cut = bool(more) and self._at + _WINDOW_BYTES >= SEARCHED_MAX_BYTES

    def find(self, number: int) -> LineMatch | None:
        return self._found[number] or self._search(number, is_end=not self._cut)

    def _go_on(self) -> None:
        for number, known in enumerate(self._found):
            found = None if known is not None else self._search(number, is_end=False)
            # Those that begin later are in the next window too, and with more behind them.
            if found is not None and found.start_bytes < self._at + _STEP_BYTES + 2 * _MARGIN_BYTES:
                self._found[number] = found
        self._window = self._window[_STEP_BYTES:]
        self._at += _STEP_BYTES

    def _search(self, number: int, *, is_end: bool) -> LineMatch | None:
        text = without_control(self._window.decode("utf-8", "replace"))
        text = text.rstrip("\r") if is_end else text
        begin = len(without_control(self._window[:_MARGIN_BYTES].decode("utf-8", "replace")))
        # Not a text that begins there: `^` would match.
        match = self._patterns[number].search(text, begin)
        if match is None or (match.end() == len(text) and not is_end):
            return None
        return _found(self._window, match, self._at, stripped=False)


def _found(raw: bytes, match: re.Match[str], at: int, *, stripped: bool) -> LineMatch:
    # What matches nothing between two characters is complete with the second one.
    end = min(max(match.end(), match.start() + 1), len(match.string))
    return LineMatch(
        start_bytes=at + length_in_bytes(raw, match.start(), stripped=stripped),
        end_bytes=at + length_in_bytes(raw, end, stripped=stripped),
        groups=tuple(group or "" for group in match.groups()) or (match.group(0),),
    )
