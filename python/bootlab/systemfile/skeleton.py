# SPDX-License-Identifier: MIT
"""The skeleton of a system file for a system of which only a boot log is at hand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bootlab.logs.log_facts import LogFacts
from bootlab.systemfile.goals import Goals
from bootlab.systemfile.toml_text import quoted

_OPEN = frozenset({"", "x86", "riscv"})
"""Families of processors that the log does not show, or not how wide their words are."""

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
memory_mib = @MEMORY@

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


def skeleton(facts: LogFacts, advised: Sequence[tuple[str, str]] = ()) -> str:
    """Return the text of a system file that loads once its FILL IN lines are true.

    `advised`: commands against the log's largest costs, each with its reason.
    """
    arch = facts.arch if facts.arch in _CONSOLES else ""
    known = f"arch = {quoted(arch)}"
    if not arch and facts.processor_family in _OPEN:
        known = 'arch = "x86_64"                       # FILL IN: the log does not show it'
    elif not arch:
        family = facts.processor_family
        known = f'arch = "x86_64"                       # the log\'s is {family}, which bootlab does not emulate'
    limit = max(180.0, 10 * (facts.first_use_ns or 0) / 1e9)
    values = {
        "@SOURCE@": _comment(facts.source),
        "@NAME@": quoted(re.sub(r"[^a-z0-9]+", "-", facts.machine.lower()).strip("-")[:40] or "from-log"),
        "@ARCH_LINE@": known,
        "@MACHINE@": _comment(facts.machine or "not told"),
        "@MEMORY@": _memory(facts.memory_mib),
        "@RELEASE@": _comment(facts.release or "not told"),
        "@CMDLINE@": quoted(command_line(facts.cmdline, arch or "x86_64")),
        "@GOAL@": quoted(Goals.guessed(None, facts).goal.pattern),
        "@LIMIT@": f"{limit:.1f}",
    }
    text = _SKELETON
    for key, value in values.items():
        text = text.replace(key, value)
    if advised:
        text += "\n# What the log's largest costs ask for, to be tried in this order:\n"
        text += "".join(f"#   {_comment(command)}    {_comment(why)}\n" for command, why in advised)
    return text


def _memory(seen_mib: int) -> str:
    if not seen_mib:
        return "512                      # FILL IN: as much as the system needs"
    # What the kernel counts lacks what the firmware keeps.
    return f"{-(-seen_mib // 64) * 64:<24} # the kernel counts {seen_mib} MiB; the emulator's machine may take less"


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


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:200]
