# SPDX-License-Identifier: MIT
"""The QEMU target: exact mode by instruction count, and free-running mode."""

from __future__ import annotations

import contextlib
import functools
import shutil
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.builders.artefacts import build, in_flash, with_built_kernel, with_root
from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo, inspect
from bootlab.builders.loader.started import CardStart, started
from bootlab.builders.programs import built_programs, facts_file
from bootlab.errors import EnvironmentFault, UserError
from bootlab.launch import devices, emulator, exactness, kvm, loader_marks, picture, plugin, processors, qemu_launch
from bootlab.launch.boot_key import key_of, machine_key_of
from bootlab.launch.boot_plan import BootPlan, Purpose
from bootlab.launch.ending import Decided, Ending
from bootlab.launch.load_address import user_space_end
from bootlab.launch.marks import kernel_marks, read_marks
from bootlab.launch.paced_console import PacedConsole
from bootlab.launch.process import EmulatorProcess
from bootlab.launch.qemu_launch import effective_cmdline
from bootlab.launch.target import ProgressSink
from bootlab.launch.watch import ConsoleWatch
from bootlab.launch.whole_console import LOST_STAMPS, NOT_COUNTED, held_to_what_was_written, require_room
from bootlab.model import flash_layout
from bootlab.model.launch import Launch
from bootlab.model.program import BuiltPrograms
from bootlab.model.recording import GoalClock, Mark, Outcome, Recording
from bootlab.model.shutdown import DOWN_FUNCTIONS
from bootlab.model.system import SystemDescription
from bootlab.recordings import assembly, recording_dir
from bootlab.recordings.assembly import Heard
from bootlab.recordings.console import split_lines
from bootlab.recordings.stamps import StampFile, Written
from bootlab.targets import shutdown
from bootlab.targets.asked_end import follow_to_end
from bootlab.targets.following import Follower

if TYPE_CHECKING:
    from bootlab.builders.kbuild import KernelBuilder
    from bootlab.builders.kbuild.elsewhere import BuiltElsewhere
    from bootlab.builders.loader.uboot import UbootBuilder

_LOST_TICKS = (
    "timer ticks while the kernel idles, so that its waits come out too long: without the plugin "
    "exact mode loses them with CONFIG_HZ_PERIODIC (build with NO_HZ_IDLE and HIGH_RES_TIMERS)"
)


class QemuTarget:
    """Boots systems in QEMU on this machine."""

    def __init__(
        self,
        cache: Cache,
        watch: tuple[str, ...] = (),
        builds: BuildObserver | None = None,
        elsewhere: BuiltElsewhere | None = None,
    ) -> None:
        """Share one cache of artefacts, kernel facts and the plugin; mark the kernel functions of `watch` too.

        `builds` is told of kernels that are built; `elsewhere` builds them.
        """
        self._cache = cache
        self._builds = builds
        self._elsewhere = elsewhere
        self._watch = watch
        self._kvm: kvm.KvmState | None = None
        self._lock = threading.Lock()

    def plan(self, system: SystemDescription, purpose: Purpose = "timing") -> BootPlan:
        """Build the artefacts (a kernel too) and the command line. Of machines only the KVM probe is started.

        The plan's system names the files of the kernel that was built.
        """
        found = emulator.find(system.machine, self._cache.root)
        several = processors.prepare(system, found, self._cache.root)
        built = system.kernel.build
        system, programs = built_programs(system, self._cache)
        if built is not None:
            system = with_built_kernel(system, self._cache, self._kernels)
        artefacts = build(system, self._cache)
        watch = (*(DOWN_FUNCTIONS if system.shutdown is not None else ()), *self._watch)
        info = self._inspect(system, watch)
        if system.kernel.flash is None:
            _check_form(system, info)
        # The plan's system stays the one that names no bank: it can be planned and handed over again.
        placed = with_root(in_flash(system, artefacts, self._cache), artefacts)
        accel = self._accel(system, found)
        stamper = plugin.prepare(found, self._cache.root) if accel == "tcg" else None
        lacks: list[str] = []
        if stamper is None:
            lacks.append("virtual time of console lines and marks: the plugin needs TCG, not KVM")
        elif stamper.path is None:
            lacks.append(f"virtual time of console lines and marks: no stamp plugin ({stamper.reason})")
        from_card = started(
            placed,
            artefacts,
            str(effective_cmdline(placed)),
            self._cache,
            builder=self._loaders if placed.loader is not None and placed.loader.build is not None else None,
            span_bytes=_span_bytes(info),
            emulator=found.path,
        )
        of_loader: dict[str, int] | None = None
        if from_card is not None and placed.loader is not None:
            of_loader = loader_marks.entries(placed.loader, from_card, info)
            placed = from_card.system
        marks, mark_lacks = kernel_marks(system, info, watch, of_loader)
        stamped = stamper is not None and stamper.path is not None
        codes = from_card.codes if from_card is not None and stamped else {}
        if stamped:
            lacks += mark_lacks
        if system.clock.mode == "exact" and not stamped and info.config.get("CONFIG_HZ_PERIODIC") == "y":
            lacks.append(_LOST_TICKS)
        handed = from_card is None or from_card.loads_kernel
        elsewhere = system.kernel.flash is not None or not handed
        whole = from_card.unified if from_card is not None else None
        parts = qemu_launch.Parts(
            emulator=found.path,
            kernel=str(whole or artefacts.kernel) if handed else None,
            initramfs=str(artefacts.initramfs) if artefacts.initramfs and not (elsewhere or whole) else None,
            card=str(from_card.card) if from_card is not None and from_card.card is not None else None,
            loader=from_card.first if from_card is not None else None,
            accel=accel,
            plugin=stamper.path if stamper else None,
            plugin_digest=stamper.digest if stamper else "",
            processors_plugin=several.plugin,
            marks=tuple(marks.items()) if stamped else (),
            codes=tuple(codes.items()),
            user_space_end=user_space_end(system.machine.arch, info),
            mute=found.wants_audio,
            root=str(artefacts.root) if artefacts.root else None,
            start=_filled_bank(placed),
        )
        watched = picture.watched(qemu_launch.launch_of(placed, parts), system, found, self._cache)
        launch, out_of_step = devices.in_step(watched, found, self._cache.root)
        files = (*placed.machine.files, *launch.loader_files, *((str(whole),) if whole is not None else ()))
        disks = tuple(self._cache.digest(Path(file)) for file in files)

        def keyed(launch: Launch, left: tuple[str, ...]) -> tuple[str, str]:
            facts = (placed, launch, artefacts, (*disks, *left), found.version, purpose)
            return key_of(*facts), machine_key_of(*facts)

        key, machine_key = keyed(launch, ())
        first = BootPlan(
            system=system,
            purpose=purpose,
            launch=launch,
            key=key,
            machine_key=machine_key,
            info=info,
            sizes_bytes=artefacts.sizes_bytes | _loader_sizes(from_card),
            sha256=artefacts.sha256 | self._card_digests(from_card),
            emulator_version=found.version,
            accel=accel,
            processors=several.processors,
            stamped=stamped,
            mark_names=(*marks, *codes) if stamped else (),
            of_loader=of_loader,
            lacks=tuple(lacks),
            notes=(*exactness.notes(system, launch, found.version), *out_of_step),
            kernel_patches=tuple(patch.name for patch in built.patches) if built is not None else (),
            carried=(
                *(_own_config(system) if built is not None else ()),
                *_loader_config(from_card),
                *self._programs(programs),
                *picture.carried(system),
            ),
        )
        if system.earlier is None and system.shutdown is None:
            return first
        from bootlab.targets.left_state import LeftStates  # noqa: PLC0415 - of most systems the first boot is measured

        def planned(launch: Launch, left: tuple[str, ...]) -> BootPlan:
            key, machine_key = keyed(launch, left)
            return msgspec.structs.replace(first, launch=launch, key=key, machine_key=machine_key)

        noted = self._builds.build_noted if self._builds is not None else _say_nothing
        states = LeftStates(self._cache, found, noted)
        return shutdown.down(states.later(first, planned), planned, found, self._cache)

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        """Boot once. The folder must be empty; it holds the recording afterwards.

        Raise OSError when there is no room for what the boot printed, or for its times: it shows nothing of the system.
        """
        folder.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        console = folder / qemu_launch.CONSOLE_FILE
        line = asked = None
        wrong = _wrong_architecture(plan.system, plan.info)
        if wrong:
            decided = Decided(Ending(Outcome.WRONG_ARCH, wrong), ConsoleWatch(None, plan.system))
            console.write_bytes(b"")
        else:
            # Before the boot: they explain what is left of it should bootlab be killed.
            for name, source in plan.carried:
                shutil.copyfile(source, folder / name)
            baud = plan.launch.console_baud if plan.launch is not None else 0
            with contextlib.ExitStack() as held:
                line = held.enter_context(PacedConsole(console, baud)) if baud else None
                process = held.enter_context(
                    EmulatorProcess(
                        list(plan.command),
                        folder=folder,
                        log=folder / "emulator.log",
                        stdout=line.fd if line is not None else None,
                        preload=plan.launch.preload if plan.launch is not None else None,
                    )
                )
                if plan.ends is not None:
                    asked = follow_to_end(plan, plan.ends, folder, process, stop, progress)
                decided = asked.decided if asked else Follower(plan, folder, process, stop).follow(progress)
        written = line.written if line is not None else None
        wall_s = time.monotonic() - started
        if asked is not None and asked.goal_ns:
            recording = shutdown.record(plan, folder, asked, wall_s)
        else:
            recording = _record(plan, folder, decided, wall_s, written)
        require_room(recording, folder)
        return recording

    @functools.cached_property
    def _kernels(self) -> KernelBuilder:
        from bootlab.builders.kbuild import KernelBuilder  # noqa: PLC0415 - most systems name an image

        return KernelBuilder(self._cache, observer=self._builds, elsewhere=self._elsewhere)

    @functools.cached_property
    def _loaders(self) -> UbootBuilder:
        from bootlab.builders.loader.uboot import UbootBuilder  # noqa: PLC0415 - most systems have no boot loader

        return UbootBuilder(self._cache, observer=self._builds)

    def _card_digests(self, from_card: CardStart | None) -> dict[str, str]:
        if from_card is None:
            return {}
        found = {"card": self._cache.digest(from_card.card)} if from_card.card is not None else {}
        return found if from_card.image is None else found | {"loader": self._cache.digest(from_card.image)}

    def _inspect(self, system: SystemDescription, watch: tuple[str, ...]) -> KernelInfo:
        kernel = system.kernel
        # What lies in flash may be bare code that says nothing of itself; its vmlinux does.
        bare = kernel.flash is not None
        if bare and kernel.vmlinux is not None:
            kernel = msgspec.structs.replace(kernel, image=kernel.vmlinux)
        digest = self._cache.digest(Path(kernel.image))
        return inspect(kernel, self._cache.root, digest, watch, bare=bare)

    def _programs(self, programs: BuiltPrograms) -> tuple[tuple[str, str], ...]:
        """Return the proof of what was built, to stand in the recording; nothing when nothing was."""
        return ((recording_dir.PROGRAMS_FILE, str(facts_file(programs, self._cache))),) if programs.files else ()

    def _accel(self, system: SystemDescription, found: emulator.Emulator) -> str:
        if system.clock.mode == "exact" or system.clock.accel == "tcg":
            return "tcg"
        with self._lock:
            if self._kvm is None:
                self._kvm = kvm.probe(found, system.machine.arch)
        if self._kvm.works:
            return "kvm"
        if system.clock.accel == "kvm":
            raise EnvironmentFault(
                f"KVM was requested but does not work here: {self._kvm.reason}",
                hint='set clock.accel = "tcg", or "auto" to use KVM only if it works',
            )
        return "tcg"


def _say_nothing(text: str) -> None:
    """Tell nobody of a boot that is made for another one."""


def _loader_sizes(from_card: CardStart | None) -> dict[str, int]:
    image = from_card.image if from_card is not None else None
    found = {"loader": image.stat().st_size} if image is not None else {}
    return found | (from_card.sizes_bytes if from_card is not None else {})


def _loader_config(from_card: CardStart | None) -> tuple[tuple[str, str], ...]:
    """Return the configuration that the boot loader was built with, to stand in the recording."""
    if from_card is None or from_card.built is None:
        return ()
    return ((recording_dir.LOADER_CONFIG_FILE, str(from_card.built.config)),)


def _span_bytes(info: KernelInfo) -> int | None:
    """Return how long the kernel is in memory, its variables included; None when its symbols do not say."""
    start, end = info.symbols.get("_text"), info.symbols.get("_end")
    return None if start is None or end is None else end - start


def _own_config(system: SystemDescription) -> tuple[tuple[str, str], ...]:
    """Return the configuration that the kernel was built with, to stand in the recording as proof of its options."""
    return ((recording_dir.KERNEL_CONFIG_FILE, system.kernel.config),) if system.kernel.config else ()


def _filled_bank(placed: SystemDescription) -> str | None:
    """Return the flash bank that bootlab has filled; None where the emulator loads the kernel."""
    place = flash_layout.known(placed.machine)
    return placed.machine.flash[place.unit] if placed.kernel.flash is not None and place is not None else None


def _record(plan: BootPlan, folder: Path, decided: Decided, wall_s: float, written: Written | None) -> Recording:
    console_path = folder / qemu_launch.CONSOLE_FILE
    console = console_path.read_bytes() if console_path.exists() else b""
    stamp_path = folder / qemu_launch.STAMP_FILE
    stamps = StampFile(stamp_path).read(len(console)) if plan.stamped else None
    written = stamps.written if written is None and stamps is not None else written
    decided = held_to_what_was_written(decided, plan.system, written, len(console))
    watch, ending = decided.watch, decided.ending
    uncounted = plan.stamped and written is None and bool(console)
    # What the machine printed until it was ended is the host's affair.
    console = console[: watch.size_bytes]
    if watch.goal is not None and ending.outcome is Outcome.GOAL:
        console = console[: max(watch.goal.line_end_bytes, watch.check_end_bytes)]
    stamps = stamps.cut(len(console)) if stamps else None
    exact = plan.system.clock.mode == "exact"
    marks: tuple[Mark, ...] = ()
    goal_ns: int | None = None
    goal_insns: int | None = None
    if stamps is not None:
        marks = read_marks(plan.system, plan.mark_names, stamps, console)
        if watch.goal is not None and (at := stamps.at(watch.goal.match_end_bytes - 1)):
            goal_ns, goal_insns = at
            marks = (*marks, Mark("goal", goal_ns, goal_insns, plan.system.goal.console))
        if ending.outcome is Outcome.GOAL and exact and (end := stamps.at(len(console) - 1)):
            # What came after the last byte came because the host was slow to end the machine.
            marks = tuple(mark for mark in marks if mark.ns <= end[0])
    clock_of_goal: GoalClock = "virtual" if exact else "wall"
    lost = stamps is not None and stamps.lost
    if goal_ns is None and watch.goal is not None and not lost:
        goal_ns, clock_of_goal = _goal_without_plugin(console, exact=exact, wall_s=wall_s)
    fallback = loader_marks.fallback_note(plan.system.loader, console, marks)
    heard = Heard(
        console=console,
        stamps=stamps,
        marks=marks,
        goal_ns=goal_ns,
        goal_insns=goal_insns,
        goal_clock=clock_of_goal,
    )
    meta = assembly.meta_of(
        plan,
        ending,
        heard,
        watch.check_groups,
        wall_s=wall_s,
        end_ns=decided.end_ns,
        known_ns=decided.known_ns,
        stopped=decided.stopped,
        lacks=(*((LOST_STAMPS,) if lost else ()), *((NOT_COUNTED,) if uncounted else ())),
        notes=(*((fallback,) if fallback else ()), *watch.notes),
    )
    stamp_path.unlink(missing_ok=True)
    picture.tidy(folder, reached=ending.outcome is Outcome.GOAL)
    return assembly.write(folder, meta, heard)


def _goal_without_plugin(console: bytes, *, exact: bool, wall_s: float) -> tuple[int | None, GoalClock]:
    """Return the best time there is: the last kernel stamp before the goal in exact mode, the host's clock else."""
    if not exact:
        return int(wall_s * 1e9), "wall"
    stamps = [line.printk_ns for line in split_lines(console) if line.printk_ns]
    return (stamps[-1], "printk") if stamps else (None, "printk")


def _check_form(system: SystemDescription, info: KernelInfo) -> None:
    facts = system.machine.architecture
    if facts.name != "x86_64" and system.kernel.form == "vmlinux":
        raise UserError(
            f"kernel.form is vmlinux: {facts.name} machines have no PVH entry", hint='set kernel.form = "image"'
        )
    if info.arch in facts.kernel_archs and info.kind and info.kind not in facts.image_kinds:
        raise UserError(
            f"{system.kernel.image}: QEMU loads no {facts.name} kernel of the form {info.kind}",
            hint=f"it can load: {', '.join(sorted(facts.image_kinds))}",
        )


def _wrong_architecture(system: SystemDescription, info: KernelInfo) -> str:
    if not info.arch or info.arch in {*system.machine.architecture.kernel_archs, "unknown"}:
        return ""
    return f"{system.kernel.image} is a kernel for {info.arch}; the machine is {system.machine.arch}"
