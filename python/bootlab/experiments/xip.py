# SPDX-License-Identifier: MIT
"""Kernel execute-in-place against copying and unpacking, all from the same flash: the classic table, by marks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import ClassVar

import msgspec

from bootlab.builders.artefacts import kernel_build
from bootlab.collectors import benchmark
from bootlab.collectors.diagnosis import diagnose, diagnostic_system, why_no_report
from bootlab.errors import BuildError, UserError
from bootlab.experiments import xip_partial
from bootlab.experiments.base import require_goal
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import Experiment
from bootlab.launch.monitor import physical_address
from bootlab.model import figures, flash_layout
from bootlab.model.change import SetFlashStart
from bootlab.model.comparison import Column, Comparison, LeftOut, Row, Table, Value
from bootlab.model.flash_layout import STARTS
from bootlab.model.flash_model import FlashModel
from bootlab.model.kernel_change import SetKernelImage, SetKernelOptions
from bootlab.model.recording import Recording
from bootlab.model.system import FlashStart, SystemDescription

_WORDS = {
    "in-place": "executed in place",
    "partial": "executed in place, hot functions in RAM",
    "copied": "copied to RAM",
    "unpacked": "copied to RAM, unpacked there",
    "unpacked-in-place": "unpacked out of flash",
}


PARTIAL = "partial"
_IN_PLACE = ("in-place", PARTIAL)
_SHARES = ("init_ram_share", "run_ram_share")
_OF_PARTIAL = ("ram_code_bytes", *_SHARES)


class Xip(Experiment):
    """Ways of starting one kernel from flash.

    `loader_ns`: from power-on to the kernel's copying or its first instruction (device tree, initramfs). `copy_ns`: the
    kernel, from flash to RAM. `unpack_ns`: decompression, with the unpacker's own set-up. `init_ns`: from the kernel's
    first instruction to the first one in user space. `text_physical`: where the emulator says that start_kernel() is.
    `iomem_code`: the range that the kernel itself lists as its code in /proc/iomem; None when that file was not read.
    `ram_code_bytes`: functions of a kernel in flash that run in RAM, and which share of its instructions they have, in
    the kernel's initialisation and from there to the benchmark's end.
    `bench_NAME_ns`: nanoseconds of one stat, fork, pipe round trip, context switch.
    """

    kind: ClassVar[str] = "xip"
    phase: ClassVar[str] = "start from flash"
    exact_only: ClassVar[str] = "execute-in-place is compared by instructions"
    columns = (
        Column(key="title", title="start"),
        Column(key="image", title="image"),
        Column(key="image_bytes", title="in flash", kind="bytes"),
        Column(key="loader_ns", title="loader", kind="ms", under="ms"),
        Column(key="copy_ns", title="copy to RAM", kind="ms", under="ms"),
        Column(key="unpack_ns", title="decompress", kind="ms", under="ms"),
        Column(key="init_ns", title="kernel init", kind="ms", under="ms"),
        Column(key="total_ns", title="total", kind="ms", under="ms"),
        Column(key="model_added_ns", title="flash adds", kind="ms", under="modelled, ms"),
        Column(key="model_total_ns", title="total", kind="ms", under="modelled, ms"),
        Column(key="text_virtual", title="start_kernel() virtual", kind="hex"),
        Column(key="text_physical", title="physical (emulator)", kind="hex"),
        Column(key="text_in_flash", title="in flash"),
        Column(key="iomem_code", title="/proc/iomem: Kernel code"),
        Column(key="ram_code_bytes", title="code in RAM", kind="bytes"),
        Column(key="init_ram_share", title="initialisation in RAM", kind="percent"),
        Column(key="run_ram_share", title="benchmark in RAM", kind="percent"),
        Column(key="ram_free_kib", title="free RAM", kind="count", under="KiB"),
        *(Column(key=f"bench_{name}_ns", title=name, kind="us", under="µs") for name in benchmark.NAMES),
        *(
            Column(key=f"model_bench_{name}_ns", title=name, kind="us", under="modelled, µs")
            for name in benchmark.NAMES
        ),
    )

    def __init__(self, *starts: str, model: FlashModel | None = None) -> None:
        """Take some ways, `partial` too; none: all others. `model`: what flash costs on a board, in own columns."""
        self._starts = tuple(start for start in STARTS if start in starts or not starts)
        self._partial = PARTIAL in starts
        self._model = model or FlashModel()

    def boots(self, system: SystemDescription) -> int:
        """Return three a way: timing, benchmark, diagnosis."""
        starts = set(self._starts).intersection(flash_layout.layout(system).starts)
        # Two boots and two traces of the kernel in place say what runs often.
        return 3 * len(starts) + (7 if self._partial else 0)

    def check(self, system: SystemDescription) -> None:
        """Raise UserError for a system that cannot start from flash, or whose kernel is not built."""
        flash_layout.layout(system)
        kernel_build(
            system, 'each way needs a kernel of its own: [kernel] source = "debian" (docs/how-to/build-kernels.md)'
        )
        super().check(system)

    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Build and boot every way. Raise BaseFailedError for a boot that fails."""
        layout = flash_layout.layout(system)
        planned: list[tuple[FlashStart, SystemDescription, Future[Recording], Future[Recording] | None]] = []
        for start in self._starts:
            if start not in layout.starts:
                yield LeftOut(id=start, title=_WORDS[start], reason=layout.lacks)
                continue
            changed = variant(system, start)
            try:
                timing = bench.submit(changed, start)
            except BuildError as fault:
                yield LeftOut(id=start, title=_WORDS[start], reason=f"could not be built: {fault.message}")
                continue
            loaded = benchmark.benchmarked(changed)
            planned.append((start, changed, timing, bench.submit(loaded, f"{start} (benchmark)") if loaded else None))
        for start, changed, timing, run in planned:
            booted = bench.wait(timing), bench.wait(run) if run is not None else None
            yield self._modelled(_row(bench, start, changed, *booted), changed.clock.shift)
        if self._partial:
            yield self._partly(bench, system)

    def _partly(self, bench: Bench, system: SystemDescription) -> Row | LeftOut:
        """Return the row of the kernel with some functions in RAM."""
        place = flash_layout.layout(system)
        if place.arch != "arm":
            reason = "only the linker script of ARM kernels is patched for it"
            return LeftOut(id=PARTIAL, title=_WORDS[PARTIAL], reason=reason)
        in_place = variant(system, "in-place")
        try:
            counts = xip_partial.counted(bench, in_place)
            changed = xip_partial.partial(bench, in_place, counts.hot())
            timing = bench.submit(changed, PARTIAL)
            placed = xip_partial.in_ram(bench.target.plan(changed), counts)
        except (BuildError, UserError) as fault:
            return LeftOut(id=PARTIAL, title=_WORDS[PARTIAL], reason=f"could not be built: {fault.message}")
        loaded = benchmark.benchmarked(changed)
        run = bench.boot(loaded, f"{PARTIAL} (benchmark)") if loaded is not None else None
        row = _row(bench, PARTIAL, changed, bench.wait(timing), run)
        hot = physical_address(bench.target.plan(changed), placed.hottest_address, stop=threading.Event())
        values: dict[str, Value] = {
            "ram_code_bytes": placed.code_bytes,
            "init_ram_share": placed.init_share,
            "run_ram_share": placed.run_share,
        }
        in_ram = hot is not None and not place.in_flash(hot)
        proof = f"{row.proof}, {placed.hottest}() at {hot:#x}" if hot is not None else row.proof
        row = msgspec.structs.replace(row, proved=row.proved and in_ram, proof=proof, values={**row.values, **values})
        return self._modelled(row, changed.clock.shift)

    def facts(self, bench: Bench, system: SystemDescription, rows: tuple[Row, ...]) -> dict[str, Value]:
        """Return shift and size of the flash bank."""
        del bench, rows
        bank_bytes = flash_layout.layout(system).bank_bytes
        return {"shift": system.clock.shift, "flash_bytes": bank_bytes, "model": self._model.text()}

    def tables(self, rows: tuple[Row, ...]) -> tuple[Table, ...]:
        """Return times, the place of the code, the price at run time."""
        keys = [column.key for column in self.columns]
        if not any(row.id == PARTIAL for row in rows):
            keys = [key for key in keys if key not in _OF_PARTIAL]
        price = tuple(key for key in keys if "bench_" in key)
        cut = keys.index("text_virtual")
        boots = Table(title="From power-on to user space", columns=tuple(keys[:cut]))
        code = Table(
            title="Where the kernel's code is",
            columns=("title", *(key for key in keys[cut:] if key not in price)),
        )
        run = Table(title="The price at run time (one of each)", columns=("title", *price))
        return (boots, code, run) if any(row.values.get(price[0]) is not None for row in rows) else (boots, code)

    def headline(self, found: Comparison) -> str:
        """Say how much execute-in-place takes of the slowest way."""
        times = {row.id: row.ns("total_ns") for row in found.rows}
        told = ", ".join(f"{_WORDS[name]} {figures.ms(ns)}" for name, ns in times.items())
        return f"{found.system}: from power-on to user space ({found.clock} ms): {told or 'nothing was started'}"

    def footnote(self, found: Comparison) -> str:
        """Say what is measured and what is modelled."""
        del found
        return (
            "Measured columns count instructions. Emulated flash is as fast as RAM, so they show the work saved, not "
            f"the waiting. The modelled columns add the waiting: {self._model.text()}. At run time the model treats "
            "every instruction of an operation as executed from flash, which is an upper bound. With hot functions in "
            "RAM it takes the share of the instructions that stay in flash, and the copy of the others once."
        )

    def _modelled(self, row: Row, shift: int) -> Row:
        values, model = row.values, self._model
        in_place = row.id in _IN_PLACE
        in_flash = {key: 1 - share if isinstance(share := values.get(key), float) else 1.0 for key in _SHARES}
        insns, image_bytes = values["init_insns"], values["image_bytes"]
        added: int | None = None
        if in_place and isinstance(insns, int):
            added = model.executed_ns(round(insns * in_flash["init_ram_share"]))
            copied = values.get("ram_code_bytes")
            added += model.read_ns(copied) if isinstance(copied, int) else 0
        elif not in_place and isinstance(image_bytes, int):
            # The unpacker's loop stays in the cache; what it reads comes once, out of flash or into RAM.
            added = model.read_ns(image_bytes)
        total_ns = row.ns("total_ns")
        total = None if added is None or total_ns is None else total_ns + added
        more: dict[str, Value] = {"model_added_ns": added, "model_total_ns": total}
        for name in benchmark.NAMES:
            ns = row.ns(f"bench_{name}_ns")
            if ns is not None:
                # Upper bound: every instruction of the operation is taken for one of the kernel's.
                insns_in_flash = round((max(0, ns) >> shift) * in_flash["run_ram_share"])
                ns += model.executed_ns(insns_in_flash) if in_place else 0
            more[f"model_bench_{name}_ns"] = ns
        return msgspec.structs.replace(row, values={**values, **more})


def variant(system: SystemDescription, start: FlashStart) -> SystemDescription:
    """Return the system started from flash in a way, with the kernel that it needs."""
    place = flash_layout.layout(system)
    changed = SetFlashStart(start).apply(SetKernelImage(image=flash_layout.image(start)).apply(system))
    options = flash_layout.options(place, start)
    return SetKernelOptions(options).apply(changed) if options else changed


def _row(bench: Bench, start: str, system: SystemDescription, timing: Recording, run: Recording | None) -> Row:
    for recording in (timing, run):
        if recording is not None:
            require_goal(recording)
    marks = {mark.name: mark for mark in timing.marks}
    missing = [name for name in ("kernel-entry", "kernel-image", "user-space") if name not in marks]
    if missing:
        raise UserError(f"{start}: the boot has no mark {', '.join(missing)}", hint="check the plugin: bootlab doctor")
    entry, image, user = (marks[name] for name in ("kernel-entry", "kernel-image", "user-space"))
    copy = marks.get("kernel-copy", entry)
    plan = bench.target.plan(system)
    virtual = plan.info.symbols.get("start_kernel")
    physical = physical_address(plan, virtual, stop=threading.Event()) if virtual is not None else None
    place = flash_layout.layout(system)
    bench_ns = benchmark.times_ns(run) if run is not None else {}
    in_flash = place.in_flash(physical) if physical is not None else None
    return Row(
        id=start,
        title=_WORDS[start],
        proved=in_flash is not None and in_flash == (start in _IN_PLACE),
        proof=f"the emulator has start_kernel() at {physical:#x}" if physical is not None else "",
        cmdline=timing.meta.cmdline,
        key=timing.meta.key,
        values={
            "start": start,
            "image": flash_layout.image(system.kernel.flash or "in-place"),
            "image_bytes": plan.sizes_bytes["kernel"],
            "text_bytes": _kernel_code_bytes(timing),
            "ram_free_kib": _free_kib(timing),
            "loader_ns": copy.ns,
            "copy_ns": entry.ns - copy.ns,
            "unpack_ns": image.ns - entry.ns,
            "init_ns": user.ns - image.ns,
            "total_ns": user.ns,
            "unpack_insns": _between(entry.insns, image.insns),
            "init_insns": _between(image.insns, user.insns),
            "text_virtual": virtual,
            "text_physical": physical,
            "text_in_flash": in_flash,
            "iomem_code": _iomem_code(bench, start, system, timing),
            **{f"bench_{name}_ns": bench_ns.get(name) for name in benchmark.NAMES},
        },
    )


def _iomem_code(bench: Bench, start: str, system: SystemDescription, timing: Recording) -> str | None:
    instrumented = diagnostic_system(system, timing)
    if instrumented is None:
        return None
    made = bench.boot(instrumented, f"{start} (diagnostic)", purpose="diagnostic")
    if why := why_no_report(system, made):
        bench.decided(f"  {start}: /proc/iomem is not known: {why}")
        return None
    lines = diagnose(made).proc.get("iomem", "").splitlines()
    # Without this line the file was cut, or its addresses were hidden: then what is absent says nothing.
    if not any(line.strip().endswith(": Kernel data") for line in lines):
        return None
    return next((line.strip() for line in lines if line.strip().endswith(": Kernel code")), "none in RAM")


def _memory_line(timing: Recording) -> list[int]:
    line = timing.find("K available (")
    if line is None:
        return []
    words = line.text[:1000].replace("/", " ").replace("(", " ").split()
    return [int(word[:-1]) for word in words if word.endswith("K") and word[:-1].isdigit()]


def _free_kib(timing: Recording) -> int | None:
    numbers = _memory_line(timing)
    return numbers[0] if numbers else None


def _between(start: int | None, end: int | None) -> int | None:
    """Return how many instructions lie between two marks; None where they were not counted."""
    return None if start is None or end is None else end - start


def _kernel_code_bytes(timing: Recording) -> int | None:
    # mm/page_alloc.c mem_init_print_info(): available, all, kernel code, ...
    numbers = _memory_line(timing)
    return numbers[2] * 1024 if len(numbers) > 2 else None
