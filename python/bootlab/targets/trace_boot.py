"""A boot with the trace plugin beside the stamp plugin: same machine, same console, one file more."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.builders.cache import Cache
from bootlab.errors import EnvironmentFault, UserError
from bootlab.targets import emulator, plugin, trace_symbols
from bootlab.targets.base import BootPlan
from bootlab.targets.marks import kernel_marks

TRACE_FILE = "trace.bin"
FUNCTIONS_FILE = "functions.txt"
# arch/x86/include/asm/page_64_types.h: __START_KERNEL_map; Documentation/arch/x86/x86_64/mm.rst: the end of user space
# with four-level page tables, below the kernel's half with five levels too.
_LINK_OFFSET = {"x86_64": 0xFFFFFFFF80000000}
_USER_END = {"x86_64": 0x800000000000}


class TraceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to trace. The tree has every call; `min_ns`, `depth` and `subtree` choose the calls that leave a span."""

    end_insns: int | None = None
    min_ns: int = 20_000
    depth: int | None = None
    start: str | None = None
    stop: str | None = None
    subtree: tuple[str, ...] = ()


def traced(plan: BootPlan, request: TraceRequest, cache: Cache) -> BootPlan:
    """Return the plan with tracing.

    Raise UserError where no exact trace is possible, EnvironmentFault without plugin.
    """
    system = plan.system
    if system.clock.mode != "exact":
        raise UserError(
            "functions are traced by counting instructions, which free-running mode does not",
            hint='set clock.mode = "exact" in the system file',
        )
    if system.machine.cpus != 1:
        raise UserError("functions are traced on one processor", hint="set machine.cpus = 1 for the trace")
    if system.machine.arch not in _LINK_OFFSET:
        raise UserError(
            f"functions are not traced on {system.machine.arch}", hint=f"traced: {', '.join(sorted(_LINK_OFFSET))}"
        )
    if "-plugin" not in plan.command:
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
    symbols, names = _symbol_files(plan, request, cache)
    words = [built.path, f"syms={symbols}", f"out={TRACE_FILE}", f"shift={system.clock.shift}"]
    words += _layout(plan)
    words.append(f"min_ns={request.min_ns}")
    if request.depth is not None:
        words.append(f"depth={request.depth}")
    if request.end_insns is not None:
        words.append(f"end={request.end_insns}")
    at = plan.command.index("-plugin")
    command = (*plan.command[:at], "-plugin", ",".join(words), *plan.command[at:])
    facts = (plan.key, built.digest, symbols.name, request)
    return msgspec.structs.replace(
        plan,
        purpose="trace",
        command=command,
        key=hashlib.sha256(msgspec.json.encode(facts)).hexdigest()[:32],
        awaited=TRACE_FILE,
        carried=(*plan.carried, (FUNCTIONS_FILE, str(names))),
    )


def _layout(plan: BootPlan) -> list[str]:
    arch = plan.system.machine.arch
    marks, _ = kernel_marks(plan.system, plan.info)
    words = [f"offset={_LINK_OFFSET[arch]:#x}", f"user_end={_USER_END[arch]:#x}"]
    if plan.system.kernel.form == "vmlinux":
        if plan.info.pvh_entry is not None:
            words.append(f"kernel={plan.info.pvh_entry:#x}")
        return words
    for name, key in (("kernel-entry", "setup"), ("decompression", "decompress"), ("kernel-image", "kernel")):
        if name in marks:
            words.append(f"{key}={marks[name]:#x}")
    return words


def _symbol_files(plan: BootPlan, request: TraceRequest, cache: Cache) -> tuple[Path, Path]:
    kernel = plan.system.kernel
    # The image's own symbols fit it for certain; the System.map that Debian packs is one line of text.
    from_image = plan.info.symbols.get("start_kernel") is not None
    source = Path(kernel.image if from_image or not kernel.symbols else kernel.symbols)
    extra: dict[str, int] = {}
    wishes = [(request.start, trace_symbols.START), (request.stop, trace_symbols.STOP)]
    wishes += [(name, trace_symbols.SUBTREE) for name in request.subtree]
    for name, flag in wishes:
        if name is not None:
            extra[name] = extra.get(name, 0) | flag
    asked = hashlib.sha256(f"{trace_symbols.RULES} {sorted(extra.items())}".encode()).hexdigest()[:8]
    place = cache.root / "trace" / f"{cache.digest(source)[:32]}-{asked}.syms"
    names = place.with_suffix(".names")
    if place.is_file() and names.is_file():
        return place, names
    table = _core.kernel_symbol_table(source.read_bytes()) if from_image else trace_symbols.read_map(source)
    chosen = trace_symbols.choose(table, extra)
    if "start_kernel" not in chosen.names:
        raise UserError(f"{source} has no symbols of a kernel", hint="name the kernel's System.map as kernel.symbols")
    for name in extra:
        if name not in chosen.names:
            raise UserError(f"the kernel has no function {name!r}", hint="names are those of System.map or kallsyms")
    place.parent.mkdir(parents=True, exist_ok=True)
    for path, raw in ((place, trace_symbols.encode(chosen)), (names, "\n".join(chosen.names).encode())):
        fresh = path.with_suffix(f".{id(chosen)}.new")
        fresh.write_bytes(raw)
        fresh.replace(path)
    return place, names
