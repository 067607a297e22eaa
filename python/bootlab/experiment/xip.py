"""Kernel execute-in-place against copying and unpacking, all from the same flash: the classic table, by marks."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import msgspec

from bootlab.collectors import benchmark
from bootlab.collectors.diagnosis import diagnose, diagnostic_system
from bootlab.errors import BuildError, UserError
from bootlab.experiment.bench import Bench
from bootlab.experiment.evidence import BaseFailedError
from bootlab.model import flash_layout
from bootlab.model.change import SetFlashStart, SetKernelImage, SetKernelOptions
from bootlab.model.flash_layout import STARTS
from bootlab.model.recording import Recording
from bootlab.model.system import FlashStart, System
from bootlab.targets.monitor import physical_address


class XipRow(msgspec.Struct, frozen=True, kw_only=True):
    """One way of starting. Times in virtual nanoseconds, counts in instructions.

    `loader_ns`: from power-on to the kernel's copying or its first instruction (device tree, initramfs). `copy_ns`: the
    kernel, from flash to RAM. `unpack_ns`: decompression, with the unpacker's own set-up. `init_ns`: from the kernel's
    first instruction to the first one in user space. `text_physical`: where the emulator says that start_kernel() is.
    `iomem_code`: the range that the kernel itself lists as its code in /proc/iomem, "" when it lists none, None when
    that file was not read.
    `bench_ns`: nanoseconds of one stat, fork, pipe round trip, context switch.
    """

    start: FlashStart
    image: str
    image_bytes: int
    text_bytes: int
    ram_free_kib: int | None
    loader_ns: int
    copy_ns: int
    unpack_ns: int
    init_ns: int
    total_ns: int
    unpack_insns: int
    init_insns: int
    text_virtual: int
    text_physical: int | None
    text_in_flash: bool
    iomem_code: str | None
    bench_ns: dict[str, int] = {}


class XipTable(msgspec.Struct, frozen=True, kw_only=True):
    """All ways of starting one system. `refused`: those that could not be built, with the reason."""

    format: str = "bootlab-xip"
    version: int = 1
    system: str
    shift: int
    flash_bytes: int
    rows: tuple[XipRow, ...]
    refused: dict[str, str] = {}


def variant(system: System, start: FlashStart) -> System:
    """Return the system started from flash in a way, with the kernel that it needs."""
    place = flash_layout.layout(system)
    changed = SetFlashStart(start).apply(SetKernelImage(image=flash_layout.image(start)).apply(system))
    options = flash_layout.options(place, start)
    return SetKernelOptions(options).apply(changed) if options else changed


def measure(bench: Bench, system: System, starts: tuple[FlashStart, ...] = STARTS) -> XipTable:
    """Build and boot every way. Raise UserError for a system that cannot be, BaseFailedError for a boot that fails."""
    _check(system)
    place = flash_layout.layout(system)
    refused: dict[str, str] = {}
    planned: list[tuple[FlashStart, System, Future[Recording], Future[Recording] | None]] = []
    for start in starts:
        if start not in place.starts:
            refused[start] = place.lacks
            continue
        changed = variant(system, start)
        try:
            timing = bench.submit(changed, start)
        except BuildError as fault:
            refused[start] = fault.message
            continue
        loaded = benchmark.benchmarked(changed)
        planned.append((start, changed, timing, bench.submit(loaded, f"{start} (benchmark)") if loaded else None))
    rows = [
        _row(bench, start, changed, bench.wait(timing), bench.wait(run) if run is not None else None)
        for start, changed, timing, run in planned
    ]
    return XipTable(
        system=system.name,
        shift=system.clock.shift,
        flash_bytes=place.bank_bytes,
        rows=tuple(rows),
        refused=refused,
    )


def _row(bench: Bench, start: FlashStart, system: System, timing: Recording, run: Recording | None) -> XipRow:
    for recording in (timing, run):
        if recording is not None and not recording.ok:
            raise BaseFailedError(recording)
    marks = {mark.name: mark for mark in timing.marks}
    missing = [name for name in ("kernel-entry", "kernel-image", "user-space") if name not in marks]
    if missing:
        raise UserError(
            f"{start}: the boot has no mark {', '.join(missing)}", hint="bootlab doctor says whether the plugin works"
        )
    entry, image, user = (marks[name] for name in ("kernel-entry", "kernel-image", "user-space"))
    copy = marks.get("kernel-copy", entry)
    plan = bench.target.plan(system)
    virtual = plan.info.symbols.get("start_kernel", 0)
    physical = physical_address(plan, virtual, stop=threading.Event()) if virtual else None
    place = flash_layout.layout(system)
    return XipRow(
        start=start,
        image=flash_layout.image(start),
        image_bytes=plan.sizes_bytes["kernel"],
        text_bytes=_kernel_code_kib(timing) * 1024,
        ram_free_kib=_free_kib(timing),
        loader_ns=copy.ns,
        copy_ns=entry.ns - copy.ns,
        unpack_ns=image.ns - entry.ns,
        init_ns=user.ns - image.ns,
        total_ns=user.ns,
        unpack_insns=(image.insns or 0) - (entry.insns or 0),
        init_insns=(user.insns or 0) - (image.insns or 0),
        text_virtual=virtual,
        text_physical=physical,
        text_in_flash=physical is not None and place.in_flash(physical),
        iomem_code=_iomem_code(bench, start, system, timing),
        bench_ns=benchmark.times_ns(run) if run is not None else {},
    )


def _iomem_code(bench: Bench, start: FlashStart, system: System, timing: Recording) -> str | None:
    instrumented = diagnostic_system(system, timing)
    if instrumented is None:
        return None
    diagnosis = diagnose(bench.boot(instrumented, f"{start} (diagnostic)", purpose="diagnostic"))
    lines = diagnosis.proc.get("iomem", "").splitlines()
    # Without this line the file was cut, or its addresses were hidden: then what is absent says nothing.
    if not any(line.strip().endswith(": Kernel data") for line in lines):
        return None
    return next((line.strip() for line in lines if line.strip().endswith(": Kernel code")), "")


def _memory_line(timing: Recording) -> list[int]:
    line = timing.find("K available (")
    if line is None:
        return []
    words = line.text[:1000].replace("/", " ").replace("(", " ").split()
    return [int(word[:-1]) for word in words if word.endswith("K") and word[:-1].isdigit()]


def _free_kib(timing: Recording) -> int | None:
    numbers = _memory_line(timing)
    return numbers[0] if numbers else None


def _kernel_code_kib(timing: Recording) -> int:
    # mm/page_alloc.c mem_init_print_info(): available, all, kernel code, ...
    numbers = _memory_line(timing)
    return numbers[2] if len(numbers) > 2 else 0


def _check(system: System) -> None:
    flash_layout.layout(system)
    if system.kernel.build is None:
        raise UserError(
            f"the kernel of {system.name} is not built: its system file names an image",
            hint='each way needs a kernel of its own: [kernel] source = "debian" (docs/how-to/build-kernels.md)',
        )
    if system.clock.mode != "exact":
        raise UserError("execute-in-place is compared by instructions", hint='set clock.mode = "exact"')
