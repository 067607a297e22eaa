"""The skeleton of a system file for a system of which only a boot log is at hand."""

from __future__ import annotations

import re

import msgspec

from bootlab.systemfile.toml_text import quoted

_ARCHES = (
    ("aarch64", "arm64"), ("AArch64", "arm64"), ("arm64", "arm64"), ("riscv64", "riscv64"), ("rv64", "riscv64"),
    ("arm-", "arm"), ("armv7", "arm"), ("ARMv", "arm"), ("ARM926", "arm"), ("x86_64", "x86_64"), ("amd64", "x86_64"),
    ("x86/fpu", "x86_64"),
)  # fmt: skip
_FOREIGN = (("MIPS", "MIPS"), ("mips", "MIPS"), ("PowerPC", "PowerPC"), ("powerpc", "PowerPC"), ("s390", "s390"))
"""Processors that bootlab has no emulator for."""
_ACTIVATE = "Please press Enter to activate this console"
_CONSOLES = {"x86_64": "ttyS0", "arm": "ttyAMA0", "arm64": "ttyAMA0", "riscv64": "ttyS0"}

_SKELETON = """\
# Skeleton of a system, made from @SOURCE@. What the log does not show is marked FILL IN.
# Then:  bootlab check THIS-FILE    bootlab boot THIS-FILE    bootlab try THIS-FILE TECHNIQUE

name = @NAME@
target = "qemu"

[machine]
@ARCH_LINE@
# The log's machine: @MACHINE@.
# The emulator has another one: what firmware and drivers of that board take is not seen here.
memory_mib = 512                      # FILL IN: as much as the system needs

[clock]
mode = "exact"

[kernel]
image = "kernel"                      # FILL IN: the kernel image; the log's kernel is @RELEASE@
# config = "config"                   # its configuration, for what `bootlab check` can say
# The log's command line, with the emulator's console:
cmdline = @CMDLINE@

[initramfs]
archive = "initramfs.cpio"            # FILL IN: the root file system, or dir = "rootfs/"

# First available use.
[goal]
console = @GOAL@
name = "ready"

# What must still work in a faster system.
[check]
console = [@GOAL@]

[limits]
wall_s = @LIMIT@
"""


class LogFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a log tells of the system that it is of. `hints`: texts that may name the architecture."""

    source: str
    release: str = ""
    machine: str = ""
    cmdline: str = ""
    hints: tuple[str, ...] = ()
    prompt: str = ""
    first_use_ns: int | None = None
    advised: tuple[tuple[str, str], ...] = ()


def skeleton(facts: LogFacts) -> str:
    """Return the text of a system file that loads once its FILL IN lines are true."""
    arch = architecture(facts.hints)
    foreign = "" if arch else next((name for hint in facts.hints for part, name in _FOREIGN if part in hint), "")
    known = 'arch = "x86_64"                       # FILL IN: the log does not show it'
    if arch:
        known = f"arch = {quoted(arch)}"
    elif foreign:
        known = f'arch = "x86_64"                       # the log\'s is {foreign}, which bootlab does not emulate'
    limit = max(180.0, 10 * (facts.first_use_ns or 0) / 1e9)
    values = {
        "@SOURCE@": _comment(facts.source),
        "@NAME@": quoted(re.sub(r"[^a-z0-9]+", "-", facts.machine.lower()).strip("-")[:40] or "from-log"),
        "@ARCH_LINE@": known,
        "@MACHINE@": _comment(facts.machine or "not told"),
        "@RELEASE@": _comment(facts.release or "not told"),
        "@CMDLINE@": quoted(command_line(facts.cmdline, arch or "x86_64")),
        "@GOAL@": quoted(goal(facts.prompt)),
        "@LIMIT@": f"{limit:.1f}",
    }
    text = _SKELETON
    for key, value in values.items():
        text = text.replace(key, value)
    if facts.advised:
        text += "\n# What the log's largest costs ask for, to be tried in this order:\n"
        text += "".join(f"#   {_comment(command)}    {_comment(why)}\n" for command, why in facts.advised)
    return text


def architecture(hints: tuple[str, ...]) -> str:
    """Return the architecture that compilers, releases and machines of a log name, or nothing."""
    for hint in hints:
        for part, arch in _ARCHES:
            if part in hint:
                return arch
    return ""


def command_line(given: str, arch: str) -> str:
    """Keep what the system was told, without what names its disk, its memory or its console."""
    gone = (
        "console=", "earlycon", "earlyprintk", "root=", "rootfstype=", "rootwait", "rootdelay=", "mtdparts=",
        "ubi.mtd=", "BOOT_IMAGE=", "initrd=", "mem=", "resume=", "uboot", "ro", "rw", "cma=",
    )  # fmt: skip
    kept = [
        word
        for word in given.split()
        if not any(word == name or (word.startswith(name) and len(name) > 2) for name in gone)
    ]
    return " ".join([f"console={_CONSOLES[arch]},115200", "panic=-1", *kept])


def goal(prompt: str) -> str:
    """Return a pattern for the prompt that the log shows."""
    text = prompt.strip()
    if " login" in text:
        return "login:"
    if _ACTIVATE in text:
        # What other programs print runs into this line.
        return _ACTIVATE
    if "@" in text and re.search(r"[#$]", text):
        # A shell's prompt without what was typed behind it.
        text = re.split(r"(?<=[#$])", text, maxsplit=1)[0]
    return re.sub(r"\\([ #])", r"\1", re.escape(text[:60])) if text else "login:"


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:200]
