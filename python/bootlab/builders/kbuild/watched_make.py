# SPDX-License-Identifier: MIT
"""A build by make that is watched: each object is reported as it is made, and a failure is said with its cause."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.kbuild import build_log
from bootlab.builders.kbuild.make_run import Make, run
from bootlab.errors import BuildError, EnvironmentFault

_ROOM_BYTES = 1 << 20
"""A build that failed with less than this left on its disk failed for that."""


class WatchedMake:
    """One build of `what`, which may take several runs of make. Used in a `with` statement: start and end are reported.

    `label` names the build in the progress display. `log` takes what make says. `root`: the folder of all builds,
    whose disk may be full. `fault`: the error of a build that fails. `expected`: about how many objects will be made.
    """

    def __init__(
        self,
        what: str,
        label: str,
        log: Path,
        observer: BuildObserver | None,
        *,
        root: Path,
        fault: type[BuildError],
        expected: int | None = None,
    ) -> None:
        """Note what is built; nothing runs yet."""
        self.made = 0
        self._what = what
        self._label = label
        self._log = log
        self._observer = observer
        self._root = root
        self._fault = fault
        self._expected = expected
        self._began = 0.0

    def __enter__(self) -> Self:
        """Report that the build starts."""
        self._began = time.monotonic()
        if self._observer is not None:
            self._observer.build_started(self._label)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Report that it has ended, however it did."""
        if self._observer is not None:
            self._observer.build_ended(self._label, time.monotonic() - self._began)

    def run(self, call: Make, targets: tuple[str, ...], *, extra: Mapping[str, str] | None = None) -> None:
        """Make the targets, with `extra` in the environment. Raise `fault`, EnvironmentFault."""
        if run(call, targets, self._log, line=self._line, extra=extra or {}) == 0:
            return
        error = build_log.first_error(self._log)
        again = "the next run continues from there"
        # Not every tool says why it could not write.
        if error.full_disk or shutil.disk_usage(self._root).free < _ROOM_BYTES:
            raise EnvironmentFault(f"the disk is full: {error}", hint=f"make room: df -h {self._root}   ({again})")
        raise self._fault(
            f"{self._what} does not build: {error}",
            hint=f"the whole log: {self._log}   ({again})",
            missing=build_log.undefined(self._log),
            log=str(self._log),
        )

    def _line(self, text: str) -> None:
        name = build_log.made_object(text)
        if name is None:
            return
        self.made += 1
        if self._observer is not None:
            self._observer.build_progress(self._label, self.made, self._expected, name)
