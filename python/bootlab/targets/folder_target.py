"""Boots by workers of a shared folder: planned here, offered there as files, made by whoever takes them.

The engine is whatever starts `bootlab worker`: a shell, a batch system, systemd. It needs no network but the folder.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import bootlab
from bootlab.builders.cache import Cache
from bootlab.errors import EnvironmentFault, UserError
from bootlab.model.recording import Recording
from bootlab.model.system import System
from bootlab.targets import recording_dir
from bootlab.targets.base import BootPlan, Progress, ProgressSink, Purpose, Target
from bootlab.targets.job_file import JobFile
from bootlab.targets.job_folder import Deathwatch, JobFolder
from bootlab.targets.shared_boots import boot_name, hand_over, interrupted, kept_elsewhere
from bootlab.targets.shared_files import SharedFiles
from bootlab.targets.waited_job import waited

_LOOK_EVERY_S = 0.2
_NOBODY_AFTER_S = 20.0
_SHOWS_WITHIN_S = 60.0
"""How late a network file system may show a recording that another machine wrote."""


class FolderTarget:
    """A target whose machines run where workers share a folder with this one. Plans are made here."""

    def __init__(self, target: Target, folder: Path | JobFolder, cache: Cache, *, url: str = "") -> None:
        """Boot what `target` plans. `url`: files and recordings are shared there, and only jobs in the folder.

        Raise EnvironmentFault when folder or URL cannot be used.
        """
        self._target = target
        self._cache = cache
        self._jobs = folder if isinstance(folder, JobFolder) else JobFolder(folder)
        self._deaths = Deathwatch(self._jobs)
        self._url = url
        self._shared = SharedFiles(url or str(self._jobs.path))
        self._said = threading.Event()

    def plan(self, system: System, purpose: Purpose = "timing") -> BootPlan:
        """Plan as the target does."""
        return self._target.plan(system, purpose)

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        """Have a worker boot it, or take the recording that one made. Raise what the worker raised."""
        folder = folder.absolute()
        name = boot_name(folder)
        if (kept := kept_elsewhere(self._shared, name, folder)) is not None:
            return kept[1]
        files = hand_over(plan, self._shared, self._cache)
        ticket = self._jobs.offer(
            JobFile(bootlab=bootlab.__version__, name=name, share=self._url, files=files, plan=plan)
        )
        try:
            answer = waited(self._jobs, ticket, self._deaths, stop, self._watched(progress))
        finally:
            self._jobs.forget(ticket)
        if answer is not None:
            answer.require()
        if answer is None or not answer.attempt:
            return interrupted(plan, folder)
        self._fetch(name, answer.attempt, folder)
        return recording_dir.load(folder)

    def _watched(self, progress: ProgressSink | None) -> Callable[[], bool]:
        """Return what is done at each look at a job: a boot is never given up."""
        begun = time.monotonic()

        def look() -> bool:
            if progress is not None and time.monotonic() - begun > _NOBODY_AFTER_S and not self._said.is_set():
                self._ask_for_workers(progress)
            return False

        return look

    def _ask_for_workers(self, progress: ProgressSink) -> None:
        """Say once that nobody has taken anything yet."""
        self._said.set()
        if not self._jobs.claimed():
            word = f"no worker has taken it yet; start one, here or elsewhere: bootlab worker {self._jobs.path}"
            progress(Progress(None, 0, "", word))

    def _fetch(self, name: str, attempt: str, folder: Path) -> None:
        until = time.monotonic() + _SHOWS_WITHIN_S
        while True:
            try:
                self._shared.fetch(name, attempt, folder)
            except (EnvironmentFault, UserError):
                shutil.rmtree(folder, ignore_errors=True)
                if time.monotonic() > until:
                    raise
                time.sleep(_LOOK_EVERY_S)
            else:
                return
