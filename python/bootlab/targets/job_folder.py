"""A folder of jobs: offered, claimed, answered. Every step is one rename, so that exactly one takes it.

`offered/ID.TRIES.json` is a job that nobody has; `claimed/ID.TRIES.WORKER.json` one that a worker has, whose time of
change is its heartbeat; `answers/ID.json` what became of it; `stop/ID` asks for its end; `left/ID.WORKER` says why a
worker leaves it to others. ID is the name of the boot or the kernel, and who asks for it: two commands that want the
same have a job each.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path

import msgspec

from bootlab.errors import EnvironmentFault, cannot_write
from bootlab.targets.job_file import Answer, AnyJob, read_answer, written
from bootlab.targets.own_name import own_name

HEARTBEAT_S = 5.0
LOST_AFTER_S = 30.0
"""Six heartbeats that did not come."""
TRIES = 3
"""So many workers may die of one job."""


class Ticket(msgspec.Struct, frozen=True):
    """A job in the folder."""

    name: str
    """The name of the boot, or of the kernel."""
    asker: str
    tries: int = 0
    """How many workers died of it."""
    worker: str = ""
    """Who has it; "": nobody."""

    @property
    def id(self) -> str:
        """What tells it from every other job."""
        return f"{self.name}.{self.asker}"

    @property
    def file(self) -> str:
        """The name of its file."""
        return ".".join((self.id, str(self.tries), *((self.worker,) if self.worker else ()), "json"))


def kernel_name(key: str) -> str:
    """Return the name of the job that builds a kernel."""
    return f"kernel_{key}"


def is_kernel(name: str) -> bool:
    """Tell whether a job of this name builds a kernel."""
    return name.startswith("kernel_")


class JobFolder:
    """Jobs in a folder that machines share."""

    def __init__(self, path: Path) -> None:
        """Open it, and make it if it is not there. Raise EnvironmentFault when that fails."""
        self.path = path.absolute()
        self.hosts: set[str] = set()
        """The machines of workers that were seen at work."""
        folders = [self.path / name for name in ("offered", "claimed", "answers", "stop", "left")]
        self._offered, self._claimed, self._answers, self._stops, self._left = folders
        try:
            for folder in folders:
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise cannot_write(f"{path} cannot be a folder of jobs", fault, path) from fault

    def offer(self, job: AnyJob) -> Ticket:
        """Offer a job; return its ticket."""
        ticket = Ticket(job.name, own_name())
        self._write(self._offered / ticket.file, written(job))
        return ticket

    def offered(self) -> list[Ticket]:
        """Return the jobs that nobody has, the oldest first."""
        found: list[tuple[int, str, Ticket]] = []
        for path in self._offered.iterdir():
            ticket = _ticket(path.name)
            if ticket is not None and not ticket.worker:
                with contextlib.suppress(FileNotFoundError):
                    found.append((path.stat().st_mtime_ns, path.name, ticket))
        return [ticket for *_, ticket in sorted(found, key=lambda one: one[:2])]

    def claimed(self) -> list[Ticket]:
        """Return the jobs that workers have."""
        found = (_ticket(path.name) for path in self._claimed.iterdir())
        claimed = [ticket for ticket in found if ticket is not None and ticket.worker]
        self.hosts.update(host_of(ticket.worker) for ticket in claimed)
        return claimed

    def read(self, ticket: Ticket) -> bytes | None:
        """Return what an offered job says; None when somebody has taken it."""
        try:
            return (self._offered / ticket.file).read_bytes()
        except FileNotFoundError:
            return None

    def claim(self, ticket: Ticket, worker: str) -> Ticket | None:
        """Take an offered job; None when somebody was quicker."""
        mine = Ticket(ticket.name, ticket.asker, ticket.tries, worker)
        try:
            (self._offered / ticket.file).rename(self._claimed / mine.file)
        except FileNotFoundError:
            return None
        self.beat(mine)
        return mine

    def beat(self, mine: Ticket) -> bool:
        """Say that its worker lives. Return False when the job was taken away: the worker was given up for dead."""
        try:
            os.utime(self._claimed / mine.file)
        except FileNotFoundError:
            return False
        return True

    def heartbeat(self, ticket: Ticket) -> int | None:
        """Return when a claimed job's worker last said that it lives, in the file server's time; None: it is gone."""
        try:
            # Opened: a network file system asks its server then, and may take an old answer otherwise.
            with (self._claimed / ticket.file).open("rb") as file:
                return os.fstat(file.fileno()).st_mtime_ns
        except FileNotFoundError:
            return None

    def give_back(self, mine: Ticket) -> None:
        """Offer a claimed job again, which its worker does not finish."""
        with contextlib.suppress(FileNotFoundError):
            offered = Ticket(mine.name, mine.asker, mine.tries)
            (self._claimed / mine.file).rename(self._offered / offered.file)

    def take_from_dead(self, ticket: Ticket) -> None:
        """Offer the job of a worker that died again; answer with an error when too many died of it."""
        if ticket.tries + 1 < TRIES:
            with contextlib.suppress(FileNotFoundError):
                offered = Ticket(ticket.name, ticket.asker, ticket.tries + 1)
                (self._claimed / ticket.file).rename(self._offered / offered.file)
            return
        what = ticket.name.replace("_", " ") if is_kernel(ticket.name) else f"boot {ticket.name}"
        said = f"{TRIES} workers died while they made the {what}, the last was {ticket.worker}"
        self.answer(
            ticket,
            Answer(worker=ticket.worker, error="EnvironmentFault", message=said, hint="their terminals say more"),
        )

    def leave(self, ticket: Ticket, worker: str, why: str) -> None:
        """Say that a worker leaves a job to others, and why."""
        self._write(self._left / f"{ticket.id}.{worker}", why.encode())

    def left_by(self, ticket: Ticket) -> dict[str, str]:
        """Return the workers that leave a job to others, each with its reason."""
        found = {}
        for path in self._left.glob(f"{ticket.id}.*"):
            with contextlib.suppress(FileNotFoundError):
                found[path.name.removeprefix(f"{ticket.id}.")] = path.read_text(encoding="utf-8", errors="replace")
        return found

    def answer(self, mine: Ticket, answer: Answer) -> bool:
        """Say what became of a claimed job. Return False when it was taken away: then somebody else says it."""
        claim = self._claimed / mine.file
        if not claim.exists():
            return False
        self._write(self._answers / f"{mine.id}.json", written(answer))
        claim.unlink(missing_ok=True)
        return True

    def take_answer(self, ticket: Ticket) -> Answer | None:
        """Return what became of a job, and forget it; None when nothing did yet."""
        path = self._answers / f"{ticket.id}.json"
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
        path.unlink(missing_ok=True)
        answer = read_answer(str(path), raw)
        if answer.worker:
            self.hosts.add(host_of(answer.worker))
        return answer

    def withdraw(self, ticket: Ticket) -> bool:
        """Take back a job that nobody has; return False when nobody offers it any more."""
        for tries in range(TRIES):
            try:
                (self._offered / Ticket(ticket.name, ticket.asker, tries).file).unlink()
            except FileNotFoundError:
                continue
            return True
        return False

    def ask_to_stop(self, ticket: Ticket) -> None:
        """Ask whoever has a job to end it."""
        (self._stops / ticket.id).touch()

    def stop_asked(self, ticket: Ticket) -> bool:
        """Tell whether the end of a job is asked for."""
        return (self._stops / ticket.id).exists()

    def forget(self, ticket: Ticket) -> None:
        """Remove what is left of a job that nobody waits for any more."""
        self.withdraw(ticket)
        left = self._left.glob(f"{ticket.id}.*")
        for path in (self._stops / ticket.id, self._answers / f"{ticket.id}.json", *left):
            path.unlink(missing_ok=True)

    def _write(self, path: Path, data: bytes) -> None:
        fresh = path.with_name(f".{own_name()}")
        try:
            fresh.write_bytes(data)
            fresh.rename(path)
        except OSError as fault:
            raise cannot_write(f"{path} cannot be written", fault, self.path) from fault
        finally:
            fresh.unlink(missing_ok=True)


class Deathwatch:
    """Finds claimed jobs whose workers died: heartbeats that stay the same. No two machines' clocks are compared."""

    def __init__(self, jobs: JobFolder) -> None:
        """Begin now."""
        self._jobs = jobs
        self._seen: dict[Ticket, tuple[int, float]] = {}
        self._look_at = 0.0
        self._lock = threading.Lock()

    def revive(self) -> None:
        """Take every job from workers that have been silent for too long. May be called often, by any thread."""
        now = time.monotonic()
        with self._lock:
            if now < self._look_at:
                return
            # Every look opens a file for each claimed job, and many machines look.
            self._look_at = now + LOST_AFTER_S / 3
            self._look(now)

    def _look(self, now: float) -> None:
        claimed = self._jobs.claimed()
        for gone in self._seen.keys() - set(claimed):
            del self._seen[gone]
        for ticket in claimed:
            beat = self._jobs.heartbeat(ticket)
            if beat is None:
                continue
            last, since = self._seen.get(ticket, (None, now))
            if beat != last:
                self._seen[ticket] = (beat, now)
            elif now - since >= LOST_AFTER_S:
                self._jobs.take_from_dead(ticket)


def _ticket(file: str) -> Ticket | None:
    parts = file.split(".")
    known = len(parts) in {4, 5} and parts[0] and parts[-1] == "json" and parts[2].isdigit()
    return Ticket(parts[0], parts[1], int(parts[2]), *parts[3:-1]) if known else None


def host_of(worker: str) -> str:
    """Return the machine of a worker, by its name."""
    return host_and_process(worker).rpartition("-")[0]


def host_and_process(worker: str) -> str:
    """Return what a person tells a worker by."""
    return worker.rsplit("-", 2)[0]


def folder_of(scheduler: str) -> Path | None:
    """Return the folder of jobs that `folder:PATH` names; None for another scheduler."""
    kind, _, path = scheduler.partition(":")
    if kind != "folder":
        return None
    if not path:
        raise EnvironmentFault("--scheduler folder: names no folder", hint="--scheduler folder:/shared/jobs")
    return Path(path)
