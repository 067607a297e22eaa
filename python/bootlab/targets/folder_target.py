"""Boots by workers of a shared folder: planned here, offered there as files, made by whoever takes them.

The engine is whatever starts `bootlab worker`: a shell, a batch system, systemd. It needs no network but the folder.
"""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path

import bootlab
from bootlab.builders.cache import Cache
from bootlab.errors import EnvironmentFault, UserError
from bootlab.model.recording import Recording
from bootlab.model.system import System
from bootlab.targets import recording_dir
from bootlab.targets.base import BootPlan, Progress, ProgressSink, Purpose, Target
from bootlab.targets.job_file import Answer, JobFile
from bootlab.targets.job_folder import Deathwatch, JobFolder, Ticket
from bootlab.targets.shared_boots import boot_name, hand_over, interrupted, kept_elsewhere
from bootlab.targets.shared_files import SharedFiles

_LOOK_EVERY_S = 0.2
_NOBODY_AFTER_S = 20.0
_SHOWS_WITHIN_S = 60.0
"""How late a network file system may show a recording that another machine wrote."""
_ENDS_WITHIN_S = 30.0


class FolderTarget:
    """A target whose machines run where workers share a folder with this one. Plans and builds are made here."""

    def __init__(self, target: Target, folder: Path, cache: Cache, *, url: str = "") -> None:
        """Boot what `target` plans. `url`: files and recordings are shared there, and only jobs in the folder.

        Raise EnvironmentFault when folder or URL cannot be used.
        """
        self._target = target
        self._cache = cache
        self._jobs = JobFolder(folder)
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
            answer = self._waited(ticket, stop, progress)
        finally:
            self._jobs.forget(ticket)
        answer.require()
        if not answer.attempt:
            return interrupted(plan, folder)
        self._fetch(name, answer.attempt, folder)
        return recording_dir.load(folder)

    def _waited(self, ticket: Ticket, stop: threading.Event, progress: ProgressSink | None) -> Answer:
        begun = time.monotonic()
        ends_at: float | None = None
        while (answer := self._jobs.take_answer(ticket)) is None:
            now = time.monotonic()
            if stop.is_set():
                if self._jobs.withdraw(ticket):
                    return Answer(worker="")
                if ends_at is None:
                    self._jobs.ask_to_stop(ticket)
                    ends_at = now + _ENDS_WITHIN_S
                if now > ends_at:
                    raise EnvironmentFault("a worker did not end its machine", hint="look at the worker's terminal")
            self._deaths.revive()
            if progress is not None and now - begun > _NOBODY_AFTER_S and not self._said.is_set():
                self._ask_for_workers(progress)
            time.sleep(_LOOK_EVERY_S)
        return answer

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
