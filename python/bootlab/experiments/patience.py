# SPDX-License-Identifier: MIT
"""How long a campaign waits for boots: to their end, or until something says that what is there is the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager

from bootlab.model.recording import Recording


class CutShort(Exception):
    """Nothing more is waited for: what is proved by now is the answer. Says why."""


class Patience:
    """Asked in every wait of a bench."""

    def __init__(self, flying: dict[str, Future[Recording]]) -> None:
        """Wait for everything. `flying`: every boot that was asked for; those that no machine makes yet are dropped."""
        self._flying = flying
        self._why: Callable[[], str] = lambda: ""
        self.began_s = time.monotonic()
        """When the bench was opened, on the host's monotonic clock, seconds."""

    @contextmanager
    def until(self, why: Callable[[], str]) -> Generator[None]:
        """Inside, a wait raises CutShort as soon as `why` says something."""
        self._why = why
        try:
            yield
        except CutShort:
            for key in [key for key, boot in self._flying.items() if boot.cancel()]:
                self._flying.pop(key, None)
            raise
        finally:
            self._why = lambda: ""

    def check(self) -> None:
        """Raise CutShort where nothing more is waited for."""
        if why := self._why():
            raise CutShort(why)
