# SPDX-License-Identifier: MIT
"""What one boot of a log tells of the system that it is of: everything comes from the core, nothing is read again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.logs.analysis import Analysis, analyze
from bootlab.logs.boot import LogBoot

if TYPE_CHECKING:
    from bootlab.logs.user import UserLine

_EMULATED = {"x86_64": "x86_64", "i386": "i386", "arm": "arm", "arm64": "arm64", "riscv64": "riscv64"}


class LogFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One boot of a log. `source`: the log's name; `user`: what programs printed, in the order of their lines."""

    source: str
    boot: LogBoot
    user: tuple[UserLine, ...] = ()

    @property
    def release(self) -> str:
        """Return the kernel's release; "" where the log does not show it."""
        banner = self.boot.kernel.banner
        return banner.release if banner is not None else ""

    @property
    def kernel_version(self) -> tuple[int, ...]:
        """Return the numbers of the kernel's version, (6, 1, 192); empty where the log does not show them."""
        banner = self.boot.kernel.banner
        return tuple(banner.numbers) if banner is not None else ()

    @property
    def cmdline(self) -> str:
        """Return the kernel command line as printed; "" where the log does not show it."""
        line = self.boot.kernel.command_line
        return line.text if line is not None else ""

    @property
    def machine(self) -> str:
        """Return the machine's name; "" where the log does not show it."""
        return self.boot.kernel.machine or ""

    @property
    def processor_family(self) -> str:
        """Return the architecture by the kernel's name, `mips` too; "" where the log does not show it."""
        found = self.boot.kernel.architecture
        return found.name if found is not None else ""

    @property
    def arch(self) -> str:
        """Return the architecture as `machine.arch` names it; "" for others and where the log leaves the width open."""
        return _EMULATED.get(self.processor_family, "")

    @property
    def memory_mib(self) -> int:
        """Return the memory that the kernel counts, MiB; 0 where the log does not show it."""
        memory = self.boot.kernel.hardware.memory
        return (memory.total_kib or 0) >> 10 if memory is not None else 0

    @property
    def first_use_ns(self) -> int | None:
        """Return when the system could be used first, on the boot's axis; None where the log does not show it."""
        use = self.boot.stage("first-use")
        return use.ns if use is not None else None


def of_analysis(analysis: Analysis, number: int | None = None) -> LogFacts:
    """Return the facts of a boot, counted from 1; without a number of the one that :meth:`Analysis.main` chooses.

    `user` is empty where the lines were not kept. Raise UserError where there is no such boot.
    """
    boot = analysis.main(number)
    return LogFacts(source=analysis.name, boot=boot, user=analysis.user_lines(boot.number))


def read(path: Path, number: int | None = None) -> LogFacts:
    """Return the facts of one boot of a log of any kind. Raise UserError where there is none in it."""
    return of_analysis(analyze(path, keep_lines=True), number)
