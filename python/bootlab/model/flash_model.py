# SPDX-License-Identifier: MIT
"""What flash costs on a board that the emulator does not show: wait states, as a model beside what was measured.

The emulator reads flash as fast as RAM. On a board a read that misses the caches waits for the flash. The model counts
cache lines: each line of what is copied or unpacked is read once; of what is executed in place, an instruction now and
then misses the cache, and waits longer than it would for RAM. Data that the kernel reads in flash (its constants) is
not counted: the plugin counts instructions.
"""

from __future__ import annotations

import msgspec


class FlashModel(msgspec.Struct, frozen=True, kw_only=True):
    """The model's parameters; nothing was measured on a board for them.

    The defaults: a NOR flash of 16 bits with pages of 8 words, 90 ns for a page's first word and 25 ns for the others
    (a line of 32 bytes is two pages); SDRAM with 60 ns a line; 10 misses in 1000 instructions of kernel code.
    """

    flash_line_ns: float = 530.0
    ram_line_ns: float = 60.0
    misses_per_1000: float = 10.0
    line_bytes: int = 32

    def text(self) -> str:
        """Name the parameters."""
        return (
            f"{self.flash_line_ns:g} ns a line of {self.line_bytes} bytes from flash, {self.ram_line_ns:g} from RAM, "
            f"{self.misses_per_1000:g} instruction-cache misses in 1000 instructions"
        )

    def read_ns(self, count_bytes: int) -> int:
        """Return what reading so many bytes of flash once takes, as a loader that copies or unpacks them does."""
        return round(count_bytes / self.line_bytes * self.flash_line_ns)

    def executed_ns(self, instructions: int) -> int:
        """Return what instructions executed in flash take longer than in RAM."""
        return round(instructions * self.misses_per_1000 / 1000 * (self.flash_line_ns - self.ram_line_ns))
