"""A worker of a shared folder: does one job after another. Any number may run on any number of machines."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import bootlab
from bootlab.builders.cache import Cache, default_folder
from bootlab.builders.kbuild.ordered import check_tools
from bootlab.errors import BootlabError, EnvironmentFault, cannot_write
from bootlab.targets import job_folder
from bootlab.targets.choose import target_for
from bootlab.targets.job_file import Answer, AnyJob, BuildJobFile, DamagedJob, JobFile, error_of, read_job
from bootlab.targets.job_folder import Deathwatch, JobFolder, Ticket
from bootlab.targets.own_name import own_name
from bootlab.targets.shared_boots import Opener, asked_anew, boot_copies, check_emulator, kept_elsewhere
from bootlab.targets.shared_builds import LeftToOthers, answer_of, made_here
from bootlab.targets.shared_files import SharedFiles

_LOOK_EVERY_S = 0.5


class FolderWorker:
    """Does the jobs of a folder, one at a time: boots, and builds of kernels."""

    def __init__(
        self, folder: Path, *, opener: Opener = target_for, said: Callable[[str], None] = lambda _text: None
    ) -> None:
        """Open the folder. `opener` opens the target of a system; `said` is told of each job, one line."""
        self.jobs = JobFolder(folder)
        self.name = own_name()
        self._opener = opener
        self._say = said
        self._ending = threading.Event()
        self._stop = threading.Event()
        self._unfit: set[str] = set()

    def end(self) -> None:
        """Give back the job at hand, and take no other. May be called by a signal's handler."""
        self._ending.set()
        self._stop.set()

    def run(self, *, once: bool = False) -> int:
        """Take jobs until `end`; return how many were done. `once`: until none is left that it could get.

        Raise EnvironmentFault when the folder can no longer be used.
        """
        try:
            return self._run(once=once)
        except OSError as fault:
            raise cannot_write(f"{self.jobs.path} can no longer be used", fault, self.jobs.path) from fault

    def _run(self, *, once: bool) -> int:
        deaths = Deathwatch(self.jobs)
        done = 0
        while not self._ending.is_set():
            deaths.revive()
            taken = self._next()
            if taken is not None:
                done += self._do(*taken)
                continue
            if once and not self.jobs.claimed() and not self._fit():
                break
            self._ending.wait(_LOOK_EVERY_S)
        return done

    def _fit(self) -> list[Ticket]:
        return [ticket for ticket in self.jobs.offered() if ticket.id not in self._unfit]

    def _next(self) -> tuple[Ticket, AnyJob] | None:
        """Claim the oldest job that this worker can do and nobody else is doing."""
        for ticket in self._fit():
            raw = self.jobs.read(ticket)
            if raw is None or self._at_work(ticket):
                continue
            try:
                job = read_job(ticket.file, raw, bootlab.__version__)
                if isinstance(job, BuildJobFile):
                    check_tools(job.kernel)
                else:
                    check_emulator(job.plan)
            except DamagedJob as fault:
                self._refuse(ticket, fault)
                continue
            except BootlabError as fault:
                # Somebody else may be able to.
                self._leave(ticket, fault)
                continue
            mine = self.jobs.claim(ticket, self.name)
            if mine is None:
                continue
            if self._at_work(mine):
                # Two jobs of one boot or kernel, claimed at once: at least one of both workers sees the other.
                self.jobs.give_back(mine)
                continue
            return mine, job
        return None

    def _leave(self, ticket: Ticket, fault: BootlabError) -> None:
        self._unfit.add(ticket.id)
        self.jobs.leave(ticket, self.name, fault.message)
        self._say(f"{ticket.name}: left to others: {fault.message}")

    def _at_work(self, ticket: Ticket) -> bool:
        """Tell whether somebody does the same for another command: its recording, or its kernel, will do for both."""
        if asked_anew(ticket.name):
            return False
        return any(one.name == ticket.name and one.id != ticket.id for one in self.jobs.claimed())

    def _refuse(self, ticket: Ticket, fault: DamagedJob) -> None:
        mine = self.jobs.claim(ticket, self.name)
        if mine is not None:
            self._say(f"{ticket.name}: {fault.message}")
            self.jobs.answer(mine, error_of(self.name, fault))

    def _do(self, mine: Ticket, job: AnyJob) -> bool:
        """Do a job; return whether it is done."""
        self._stop.clear()
        if self._ending.is_set():
            self._stop.set()
        over, lost = threading.Event(), threading.Event()
        watch = threading.Thread(target=self._watch, args=(mine, over, lost), daemon=True)
        watch.start()
        began = time.monotonic()
        try:
            answer = self._answer(job)
        except LeftToOthers as fault:
            self.jobs.give_back(mine)
            self._leave(mine, fault)
            return False
        finally:
            over.set()
            watch.join()
        if not lost.is_set() and self._ending.is_set() and not answer.attempt:
            self.jobs.give_back(mine)
            self._say(f"{mine.name}: given back")
            return False
        if lost.is_set() or not self.jobs.answer(mine, answer):
            self._say(f"{mine.name}: taken away; this worker was silent for more than {job_folder.LOST_AFTER_S:.0f} s")
            return False
        what = answer.message or ("done" if answer.attempt else "stopped")
        self._say(f"{mine.name}: {what} in {time.monotonic() - began:.1f} s")
        return True

    def _answer(self, job: AnyJob) -> Answer:
        """Do a job; return what became of it. Raise LeftToOthers."""
        shared: SharedFiles | None = None
        try:
            shared = SharedFiles(job.share or str(self.jobs.path))
            done = self._build(job, shared) if isinstance(job, BuildJobFile) else self._boot(job, shared)
            return Answer(worker=self.name, attempt=done)
        except LeftToOthers:
            raise
        except Exception as fault:  # noqa: BLE001 - whoever asked is told, and this worker goes on
            return error_of(self.name, fault) if shared is None else answer_of(self.name, fault, shared)

    def _boot(self, job: JobFile, shared: SharedFiles) -> str:
        with tempfile.TemporaryDirectory(prefix="kept-", dir=Cache(default_folder()).root / "new") as place:
            kept = kept_elsewhere(shared, job.name, Path(place) / job.name)
        if kept is not None:
            return kept[0]
        return boot_copies(job.plan, job.name, job.files, shared, self._opener, self._stop)

    def _build(self, job: BuildJobFile, shared: SharedFiles) -> str:
        self._say(f"{job.name}: building linux {job.kernel.version} for {job.kernel.arch}")
        return made_here(job.kernel, job.key, job.files, shared, Cache(default_folder()), self._stop)

    def _watch(self, mine: Ticket, over: threading.Event, lost: threading.Event) -> None:
        """Say that this worker lives; end the job when somebody asks for that, or has taken the job away."""
        beat_at = 0.0
        while not over.wait(_LOOK_EVERY_S):
            try:
                if time.monotonic() >= beat_at:
                    beat_at = time.monotonic() + job_folder.HEARTBEAT_S
                    if not self.jobs.beat(mine):
                        lost.set()
                        self._stop.set()
                        return
                if self.jobs.stop_asked(mine):
                    self._stop.set()
            except (OSError, EnvironmentFault):
                # The folder's server is away for a moment.
                continue
