# SPDX-License-Identifier: MIT
"""Lines of a GPIO chip of this machine, by libgpiod's gpioset. Source: gpioset(1) (Debian: gpiod)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from bootlab.model.real_board import Command
from bootlab.power_switches.switch import PowerSwitchKeys


class Gpiod(PowerSwitchKeys, frozen=True, kw_only=True):
    """A line. `tools`: the version of libgpiod's programs, whose options changed (Debian 12: 1, Debian 13: 2).

    The kernel promises nothing for a line that no program holds; most chips keep the value. Try it before you trust it.
    gpioset sets the line by the request for it (GPIO_V2_GET_LINE_IOCTL), which it makes before it ends.
    """

    switches_while_it_runs: ClassVar[bool] = True

    chip: str
    line: Annotated[int, msgspec.Meta(ge=0, le=1023)]
    active_low: bool = False
    tools: Literal[1, 2] = 2

    def on(self) -> Command:
        """Return the command for on."""
        return self._to(1)

    def off(self) -> Command:
        """Return the command for off."""
        return self._to(0)

    def _to(self, value: int) -> Command:
        low = ("--active-low",) if self.active_low else ()
        if self.tools == 1:
            return ("gpioset", "--mode=exit", *low, self.chip, f"{self.line}={value}")
        return ("gpioset", "--toggle=0", *low, f"--chip={self.chip}", f"{self.line}={value}")
