"""Kernels built by the workers of a folder of jobs."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import bootlab
from bootlab.builders.cache import Cache
from bootlab.builders.kbuild.elsewhere import Order
from bootlab.targets.job_file import Answer, BuildJobFile
from bootlab.targets.job_folder import Deathwatch, JobFolder, Ticket, host_and_process, kernel_name
from bootlab.targets.shared_builds import SharedBuilds, ShownBuild
from bootlab.targets.shared_files import SharedFiles
from bootlab.targets.waited_job import waited

NOBODY_AFTER_S = 20.0
"""So long a kernel waits for a worker while none is busy with anything else."""
_NOBODY_AGAIN_S = 5.0
"""So long the next ones wait, until a worker takes one."""


class FolderBuilds(SharedBuilds):
    """Has kernels built by whoever takes the jobs of a folder."""

    def __init__(self, folder: Path, cache: Cache, *, url: str = "") -> None:
        """Offer jobs in a folder. `url`: files are shared there. Raise EnvironmentFault when one cannot be used."""
        self.jobs = JobFolder(folder)
        self._deaths = Deathwatch(self.jobs)
        self._url = url
        self._patience_s = NOBODY_AFTER_S
        super().__init__(SharedFiles(url or str(self.jobs.path)), cache)

    def machines(self) -> int:
        """Return how many machines have workers that were seen at work."""
        return max(1, len(self.jobs.hosts))

    def _made(self, order: Order, files: dict[str, str], shown: ShownBuild, stop: threading.Event) -> Answer | None:
        ticket = self.jobs.offer(
            BuildJobFile(
                bootlab=bootlab.__version__,
                name=kernel_name(order.key),
                share=self._url,
                files=files,
                key=order.key,
                kernel=order.kernel,
            )
        )
        look = _Look(self.jobs, ticket, shown, self._patience_s)
        try:
            answer = waited(self.jobs, ticket, self._deaths, stop, look)
            if answer is None:
                whys = "; ".join(sorted(set(self.jobs.left_by(ticket).values())))
                shown.nobody(whys or f"start one, here or elsewhere: bootlab worker {self.jobs.path}")
        finally:
            self.jobs.forget(ticket)
        self._patience_s = _NOBODY_AGAIN_S if answer is None else NOBODY_AFTER_S
        return answer


class _Look:
    """What is to be seen of one job in the folder. Called: whether it is given up."""

    def __init__(self, jobs: JobFolder, ticket: Ticket, shown: ShownBuild, patience_s: float) -> None:
        self._jobs = jobs
        self._ticket = ticket
        self._shown = shown
        self._patience_s = patience_s
        self._idle_since = time.monotonic()

    def __call__(self) -> bool:
        """Look. Tell whether no worker will take it: none has anything to do but those that leave it to others."""
        claimed = self._jobs.claimed()
        mine = next((one for one in claimed if one.id == self._ticket.id), None)
        if mine is not None:
            self._shown.on(f"worker {host_and_process(mine.worker)}")
        left = self._jobs.left_by(self._ticket)
        if mine is not None or any(one.worker not in left for one in claimed):
            self._idle_since = time.monotonic()
            return False
        return time.monotonic() - self._idle_since > self._patience_s
