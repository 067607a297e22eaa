# SPDX-License-Identifier: MIT
"""The bench: makes boots, some at a time, each system only once, every recording kept.

Exact boots are kept by the digest of all that can change them, so a campaign that was cut off at any instant starts
again from the same command and boots only what is missing.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

import msgspec

from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache, default_folder
from bootlab.builders.tree_check import check_first_program
from bootlab.errors import BootlabError, EnvironmentFault, UserError, cannot_write, is_lasting
from bootlab.experiments.builds_ahead import BuildsAhead
from bootlab.experiments.host_ends import Attempts
from bootlab.experiments.kept_boots import KeptBoots
from bootlab.experiments.patience import Patience
from bootlab.launch.boot_plan import DEFAULT_JOBS, BootPlan, Purpose
from bootlab.launch.target import Progress, Target
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import SystemDescription
from bootlab.preflight import mistakes as preflight
from bootlab.recordings import recording_dir
from bootlab.recordings.assembly import stopped_before
from bootlab.targets.choose import target_for
from bootlab.techniques.proof_symbols import proof_symbols

if TYPE_CHECKING:
    from bootlab.builders.kbuild.elsewhere import BuiltElsewhere


class Observer(BuildObserver, Protocol):
    """Told what the bench does, and of kernels that are built for it. Called from several threads."""

    def phase(self, name: str, expected_boots: int) -> None:
        """Note the part of a run that begins, and how many boots it takes at most."""

    def boot_started(self, label: str) -> None:
        """Note that a machine was started."""

    def boot_progress(self, label: str, progress: Progress) -> None:
        """Note how far a machine is."""

    def boot_again(self, label: str, why: str) -> None:
        """Note that a boot is made again, and why: the host ended it, or its recording is damaged."""

    def boot_ended(self, label: str, recording: Recording, *, reused: bool) -> None:
        """Note that a recording is there."""

    def decided(self, text: str) -> None:
        """Note what was decided from boots, one line."""


class SilentObserver(Observer):
    """An observer that says nothing: what the interface describes does nothing."""


GOES_ON = "run the same command again: it continues from the boots that are kept"


class Stopped(BootlabError):
    """The campaign was stopped from outside (Ctrl-C)."""

    exit_code = 130


class Bench:
    """Boots plans on one target. Use as a context manager: leaving it ends every machine."""

    def __init__(
        self,
        target: Target,
        folder: Path,
        *,
        cache: Cache | None = None,
        jobs: int | None = None,
        observer: Observer | None = None,
        closing: Callable[[], None] = lambda: None,
        elsewhere: BuiltElsewhere | None = None,
        checked: tuple[SystemDescription, BootPlan] | None = None,
    ) -> None:
        """Keep recordings under `folder/boots`, and what is built in `cache` (default: the user's).

        `jobs`: machines at a time (default: one a core, at most 4). `closing`: called when every machine has ended.
        `elsewhere`: builds the target's kernels, several at a time. `checked`: a system whose plan was made to be
        looked at, and that plan: its first boot takes it.
        """
        self._checked = checked
        self._closing = closing
        self.target = target
        self.folder = folder
        self.cache = cache or Cache(default_folder())
        self.jobs = jobs or DEFAULT_JOBS
        self._observer: Observer = observer or SilentObserver()  # type: ignore[abstract] # its methods are there, and empty
        self._pool = ThreadPoolExecutor(self.jobs, thread_name_prefix="boot")
        self._ahead = BuildsAhead(elsewhere, self.cache, self.jobs, self._observer) if elsewhere is not None else None
        self._stop = threading.Event()
        self._flying: dict[str, Future[Recording]] = {}
        self._lock = threading.Lock()
        self.patience = Patience(self._flying)
        self._boots = KeptBoots(folder / "boots")
        self.boots_made = 0
        self.boots_reused = 0
        self.machine_s = 0.0
        """What all boots took that were asked for, kept ones as long as they took when they were made, seconds."""

    def __enter__(self) -> Self:
        """Return the bench."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every machine that still runs and wait for its thread; builds of kernels too."""
        self._stop.set()
        if self._ahead is not None:
            self._ahead.end()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._closing()

    def phase(self, name: str, expected_boots: int = 1) -> None:
        """Tell the observer which part of a run begins."""
        self._observer.phase(name, expected_boots)

    def decided(self, text: str) -> None:
        """Tell the observer what was decided from boots."""
        self._observer.decided(text)

    def fresh_number(self, count: int = 1) -> int:
        """Return the first of so many numbers that no kept boot carries: passed as `fresh` each makes a boot anew."""
        return self._boots.fresh_number(count)

    def build_ahead(self, systems: Iterable[SystemDescription]) -> None:
        """Have workers build the kernels of systems that are booted later, side by side.

        Nothing where this machine builds. What is wrong with a kernel is said when it is booted.
        """
        if self._ahead is not None:
            self._ahead.ask(systems)

    @property
    def guesses(self) -> int:
        """How many kernels can be built beside one that is waited for; 0 where this machine builds."""
        return self._ahead.guesses if self._ahead is not None else 0

    def build_guessed(self, systems: Iterable[SystemDescription]) -> None:
        """Do the same for systems that may be booted later. What was guessed before and is not among them ends."""
        if self._ahead is not None:
            self._ahead.guess(systems)

    def submit(
        self, system: SystemDescription, label: str, *, purpose: Purpose = "timing", fresh: int = 0
    ) -> Future[Recording]:
        """Ask for a boot; the future gives its recording. `fresh` > 0 asks for that boot anew, apart from the kept one.

        Free-running boots are noise: pass the sample's number as `fresh` to get a boot of its own.
        """
        return self.submit_plan(self._plan(system, purpose), label, fresh=fresh)

    def _plan(self, system: SystemDescription, purpose: Purpose) -> BootPlan:
        with self._lock:
            checked, self._checked = self._checked, None
        if checked is not None and checked[0] is system and purpose == "timing":
            return checked[1]
        return self.target.plan(system, purpose)

    def submit_plan(self, plan: BootPlan, label: str, *, fresh: int = 0) -> Future[Recording]:
        """Ask for a boot that was planned already."""
        key = f"{plan.key}-{fresh}" if fresh else plan.key
        with self._lock:
            flying = self._flying.get(key)
            if flying is not None:
                return flying
            future = self._pool.submit(self._obtain, plan, key, label)
            self._flying[key] = future
            return future

    def again(self) -> None:
        """Let those boots be made again, when they are asked for, that the host ended."""
        with self._lock:
            done = {key: boot for key, boot in self._flying.items() if boot.done() and boot.exception() is None}
            for key in (key for key, boot in done.items() if boot.result().by_host):
                del self._flying[key]

    def boot(self, system: SystemDescription, label: str, *, purpose: Purpose = "timing", fresh: int = 0) -> Recording:
        """Boot and wait."""
        return self.wait(self.submit(system, label, purpose=purpose, fresh=fresh))

    def wait(self, future: Future[Recording]) -> Recording:
        """Wait for a boot. Ctrl-C ends all machines and raises Stopped."""
        try:
            while True:
                self.patience.check()
                try:
                    recording = future.result(timeout=0.2)
                    break
                except TimeoutError:
                    # Ours, or one that the boot itself raised?
                    if future.done():
                        raise
        except KeyboardInterrupt:
            raise self._stopped() from None
        if recording.meta.outcome is Outcome.INTERRUPTED:
            raise self._stopped()
        return recording

    def _stopped(self) -> Stopped:
        self._stop.set()
        return Stopped("stopped", hint=GOES_ON)

    def wait_any(self, boots: Iterable[Future[Recording]]) -> None:
        """Wait until one of several boots is there, whatever became of it. Ctrl-C as in `wait`."""
        missing = set(boots)
        try:
            while missing and not futures.wait(missing, timeout=0.2, return_when=futures.FIRST_COMPLETED).done:
                self.patience.check()
        except KeyboardInterrupt:
            raise self._stopped() from None

    def wait_all(self, boots: Iterable[Future[Recording]]) -> list[Recording]:
        """Wait for several boots, in their order."""
        return [self.wait(boot) for boot in boots]

    def place(self, key: str) -> Path:
        """Return the folder of a recording."""
        return self._boots.place(key)

    def _obtain(self, plan: BootPlan, key: str, label: str) -> Recording:
        def damaged(why: str) -> None:
            self._observer.boot_again(label, why)

        kept = self._boots.find(plan, key, damaged)
        if kept is not None:
            return self._reused(kept, label)
        with self._alone(key, label) as alone:
            if not alone:
                return stopped_before(plan)
            # Another command may have made it meanwhile.
            kept = self._boots.find(plan, key, damaged)
            return self._made(plan, key, label) if kept is None else self._reused(kept, label)

    def _reused(self, kept: Recording, label: str) -> Recording:
        self._count(kept, reused=True)
        self._observer.boot_ended(label, kept, reused=True)
        return kept

    @contextlib.contextmanager
    def _alone(self, key: str, label: str) -> Iterator[bool]:
        waiting = Progress(None, 0, "", "another bootlab makes this boot; waiting for it")
        with contextlib.ExitStack() as stack:
            try:
                alone = stack.enter_context(
                    self._boots.making(key, self._stop, lambda: self._observer.boot_progress(label, waiting))
                )
            except OSError as fault:
                raise self._cannot_keep(fault) from fault
            yield alone

    def _made(self, plan: BootPlan, key: str, label: str) -> Recording:
        self._observer.boot_started(label)
        attempts = Attempts()
        while True:
            try:
                recording = self._boot_once(plan, key, label)
            except EnvironmentFault as fault:
                pause_s = None if is_lasting(fault) else attempts.pause_s()
                if pause_s is None or self._stop.wait(pause_s):
                    raise
                self._observer.boot_again(label, fault.message)
                continue
            if recording.meta.outcome is Outcome.INTERRUPTED:
                return recording
            if attempts.settles(recording):
                break
            self._observer.boot_again(label, f"the host ended it: {recording.meta.reason}")
        self._count(recording, reused=False)
        if (said := attempts.said(recording)) != recording.meta:
            recording = recording_dir.restate(self.place(key), recording, said)
        self._observer.boot_ended(label, recording, reused=False)
        return recording

    def _count(self, recording: Recording, *, reused: bool) -> None:
        with self._lock:
            self.boots_made += not reused
            self.boots_reused += reused
            self.machine_s += recording.meta.wall_s

    def _boot_once(self, plan: BootPlan, key: str, label: str) -> Recording:
        try:
            with self._boots.half_made(key) as work:
                recording = self.target.boot(
                    plan, work, stop=self._stop, progress=lambda p: self._observer.boot_progress(label, p)
                )
                if recording.meta.outcome is Outcome.INTERRUPTED:
                    return recording
                self._boots.put(work, plan, key)
        except OSError as fault:
            raise self._cannot_keep(fault) from fault
        place = self.place(key)
        if recording.path == str(work):
            # It was read there when it was whole; its place has the same files.
            return msgspec.structs.replace(recording, path=str(place))
        return recording_dir.load(place)

    def _cannot_keep(self, fault: OSError) -> EnvironmentFault:
        return cannot_write(
            f"the recording cannot be kept in {self.folder / 'boots'}",
            fault,
            self.folder,
            besides="--store takes another folder",
        )


def bench_for(
    system: SystemDescription,
    folder: Path,
    cache: Cache,
    *,
    target: Target | None = None,
    jobs: int | None = None,
    observer: Observer | None = None,
    force: bool = False,
    scheduler: str | None = None,
    share: str | None = None,
) -> Bench:
    """Return the bench that boots a system, on the target that its file names unless another is given.

    `scheduler`: the workers of a dask scheduler make the boots; its address, or `file:PATH` of the file that it wrote.
    `share`: the URL over which they get files and hand recordings over, instead of a folder of all.

    Raise UserError when no boot of it could work: its first program cannot start, its root cannot be mounted, nothing
    of it is printed. `force`: boot it all the same. On the host's clock only one machine runs at a time.
    """
    if not force:
        check_first_program(system, cache)
    alone = system.clock.mode == "free"
    if scheduler is None:
        target = target or target_for(system, cache, proof_symbols(), observer)
        checked = _checked(system, target, force=force)
        if share is not None:
            raise UserError("--share is for the workers of a scheduler", hint="give --scheduler too, or leave it out")
        return Bench(target, folder, cache=cache, jobs=1 if alone else jobs, observer=observer, checked=checked)
    if alone:
        raise UserError(
            "boots in free mode follow the clock of the machine that they run on: a scheduler would mix machines",
            hint='clock.mode = "exact", or leave --scheduler out',
        )
    url = share or ""
    from bootlab.workers.scheduled import ScheduledTarget, Workers  # noqa: PLC0415 - an extra
    from bootlab.workers.scheduled_builds import ScheduledBuilds  # noqa: PLC0415

    workers = Workers(scheduler)
    try:
        built_there = ScheduledBuilds(workers, cache, url=url)
        target = target or target_for(system, cache, proof_symbols(), observer, built_there)
        checked = _checked(system, target, force=force)
        scheduled = ScheduledTarget(target, workers, cache, url=url)
    except BaseException:
        workers.client.close()
        raise
    return Bench(
        scheduled,
        folder,
        cache=cache,
        jobs=jobs or workers.threads,
        observer=observer,
        closing=workers.client.close,
        elsewhere=built_there,
        checked=checked,
    )


def _checked(system: SystemDescription, target: Target, *, force: bool) -> tuple[SystemDescription, BootPlan] | None:
    if force or system.target != "qemu":
        return None
    plan = target.plan(system)
    preflight.check(plan)
    return system, plan
