"""The end of the tries: the time budget is used up, or a person asked for it with the signal SIGUSR1."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

from bootlab.experiments.bench import Bench

NO_TIME = "the time budget is used up"
ASKED = "SIGUSR1 ended the search"


class Tries:
    """Whether more is tried. What is under way ends first; what stands then is left out once and handed over."""

    def __init__(self, bench: Bench, budget_s: float | None) -> None:
        """`budget_s`: machine time, seconds, in which something may be tried."""
        self._bench, self._budget_s = bench, budget_s
        self._started = time.monotonic()
        self._asked = False

    def over(self) -> str:
        """Return why nothing more is tried, or ""."""
        if self._asked:
            return ASKED
        if self._budget_s is None:
            return ""
        # By this run, or by the boots that an interrupted one left.
        used_s = max(time.monotonic() - self._started, self._bench.machine_s / self._bench.jobs)
        return NO_TIME if used_s > self._budget_s else ""

    def end(self) -> None:
        """Try nothing more."""
        if not self._asked:
            self._bench.decided(
                "  ending the search: the current boot or build is finished, then the result is written"
            )
        self._asked = True

    @contextmanager
    def ended_by_signal(self) -> Generator[None]:
        """End the tries on SIGUSR1, where Python allows a handler: in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGUSR1, lambda _number, _frame: self.end())
        try:
            yield
        finally:
            signal.signal(signal.SIGUSR1, before)
