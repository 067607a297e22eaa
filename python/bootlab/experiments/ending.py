# SPDX-License-Identifier: MIT
"""The end of a search: the time budget is used up, or a person asked for it, with SIGUSR1 or with Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from bootlab.experiments.bench import GOES_ON, Bench, Stopped

NO_TIME = "the time budget is used up"
ASKED = "SIGUSR1 ended the search"
CTRL_C = "Ctrl-C ended the search"

_CLOSING_SHARE = 0.25
"""The proof of the result may take this share of a budget; what it takes beyond that is left out."""


class Tries:
    """Whether more is tried, and whether more is waited for.

    With SIGUSR1, and with a budget some time before its end, what is under way ends first; what stands then is left out
    once and handed over. With Ctrl-C, and at a budget's end, what is proved at that moment is handed over.
    """

    def __init__(self, bench: Bench, budget_s: float | None) -> None:
        """`budget_s`: machine time, seconds, from the opening of the bench to the result."""
        self._bench, self._budget_s = bench, budget_s
        self._asked = ""
        self.asked_now = ""
        """Why nothing more is waited for, where a person asked for that."""
        self.closing_s: Callable[[], float] = lambda: 0.0
        """What the proof of the result will take, seconds; it is asked again and again."""

    def over(self) -> str:
        """Return why nothing more is tried, or ""."""
        if self._asked or self._budget_s is None:
            return self._asked
        closing_s = min(self.closing_s(), _CLOSING_SHARE * self._budget_s)
        return NO_TIME if self._used_s() > self._budget_s - closing_s else ""

    def cut(self) -> str:
        """Return why nothing more is waited for, or ""."""
        if self.asked_now or self._budget_s is None:
            return self.asked_now
        return NO_TIME if self._used_s() > self._budget_s else ""

    def _used_s(self) -> float:
        # By this run, or by the boots that an interrupted one left.
        return max(time.monotonic() - self._bench.patience.began_s, self._bench.machine_s / self._bench.jobs)

    def end(self) -> None:
        """Try nothing more."""
        if not self._asked:
            self._bench.decided(
                "  ending the search: the current boot or build is finished, then the result is written"
            )
        self._asked = self._asked or ASKED

    def end_now(self) -> None:
        """Wait for nothing more either. The second time raise KeyboardInterrupt, as without a search."""
        if self.asked_now:
            raise KeyboardInterrupt
        self._asked = self.asked_now = CTRL_C
        self._bench.decided("  Ctrl-C: what is proved so far is written down (Ctrl-C again: stop at once)")

    def stopped(self) -> Stopped:
        """Return the error of a search that Ctrl-C ended before anything was proved."""
        return Stopped(
            "stopped: nothing is proved yet",
            hint=GOES_ON,
        )

    @contextmanager
    def ended_by_signal(self) -> Generator[None]:
        """End the tries on SIGUSR1 and Ctrl-C, where Python allows a handler: in the main thread."""
        with _handled(signal.SIGUSR1, self.end), self.ended_by_ctrl_c():
            yield

    @contextmanager
    def ended_by_ctrl_c(self) -> Generator[None]:
        """Wait for nothing more on Ctrl-C, where Python allows a handler."""
        with _handled(signal.SIGINT, self.end_now):
            yield


@contextmanager
def _handled(number: signal.Signals, act: Callable[[], None]) -> Generator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, lambda _number, _frame: act())
    try:
        yield
    finally:
        signal.signal(number, before)
