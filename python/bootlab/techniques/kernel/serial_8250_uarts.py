"""Set up only the serial ports that the board has."""

from __future__ import annotations

import re

from bootlab.model.change import Change, SetParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Technique
from bootlab.techniques.evidence import KernelLog, differs

_PORTS = r"Serial: 8250/16550 driver, (\d{1,3}) ports"
_FOUND = re.compile(r"\bttyS(\d{1,2}) at (?:I/O|MMIO)")


class Serial8250Uarts(Technique):
    """The 8250 driver makes a port for every one that there might be."""

    id = "serial-8250-uarts"
    title = "Fewer 8250 serial ports"
    stage = "kernel"
    what = "Sets `8250.nr_uarts=` to the number of ports that the kernel found."
    why = "Each configured port is probed and registered as a device, whether it is there or not."
    when_not = "All configured ports exist, or more of them come with a plug-in card."
    cost = "Further ports stay unusable until the number is raised."
    proof = "kernel-log"
    references = ("drivers/tty/serial/8250/8250_core.c: nr_uarts", "Firecracker's default kernel command line")

    def _wanted(self, context: Context) -> int:
        numbers = [int(m[1]) for line in KernelLog.of(context).lines if (m := _FOUND.search(line))]
        consoles = (
            re.fullmatch(r"ttyS(\d{1,2})(?:,.*)?", p.value or "") for p in context.system.cmdline.all("console")
        )
        return max([*numbers, *(int(m[1]) for m in consoles if m), 0]) + 1

    def applies(self, context: Context) -> Applies:
        """Yes when the driver sets up more ports than were found."""
        log = KernelLog.of(context)
        found = log.match(_PORTS)
        if found is None:
            return (
                Applies.unknown(log.why_silent())
                if log.why_silent()
                else Applies.no("no 8250 driver", "no Serial: line")
            )
        wanted = self._wanted(context)
        if int(found[1]) > wanted:
            return Applies.yes(f"{found[1]} ports are set up and the last one in use is number {wanted}", found.string)
        return Applies.no("every port that is set up is there", found.string)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the number in use. Never 0: that takes the console away."""
        return (Change(technique=self.id, ops=(SetParam("8250.nr_uarts", str(self._wanted(context))),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the number that the driver prints."""
        return differs(before, after, _PORTS)
