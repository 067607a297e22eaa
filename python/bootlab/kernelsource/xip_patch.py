# SPDX-License-Identifier: MIT
"""Partial execute-in-place on ARM: a patch that has chosen functions of a kernel in flash run from RAM.

An XIP kernel copies its variables to RAM before anything else (`__mmap_switched`). The patch puts the chosen functions
in front of the variables, so that the same copy takes them along; makes what was copied visible to instruction fetches;
and maps the variables as executable, which they are not in an XIP kernel. Calls between both reach: flash is mapped at
most 16 MiB below the RAM, and a branch reaches 32 MiB.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

from bootlab.errors import UserError

SCRIPT = "arch/arm/kernel/vmlinux-xip.lds.S"
START = "arch/arm/kernel/head-common.S"
MAPPING = "arch/arm/mm/mmu.c"
FILES = (SCRIPT, START, MAPPING)
"""What is patched."""

VARIABLES = (("KCFLAGS", "-ffunction-sections"),)
"""What each function gets a section of its own by, which the linker can place."""

PLACED = ".ram.text"
"""The output section of functions that run in RAM."""

FIRST, LAST = "_sdata", "_ramtext_end"
"""Symbols at its first byte and behind its last."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_HEAD = "\t. = XIP_VIRT_ADDR(CONFIG_XIP_PHYS_ADDR);\n"
_INCLUDES = "OUTPUT_ARCH(arm)\n"
_EACH_ITS_SECTION = "#undef TEXT_MAIN\n#define TEXT_MAIN .text .text.[0-9a-zA-Z_]*\n\n"
_RAM = "\t. = PAGE_OFFSET + TEXT_OFFSET;\t/* location in memory */\n"
_SDATA = "\t. = ALIGN(THREAD_SIZE);\n\t_sdata = .;\n"
_COPY = "\tbl\t__memcpy\t\t\t@ copy .data to RAM\n"
_COHERENT = """\tldr\tr0, =_sdata
\tldr\tr1, =_ramtext_end
\tbl\tv7_coherent_kern_range\t\t@ code came as data
"""
_MAPPED = "\tmap.length = kernel_nx_end - kernel_nx_start;\n\tmap.type = MT_MEMORY_RW;\n"


def xip_patch(sources: Mapping[str, str], functions: Iterable[str]) -> str:
    """Return the patch for the texts of FILES by name. Raise UserError where they are not as in Linux 6.1.

    A name that is no C function of its own section (assembler, `__sched`) stays where it is, without a word.
    """
    names = sorted(name for name in set(functions) if _NAME.fullmatch(name))
    listed = "".join(f"\t\t*(.text.{name})\n" for name in names)
    placed = (
        "\t/* Functions that run in RAM: copied there with the variables, which follow them. */\n"
        f"\t{PLACED} (PAGE_OFFSET + TEXT_OFFSET) : AT(__data_loc) {{\n\t\t_sdata = .;\n{listed}"
        "\t\t. = ALIGN(4);\n\t\t_ramtext_end = .;\n\t}\n"
    )
    changes = (
        (SCRIPT, _INCLUDES, _EACH_ITS_SECTION + _INCLUDES),
        (SCRIPT, _HEAD, placed + _HEAD),
        (SCRIPT, _RAM, _RAM.replace("TEXT_OFFSET;", f"TEXT_OFFSET + SIZEOF({PLACED});")),
        (SCRIPT, _SDATA, "\t. = ALIGN(THREAD_SIZE);\n"),
        (START, _COPY, _COPY + _COHERENT),
        (MAPPING, _MAPPED, _MAPPED.replace("MEMORY_RW;", "MEMORY_RWX;")),
    )
    mended = dict(sources)
    for name, old, new in changes:
        mended[name] = _replaced(name, mended[name], old, new)
    return "".join(_diff(name, sources[name], mended[name]) for name in FILES)


def _replaced(name: str, text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise UserError(
            f"{name} is not as in Linux 6.1: it has no line {old.strip()!r}",
            hint='[kernel] source = "debian" is 6.1 on Debian 12',
        )
    return text.replace(old, new)


def _diff(name: str, old: str, new: str) -> str:
    return "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{name}", f"b/{name}"))
