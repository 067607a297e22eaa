# SPDX-License-Identifier: MIT
"""What was given to look at, brought into the form that techniques ask: a context without a boot."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bootlab.advice.finding import EvidencePlace
from bootlab.builders import compress, kernelinfo
from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import KernelBuilder
from bootlab.errors import EnvironmentFault, UserError
from bootlab.kernelsource.configuration import from_text, parse_config
from bootlab.logs import log_facts
from bootlab.logs.boot import LogBoot
from bootlab.logs.costs import Cost
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Diagnosis, Line, Meta, Recording
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.techniques.base import Context, Source

_CONFIG_HEAD = re.compile(r"^# Linux/(\w+) (\d+)\.(\d+)(?:\.(\d+))?\S* Kernel Configuration", re.MULTILINE)
_MAX_CONFIG_BYTES = 16 << 20
# arch/x86/Kconfig: CMDLINE_OVERRIDE; arch/arm, arch/arm64, arch/riscv: CMDLINE_FORCE.
_FORCED = ("CONFIG_CMDLINE_FORCE", "CONFIG_CMDLINE_OVERRIDE")
_ARCH_OF_CONFIG = {"x86": "x86_64", "i386": "i386", "x86_64": "x86_64", "arm": "arm", "arm64": "arm64"}


class Given(msgspec.Struct, frozen=True):
    """One thing that was given, line by line, so that evidence can be found in it again."""

    file: str
    lines: tuple[tuple[int, str], ...]


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """A context for techniques, what the log says that each costs, and the lines to point at."""

    context: Context
    costs: tuple[Cost, ...] = ()
    sources: tuple[Given, ...] = ()

    def find(self, evidence: str, options: tuple[str, ...] = ()) -> EvidencePlace | None:
        """Return where a piece of evidence stands: its text, else the first option that it is about; None: nowhere."""
        wanted = evidence.strip().removesuffix("…")
        if not wanted:
            return None
        for source in self.sources:
            for number, text in source.lines:
                if wanted in text:
                    return EvidencePlace(source.file, number)
        return self.find(f"CONFIG_{options[0]}") if options else None


def gather(
    cache: Cache,
    *,
    system: SystemDescription | None = None,
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
    booted = log_facts.read(log, boot) if log is not None else None
    unseen: set[Source] = set()
    pvh_entry: bool | None = None
    if system is None:
        system = SystemDescription(name="checked", kernel=Kernel(image=""), goal=Goal(console=""))
        unseen |= {"machine", "initramfs"}
        printed = booted.boot.kernel.command_line if booted else None
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
        recording, diagnosis, costs = _recording(booted.boot), _diagnosis(booted.boot), tuple(booted.boot.costs)
        sources.append(Given(str(log), tuple((line.number, line.text) for line in recording.lines)))
        version = version or booted.kernel_version
    return Facts(
        context=Context(
            system=system,
            recording=recording,
            diagnosis=diagnosis,
            config=options,
            kernel_version=version,
            compressors=compress.available(),
            pvh_entry=pvh_entry,
            arch=arch or config_arch or (booted.arch if booted else ""),
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


def _of_build(system: SystemDescription, cache: Cache, sources: list[Given]) -> tuple[dict[str, str], tuple[int, ...]]:
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


def _recording(boot: LogBoot) -> Recording:
    lines = []
    for line in boot.lines:
        ns = line.printk_ns
        # The core takes the stamp off; what the kernel printed is known by it.
        stamp = f"[{ns // 10**9:5d}.{ns // 1000 % 10**6:06d}] " if ns is not None else ""
        lines.append(Line(number=line.number, text=stamp + line.text, offset_bytes=line.offset_bytes, printk_ns=ns))
    printed = boot.kernel.command_line
    return Recording(meta=Meta(cmdline=printed.text if printed else ""), lines=tuple(lines), marks=())


def _diagnosis(boot: LogBoot) -> Diagnosis | None:
    """Make a diagnosis of a log with `initcall_debug`; None without initcalls, which then are not known."""
    calls = boot.kernel.returned_initcalls(printed=True)
    if not calls:
        return None
    recording = _recording(boot)
    return Diagnosis(recording=recording, initcalls=calls, log=tuple(line.text for line in recording.lines))


def _image_facts(system: SystemDescription, cache: Cache) -> kernelinfo.KernelInfo:
    """Return what the system's kernel image says of itself; nothing where there is no image yet."""
    image = Path(system.kernel.image)
    if not system.kernel.image or not image.is_file():
        return kernelinfo.KernelInfo()
    return kernelinfo.inspect(system.kernel, cache.root, cache.digest(image))
