# SPDX-License-Identifier: MIT
"""The progress display: what is being booted, how far it is, how long is left."""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Self

from bootlab.model import figures
from bootlab.model.recording import Recording
from bootlab.views.shown_text import one_line

_PACE_BOOTS = 6
"""From so many boots, the last ones, is told how long the next ones take."""

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from bootlab.api.values import Progress


class BootProgress:
    """A live display on a terminal, one line an ended boot elsewhere. Implements the bench's Observer.

    Written to standard error. What draws is loaded once something runs: loading it takes as long as planning a boot.
    """

    def __init__(self, *, quiet: bool = False, load_meanwhile: tuple[str, ...] = ()) -> None:
        """Draw nothing yet. `load_meanwhile`: modules for what comes after, loaded while the first machine runs."""
        self._drawn = not quiet and _is_terminal()
        self._load_meanwhile = load_meanwhile
        self._quiet = quiet
        self._running: dict[str, Progress | None] = {}
        self._ends_s: deque[float] = deque(maxlen=_PACE_BOOTS + 1)
        self._expected = 0
        self._done = 0
        self._phase = ""
        self._builds: dict[str, tuple[int, int | None, str]] = {}
        self._lock = threading.Lock()
        self._begun = False
        self._live: Live | None = None
        self._causes: set[str] = set()

    def __enter__(self) -> Self:
        """Return the display; it is drawn when something runs."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing and leave the terminal as it was."""
        if self._live:
            self._live.stop()

    def phase(self, name: str, expected_boots: int) -> None:
        """Name what comes next and how many boots it will take at most."""
        with self._lock:
            self._phase, self._expected, self._done = name, expected_boots, 0
        many = "1 boot" if expected_boots == 1 else f"up to {expected_boots} boots"
        self._say(f"{name}: {many}")

    def boot_started(self, label: str) -> None:
        """Show a machine."""
        with self._lock:
            self._running[label] = None
            if not self._ends_s:
                self._ends_s.append(time.monotonic())

    def boot_progress(self, label: str, progress: Progress) -> None:
        """Move a machine on."""
        self._begin()
        with self._lock:
            self._running[label] = progress
        # Boots of one system are silent at the same place: that is said of the first.
        cause = progress.word.rpartition(": ")[2]
        with self._lock:
            is_new = cause not in self._causes
            self._causes.add(cause)
        if progress.word and is_new:
            self._say(f"  {one_line(label)}: {one_line(progress.word, 600)}", live=True)

    def boot_again(self, label: str, why: str) -> None:
        """Say that a boot is made again, and why."""
        self._say(f"  {one_line(label)}: booted again: {one_line(why, 300)}", live=True)

    def boot_ended(self, label: str, recording: Recording, *, reused: bool) -> None:
        """Take a machine off, and tell its result where there is no live display."""
        with self._lock:
            self._running.pop(label, None)
            self._done += 1
            # A boot that is kept takes no time, and says nothing of the next one.
            if not reused:
                self._ends_s.append(time.monotonic())
            left = self._left_text()
        kept = " (kept)" if reused else ""
        self._say(f"  {one_line(label)}: {_result(label, recording)}{kept}{left}")

    def decided(self, text: str) -> None:
        """Say what was decided: such a line stays on a terminal too."""
        self._say(one_line(text, 600), live=True)

    def build_started(self, label: str) -> None:
        """Show a kernel that is being built."""
        with self._lock:
            self._builds[label] = (0, None, "")
        self._begin()
        self._say(f"{one_line(label)}: building")

    def build_progress(self, label: str, made: int, expected: int | None, name: str) -> None:
        """Move a build on."""
        with self._lock:
            self._builds[label] = (made, expected, name)

    def build_ended(self, label: str, wall_s: float) -> None:
        """Take a build off."""
        with self._lock:
            made, _, _ = self._builds.pop(label, (0, None, ""))
        # A worker that gave its build back, or was lost, has not said how far it came.
        what = f"{made} objects built in" if made else "ended after"
        self._say(f"{one_line(label)}: {what} {wall_s:.0f} s")

    def build_noted(self, text: str) -> None:
        """Say what becomes of a kernel that workers are to build."""
        self._say(one_line(text, 600), live=True)

    def _say(self, text: str, *, live: bool = False) -> None:
        """Write a line where nothing is drawn; `live`: above the drawing too."""
        if self._live is not None and live:
            self._live.console.print(text, markup=False, soft_wrap=True)
        elif not self._quiet and (live or not self._drawn):
            sys.stderr.write(text + "\n")
            sys.stderr.flush()

    def _begin(self) -> None:
        with self._lock:
            wanted, self._load_meanwhile = self._load_meanwhile, ()
            draw, self._begun = self._drawn and not self._begun, True
        if draw:
            from rich.live import Live  # noqa: PLC0415 - see the class

            from bootlab.cli.screen import err  # noqa: PLC0415

            self._live = Live(get_renderable=self._render, console=err(), refresh_per_second=4, transient=True)
            self._live.start()
        for module in wanted:
            importlib.import_module(module)

    def _left_text(self) -> str:
        intervals = len(self._ends_s) - 1
        if intervals < 1 or self._expected <= self._done:
            return ""
        # From one end to the next: machines that run beside each other, and what is done between boots, are in it.
        # Boots get shorter as the stack grows: the last few tell more than the first ones.
        each_s = (self._ends_s[-1] - self._ends_s[0]) / intervals
        left = figures.lasted((self._expected - self._done) * each_s)
        return f"  [{self._done}/{self._expected}, about {left} left]"

    def _render(self) -> Table:
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        table = Table.grid(padding=(0, 2))
        with self._lock:
            table.add_row(Text(f"{self._phase}{self._left_text()}", style="bold"))
            for label, (made, expected, name) in self._builds.items():
                of = f" of {expected}" if expected is not None and expected >= made else ""
                table.add_row(Text(f"  {one_line(label, 44):<44} {made}{of} objects  {one_line(name, 50)}"))
            for label, progress in self._running.items():
                virtual = progress.virtual_ns if progress else None
                clock = f"{virtual / 1e9:8.3f} s virtual" if virtual is not None else "starting"
                last = one_line(progress.last_line, 70) if progress else ""
                table.add_row(Text(f"  {one_line(label, 44):<44} {clock}  {last}"))
        return table


def _result(label: str, recording: Recording) -> str:
    """Say in a word what came of a boot."""
    if (goal := recording.meta.goal_ns) is not None and recording.ok:
        return f"{figures.ms(goal, recording.meta.unsure_ns)} ms"
    from bootlab.api.observed import ending  # noqa: PLC0415 - verbs that boot nothing load no experiments

    return ending(label, recording)


def _is_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in {"dumb", "unknown"}
