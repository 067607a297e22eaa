# SPDX-License-Identifier: MIT
"""Which machine the lines come from, and whether it is a board at all: an emulator's times are nobody's."""

from __future__ import annotations

import re

import msgspec

from bootlab.costs.calibration.lines import PrintedLines
from bootlab.errors import UserError
from bootlab.model.architecture import ARCHITECTURES, Arch

_TRANSLATED_CYCLES = 40
"""Cycles that an instruction takes more the first time it runs where it is translated first.

QEMU takes 300 and more; a processor fetches a line of eight instructions or more from memory in 150 at most.
"""
_EMULATOR = re.compile("TCG|QEMU|dummy-virt|Bochs")
_NAMES = ("hypervisor", "processor", "model", "compatible", "hypervisor_node", "vendor", "product", "xen")


class MeasuredMachine(msgspec.Struct, frozen=True, kw_only=True):
    """The machine. `emulated`: why its times are no board's; `virtual`: which hypervisor it runs under."""

    arch: Arch
    title: str
    emulated: str = ""
    virtual: str = ""
    tested: bool = True
    """Whether the program could look how long new code takes."""

    @property
    def warning(self) -> str:
        """What has to stand beside each of its figures, or an empty text."""
        if self.emulated:
            return f"from an emulator, no board's: {self.emulated}"
        said = [f"measured in a virtual machine ({self.virtual})"] if self.virtual else []
        said += [] if self.tested else ["whether an emulator ran it could not be tested"]
        return "; ".join(said)


def machine_of(lines: PrintedLines) -> MeasuredMachine:
    """Return the machine of a run. Raise UserError for one that says of no architecture, or of one not known."""
    rows = lines.all("machine")
    named = rows[0].values.get("machine", "") if rows else ""
    pointer = rows[0].number("pointer") if rows else 0
    arch = next((one.name for one in ARCHITECTURES.values() if named in one.host_names), None)
    if pointer == 4 and named in {"aarch64", "armv8l"}:
        arch = "arm"
    if arch is None:
        raise UserError(
            f"the lines name no machine that bootlab knows ({named[:40] or 'the line is missing'})",
            hint=f"known: {', '.join(ARCHITECTURES)}",
        )
    words = [lines.says(key) for key in ("processor", "model", "hardware", "product")]
    part = lines.says("part")
    title = ", ".join(dict.fromkeys(word for word in (*words, part and f"CPU part {part}") if word))
    return MeasuredMachine(
        arch=arch,
        title=(title or named)[:200],
        emulated=_emulated(lines),
        virtual=_virtual(lines),
        tested=lines.one("fresh_code") is not None,
    )


def _emulated(lines: PrintedLines) -> str:
    """Say what shows an emulator. One that is emulated as a real board names itself after it: its code tells."""
    fresh = lines.one("fresh_code")
    if fresh is not None:
        more_ps = fresh.number("first") - fresh.number("again")
        cycle_ps = min((row.number("least") for row in lines.all("add_chain")), default=0) or 1000
        if more_ps > _TRANSLATED_CYCLES * cycle_ps:
            return f"new code takes {more_ps / 1e3:.0f} ns more an instruction than when it runs again"
    keys = ("hypervisor", "processor") if fresh is not None else _NAMES
    said = (lines.says(key) for key in keys)
    return next((f"it says of itself: {words[:80]}" for words in said if _EMULATOR.search(words)), "")


def _virtual(lines: PrintedLines) -> str:
    said = [lines.says("hypervisor"), *(words for key in _NAMES if _EMULATOR.search(words := lines.says(key)))]
    return next((words[:60] for words in said if words), "")
