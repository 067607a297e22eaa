"""Whom builders tell how a build goes on."""

from __future__ import annotations

from typing import Protocol


class BuildObserver(Protocol):
    """Told how a build goes on. Objects expected: as the Makefiles tell, a few less than are made; None: not known."""

    def build_started(self, label: str) -> None:
        """Note that a kernel is being built."""

    def build_progress(self, label: str, made: int, expected: int | None, name: str) -> None:
        """Note an object that is being made."""

    def build_ended(self, label: str, wall_s: float) -> None:
        """Note that the build is over, well or not."""
