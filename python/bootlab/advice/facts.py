"""What was given to look at, brought into the form that techniques ask: a context without a boot."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bootlab.advice.finding import Place
from bootlab.builders import compress, kernelinfo
from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import KernelBuilder
from bootlab.errors import EnvironmentFault, UserError
from bootlab.kernelsource.configuration import from_text, parse_config
from bootlab.logs import analyze
from bootlab.logs.boot import Boot, Cost
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Diagnosis, Line, Meta, Recording
from bootlab.model.system import Goal, Kernel, System
from bootlab.techniques.base import Context, Source

_CONFIG_HEAD = re.compile(r"^# Linux/(\w+) (\d+)\.(\d+)(?:\.(\d+))?\S* Kernel Configuration", re.MULTILINE)
_MAX_CONFIG_BYTES = 16 << 20
# arch/x86/Kconfig: CMDLINE_OVERRIDE; arch/arm, arch/arm64, arch/riscv: CMDLINE_FORCE.
_FORCED = ("CONFIG_CMDLINE_FORCE", "CONFIG_CMDLINE_OVERRIDE")
_ARCH_OF_CONFIG = {"x86": "x86_64", "i386": "i386", "x86_64": "x86_64", "arm": "arm", "arm64": "arm64"}
# What only one processor family's kernel prints (arch/*/kernel/setup.c, arch/x86/kernel/e820.c).
_ARCH_OF_LINE = (
    ("x86_64", re.compile(r"BIOS-e820:|x86/fpu:|Command line: .*\bBOOT_IMAGE=.*amd64|smpboot: CPU0: ")),
    ("arm64", re.compile(r"Booting Linux on physical CPU 0x[0-9a-f]{10} \[0x|\baarch64\b")),
    ("arm", re.compile(r"CPU: .{0,40}Processor \[[0-9a-f]{8}\] revision|OF: fdt: .*ARM|Uncompressing Linux")),
    ("riscv64", re.compile(r"riscv: (?:base )?ISA extensions|\briscv64\b|SBI specification v")),
)


class Given(msgspec.Struct, frozen=True):
    """One thing that was given, line by line, so that evidence can be found in it again."""

    file: str
    lines: tuple[tuple[int, str], ...]


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """A context for techniques, what the log says that each costs, and the lines to point at."""

    context: Context
    costs: tuple[Cost, ...] = ()
    sources: tuple[Given, ...] = ()

    def find(self, evidence: str) -> Place | None:
        """Return where a piece of evidence stands, by its text; None: in no line that was given."""
        wanted = evidence.strip().removesuffix("…")
        if not wanted:
            return None
        for source in self.sources:
            for number, text in source.lines:
                if wanted in text:
                    return Place(source.file, number)
        option = re.search(r"\bCONFIG_\w+", wanted)
        return self.find(option[0]) if option and option[0] != wanted else None


def gather(
    cache: Cache,
    *,
    system: System | None = None,
    config: Path | None = None,
    cmdline: str | None = None,
    log: Path | None = None,
    boot: int | None = None,
    arch: str = "",
) -> Facts:
    """Read what was given. What is not given is left open, never assumed. Raise UserError for what cannot be read."""
    if all(given is None for given in (system, config, cmdline, log)):
        raise UserError("there is nothing to check", hint="bootlab check --config .config --log boot.log")
    sources: list[Given] = []
    options, version, config_arch, whole = _of_config(config, sources)
    booted = _of_log(log, boot) if log is not None else None
    unseen: set[Source] = set()
    pvh_entry: bool | None = None
    if system is None:
        system = System(name="checked", kernel=Kernel(image=""), goal=Goal(console=""))
        unseen |= {"machine", "initramfs"}
        printed = booted.kernel.command_line if booted else None
        text = cmdline if cmdline is not None else (printed.text if printed else None)
        if text is None and any(options.get(force) == "y" for force in _FORCED):
            text = options.get("CONFIG_CMDLINE", "")
        if text is None:
            unseen.add("cmdline")
        else:
            system = msgspec.structs.replace(system, cmdline=CommandLine.parse(text))
            if cmdline is not None:
                sources.append(Given("command line", ((1, cmdline),)))
    else:
        arch = arch or system.machine.arch
        info = _image_facts(system, cache)
        options = options or info.config
        pvh_entry = info.pvh_entry is not None if info.numbers else None
        version = version or info.numbers
        if not options:
            options, version = _of_build(system, cache, sources)
        if system.path:
            sources.append(_lines_of(system.path, Path(system.path)))
    recording = Recording(meta=Meta(), lines=(), marks=())
    diagnosis: Diagnosis | None = None
    costs: tuple[Cost, ...] = ()
    if booted is None:
        unseen.add("console")
    else:
        recording, diagnosis, costs = _recording(booted), _diagnosis(booted), tuple(booted.costs)
        sources.append(Given(str(log), tuple((line.number, line.text) for line in recording.lines)))
        version = version or _release(booted)
    return Facts(
        context=Context(
            system=system,
            recording=recording,
            diagnosis=diagnosis,
            config=options,
            kernel_version=version,
            compressors=compress.available(),
            pvh_entry=pvh_entry,
            arch=arch or config_arch or (_arch_of(booted) if booted else ""),
            unseen=frozenset(unseen),
            fragment=not whole,
        ),
        costs=costs,
        sources=tuple(sources),
    )


def _lines_of(name: str, path: Path) -> Given:
    text = path.read_text(encoding="utf-8", errors="replace")
    return Given(name, tuple(enumerate(text.splitlines(), start=1)))


def _of_config(path: Path | None, sources: list[Given]) -> tuple[dict[str, str], tuple[int, ...], str, bool]:
    """Return a configuration's options, the kernel's version, its architecture, and whether it names every option."""
    if path is None:
        return {}, (), "", True
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_MAX_CONFIG_BYTES)
    except OSError as fault:
        raise UserError(f"cannot read {path}: {fault.strerror}", hint=f"ls -l {path}") from fault
    text = head.decode("utf-8", errors="replace")
    options = parse_config(text)
    if size > _MAX_CONFIG_BYTES or not options:
        raise UserError(
            f"{path} is not a kernel configuration: it has no line CONFIG_X=…",
            hint="give the .config of the build, /boot/config-VERSION, or: zcat /proc/config.gz > kernel.config",
        )
    sources.append(Given(str(path), tuple(enumerate(text.splitlines(), start=1))))
    found = _CONFIG_HEAD.search(text)
    version = _version(found)
    whole = found is not None or from_text(text).complete
    return options, version, _config_arch(options, found[1] if found else ""), whole


def _of_build(system: System, cache: Cache, sources: list[Given]) -> tuple[dict[str, str], tuple[int, ...]]:
    """Return configuration and version of the kernel that a system's would be, which is not built for it.

    Nothing where the source or a program is missing here. Raise UserError, KernelBuildError for what cannot be.
    """
    build = system.kernel.build
    if build is None:
        return {}, ()
    try:
        text = KernelBuilder(cache).config(build, system.machine.arch)
    except EnvironmentFault:
        return {}, ()
    sources += [_lines_of(path, Path(path)) for path in build.fragments]
    return parse_config(text), _version(_CONFIG_HEAD.search(text))


def _version(head: re.Match[str] | None) -> tuple[int, ...]:
    return tuple(int(n) for n in head.groups()[1:] if n) if head else ()


def _config_arch(options: dict[str, str], name: str) -> str:
    if options.get("CONFIG_X86_64") == "y":
        return "x86_64"
    if options.get("CONFIG_X86_32") == "y":
        return "i386"
    if options.get("CONFIG_RISCV") == "y":
        return "riscv64" if options.get("CONFIG_64BIT") == "y" else "riscv32"
    for option, arch in (("CONFIG_ARM64", "arm64"), ("CONFIG_ARM", "arm")):
        if options.get(option) == "y":
            return arch
    return _ARCH_OF_CONFIG.get(name, name)


def _of_log(path: Path, number: int | None) -> Boot:
    analysis = analyze(path, keep_lines=True)
    if number is not None:
        return analysis.boot(number)
    found = next((boot for boot in analysis.boots if boot.reached_kernel), None)
    if found is None:
        raise UserError(f"{path}: this log has no kernel messages", hint=f"bootlab analyze {path}")
    return found


def _recording(boot: Boot) -> Recording:
    lines = []
    for line in boot.lines:
        ns = line.get("printk_ns")
        text = str(line.get("text", ""))
        # The core takes the stamp off; what the kernel printed is known by it.
        stamp = f"[{ns // 10**9:5d}.{ns // 1000 % 10**6:06d}] " if isinstance(ns, int) else ""
        number, offset = line.get("number"), line.get("offset_bytes")
        lines.append(
            Line(
                number=number if isinstance(number, int) else 0,
                text=stamp + text,
                offset_bytes=offset if isinstance(offset, int) else 0,
                printk_ns=ns if isinstance(ns, int) else None,
            )
        )
    printed = boot.kernel.command_line
    return Recording(meta=Meta(cmdline=printed.text if printed else ""), lines=tuple(lines), marks=())


def _diagnosis(boot: Boot) -> Diagnosis | None:
    """Make a diagnosis of a log with `initcall_debug`; None without initcalls, which then are not known."""
    calls = boot.kernel.returned_initcalls(printed=True)
    if not calls:
        return None
    recording = _recording(boot)
    return Diagnosis(recording=recording, initcalls=calls, log=tuple(line.text for line in recording.lines))


def _release(boot: Boot) -> tuple[int, ...]:
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", boot.kernel.banner.release) if boot.kernel.banner else None
    return tuple(int(n) for n in found.groups() if n) if found else ()


def _arch_of(boot: Boot) -> str:
    texts = [str(line.get("text", ""))[:512] for line in boot.lines[:2000]]
    return next((arch for arch, shape in _ARCH_OF_LINE if any(shape.search(text) for text in texts)), "")


def _image_facts(system: System, cache: Cache) -> kernelinfo.KernelInfo:
    """Return what the system's kernel image says of itself; nothing where there is no image yet."""
    image = Path(system.kernel.image)
    if not system.kernel.image or not image.is_file():
        return kernelinfo.KernelInfo()
    return kernelinfo.inspect(system.kernel, cache.root, cache.digest(image))
