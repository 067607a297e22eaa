# SPDX-License-Identifier: MIT
"""The interface through which the builder has a kernel built by somebody else."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Protocol

import msgspec

from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.kbuild.resolved import ResolvedKernel


class KernelOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel that is not in the cache, and where its parts are on this machine."""

    key: str
    kernel: ResolvedKernel
    config: Path
    """Its `.config`."""
    tree: Path
    """Its source, without patches."""
    place: Path
    """The folder that it belongs into."""

    @property
    def label(self) -> str:
        """Return its name in a progress display."""
        return f"kernel {self.kernel.version} {self.kernel.arch} {self.kernel.image}"


class BuiltElsewhere(Protocol):
    """Has kernels built by others. May be used by several threads at once."""

    def obtain(self, order: KernelOrder, observer: BuildObserver | None, stop: threading.Event | None = None) -> bool:
        """Put a kernel into its place. False: nobody can build it, so this machine has to.

        `stop`: set when nobody wants it any more. Raise what building raises, BuildStopped when it was stopped.
        """

    def machines(self) -> int:
        """Return how many machines build, as far as is known. Each has all its cores at work on one kernel."""

    def end(self) -> None:
        """Let every build that was asked for end; what waits for one raises BuildStopped."""
