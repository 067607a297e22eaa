# SPDX-License-Identifier: MIT
"""The interface through which builders report the progress of a build."""

from __future__ import annotations

from typing import Protocol


class BuildObserver(Protocol):
    """Receives the progress of a build.

    `expected`: the number of objects that the Makefiles list, slightly fewer than are made; None: not known.
    """

    def build_started(self, label: str) -> None:
        """Note that a kernel is being built."""

    def build_progress(self, label: str, made: int, expected: int | None, name: str) -> None:
        """Note that one more object is being made."""

    def build_ended(self, label: str, wall_s: float) -> None:
        """Note that the build has ended, whether it succeeded or not."""

    def build_noted(self, text: str) -> None:
        """Note what becomes of a kernel that workers are to build, one line."""
