# SPDX-License-Identifier: MIT
"""A boot with the trace plugin beside the stamp plugin: same machine, same console, one file more."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.builders.cache import Cache
from bootlab.errors import EnvironmentFault, UserError
from bootlab.launch import emulator, load_address, plugin
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.marks import kernel_marks
from bootlab.model.launch import LoadedPlugin
from bootlab.recordings import seal
from bootlab.tracing import rules as trace_rules
from bootlab.tracing import symbols as trace_symbols
from bootlab.tracing.modules import PlacedModules

TRACE_FILE = "trace.bin"
PART_FILE = f"{TRACE_FILE}.part"
FUNCTIONS_FILE = "functions.txt"
# arch/arm/kernel/entry-armv.S: __kuser_helper_start; user space executes them in the page of the vectors.
_ARM_KUSER = (0xFFFF0F00, 0xFFFF1000)


NO_MODULES = PlacedModules()
CODE_ONLY_NS = 1 << 62
"""`min_ns` of a trace that is made for its code alone: no call takes so long."""


class TraceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to trace. The tree has every call; `min_ns`, `depth` and `subtree` choose the calls that leave a span."""

    end_insns: int | None = None
    min_ns: int = 20_000
    depth: int | None = None
    start: str | None = None
    stop: str | None = None
    subtree: tuple[str, ...] = ()


def traced(plan: BootPlan, request: TraceRequest, cache: Cache, modules: PlacedModules = NO_MODULES) -> BootPlan:
    """Return the plan with tracing; `modules`: where they lie in this very boot.

    Raise UserError where no exact trace is possible, EnvironmentFault without plugin.
    """
    system = plan.system
    if system.clock.mode != "exact":
        raise UserError(
            "tracing functions needs the instruction counter, which free mode does not have",
            hint='set clock.mode = "exact" in the system file',
        )
    if plan.processors.count != 1 and not plan.processors.alone:
        raise UserError(
            "functions can be traced on one processor only",
            hint="set machine.cpus = 1 for the trace; or leave the others off with maxcpus=1 on the command line",
        )
    if plan.launch is None or not plan.launch.plugins:
        raise EnvironmentFault("the trace needs TCG plugins, and this boot has none", hint="bootlab doctor")
    if plan.info.symbols.get("start_kernel") is None and not system.kernel.symbols:
        raise UserError(
            f"{system.kernel.image}: its symbols could not be read",
            hint="name its System.map as kernel.symbols, or take a kernel with CONFIG_KALLSYMS",
        )
    found = emulator.find(system.machine)
    built = plugin.prepare_trace(found, cache.root)
    if built.path is None:
        raise EnvironmentFault(f"there is no trace plugin: {built.reason}", hint="bootlab doctor")
    symbols, names = _symbol_files(plan, request, cache, modules)
    words = [f"syms={symbols}", f"out={TRACE_FILE}", f"shift={system.clock.shift}", *_layout(plan)]
    words.append(f"min_ns={request.min_ns}")
    if plan.processors.alone:
        words.append("alone=1")
    if request.depth is not None:
        words.append(f"depth={request.depth}")
    if request.end_insns is not None:
        words.append(f"end={request.end_insns}")
    tracer = LoadedPlugin(file=built.path, arguments=tuple(words), digest=built.digest)
    facts = (plan.key, built.digest, symbols.name, request)
    return msgspec.structs.replace(
        plan,
        purpose="trace",
        launch=plan.launch.with_plugin(tracer),
        key=hashlib.sha256(msgspec.json.encode(facts)).hexdigest()[:32],
        awaited=TRACE_FILE,
        carried=(*plan.carried, (FUNCTIONS_FILE, str(names))),
    )


def _layout(plan: BootPlan) -> list[str]:
    machine, info = plan.system.machine, plan.info
    marks, _ = kernel_marks(plan.system, info, of_loader=plan.of_loader)
    offset = load_address.link_offset(machine.arch, info, marks.get("kernel-image"))
    words = [f"offset={offset:#x}", f"user_end={load_address.user_space_end(machine.arch, info):#x}"]
    words += _preempt_count(plan)
    if plan.system.kernel.form == "vmlinux":
        return [*words, f"kernel={info.pvh_entry:#x}"] if info.pvh_entry is not None else words
    if machine.arch == "x86_64" and "kernel-entry" in marks:
        words.append(f"setup={marks['kernel-entry']:#x}")
    if "decompression" in marks:
        words.append(f"decompress={marks['decompression']:#x}")
    if (entry := marks.get("kernel-image")) is None:
        return words
    words.append(f"kernel={entry:#x}")
    if machine.arch == "x86_64":
        return words
    stext = info.symbols.get("_stext", info.symbols.get("start_kernel", 0))
    ranges = {"image": (entry, (stext - offset) % 2**64)}
    idmap = info.symbols.get("__idmap_text_start"), info.symbols.get("__idmap_text_end")
    if idmap[0] is not None and idmap[1] is not None:
        ranges["idmap"] = ((idmap[0] - offset) % 2**64, (idmap[1] - offset) % 2**64)
    if machine.arch == "riscv64":
        ranges["firmware"] = load_address.RISCV_FIRMWARE_RANGE
    if machine.arch == "arm":
        ranges["kuser"] = _ARM_KUSER
    return words + [f"{name}={low:#x}-{high:#x}" for name, (low, high) in ranges.items()]


def _preempt_count(plan: BootPlan) -> list[str]:
    """Return where the preemption count lies; nothing where the kernel keeps none or its place is not known.

    x86 has it in per-CPU data, from 6.2 to 6.13 in a structure (asm/current.h). The others have it in each task's
    thread_info (asm/thread_info.h): behind the flags, and on arm64 behind `ttbr0` and, before 5.11, `addr_limit`.
    """
    info, arch = plan.info, plan.system.machine.arch
    if arch == "x86_64":
        symbols = info.symbols
        pcpu_hot = symbols["pcpu_hot"] + 8 if "pcpu_hot" in symbols else None
        place = symbols.get("__preempt_count", pcpu_hot)
        return [] if place is None else [f"preempt={place:#x}"]
    if info.config.get("CONFIG_PREEMPT_COUNT") != "y" or (arch == "arm64" and not info.numbers):
        return []
    offset = 4 if arch == "arm" else 8
    if arch == "arm64":
        offset += 8 * (info.config.get("CONFIG_ARM64_SW_TTBR0_PAN") == "y") + 8 * (info.numbers < (5, 11))
    name = "init_task" if info.config.get("CONFIG_THREAD_INFO_IN_TASK") == "y" else "init_thread_union"
    first = next((address for address, _, symbol in kernel_symbols(plan) if symbol == name), None)
    return [] if first is None else [f"preempt={offset:#x}", f"thread={first:#x}"]


def kernel_symbols(plan: BootPlan) -> list[tuple[int, str, str]]:
    """Return address, kind and name of the kernel's symbols. Raise UserError where they cannot be read."""
    kernel = plan.system.kernel
    return _symbol_table([Path(name) for name in (kernel.symbols, kernel.image) if name])


def _symbol_files(plan: BootPlan, request: TraceRequest, cache: Cache, modules: PlacedModules) -> tuple[Path, Path]:
    kernel = plan.system.kernel
    sources = [Path(name) for name in (kernel.symbols, kernel.image) if name]
    extra: dict[str, int] = {}
    wishes = [(request.start, trace_rules.START), (request.stop, trace_rules.STOP)]
    wishes += [(name, trace_rules.SUBTREE) for name in request.subtree]
    for name, flag in wishes:
        if name is not None:
            extra[name] = extra.get(name, 0) | flag
    asked = hashlib.sha256(
        f"{trace_rules.VERSION} {plan.system.machine.arch} {sorted(extra.items())} {modules.table()}".encode()
    ).hexdigest()[:8]
    kept = hashlib.sha256(" ".join(cache.digest(source) for source in sources).encode()).hexdigest()[:32]
    place = cache.root / "trace" / f"{kept}-{asked}.syms"
    names = place.with_suffix(".names")
    if seal.holds(place) and seal.holds(names):
        return place, names
    table = [*_symbol_table(sources), *modules.table()]
    chosen = trace_symbols.choose(table, plan.system.machine.arch, extra)
    known = {trace_symbols.bare(name) for name in chosen.names}
    for name in extra:
        if name not in known:
            raise UserError(f"the kernel has no function {name!r}", hint="names are those of System.map or kallsyms")
    place.parent.mkdir(parents=True, exist_ok=True)
    for path, raw in ((place, trace_symbols.encode(chosen)), (names, "\n".join(chosen.names).encode())):
        fresh = path.with_suffix(f".{id(chosen)}.new")
        fresh.write_bytes(raw)
        seal.put_in_place(fresh, path)
    return place, names


def _symbol_table(sources: list[Path]) -> list[tuple[int, str, str]]:
    """Return the symbols of the file named for them when they are those of the image, else the image's own.

    System.map and vmlinux have more than the image's kallsyms: the kernel's head, exception stubs. Debian's System.map
    is one line of text.
    """
    *named, image = sources
    try:
        own = _core.kernel_symbol_table(image.read_bytes())
    except ValueError:
        own = []
    start = _start_kernel(own)
    for path in named:
        try:
            found = _core.kernel_symbol_table(path.read_bytes())
        except ValueError:
            found = trace_symbols.read_map(path) if start is None else _read_map_or_nothing(path)
        if _start_kernel(found) is not None and start in {None, _start_kernel(found)}:
            return found
    if start is None:
        raise UserError(
            f"{(named or [image])[-1]} has no symbols of a kernel",
            hint="name the kernel's System.map as kernel.symbols",
        )
    return own


def _read_map_or_nothing(path: Path) -> list[tuple[int, str, str]]:
    with contextlib.suppress(UserError):
        return trace_symbols.read_map(path)
    return []


def _start_kernel(table: list[tuple[int, str, str]]) -> int | None:
    return next((address for address, _, name in table if name == "start_kernel"), None)
