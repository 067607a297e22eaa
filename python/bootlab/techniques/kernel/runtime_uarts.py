"""Build the kernel with as many 8250 ports as there are."""

from __future__ import annotations

from bootlab.techniques.base import Context, Risk
from bootlab.techniques.option import Options, OptionTechnique, value_of


class RuntimeUarts(OptionTechnique):
    """As `serial-8250-uarts`, in the configuration."""

    id = "runtime-uarts"
    title = "Fewer 8250 serial ports compiled in"
    stage = "kernel"
    what = "Builds with CONFIG_SERIAL_8250_RUNTIME_UARTS=1 (and NR_UARTS=1)."
    why = "The driver sets up every port that the configuration names, and looks for it."
    when_not = "More than one port is used."
    cost = "Further ports stay unusable."
    risk = Risk(function="the second and further serial ports are gone")
    sets = (("SERIAL_8250_NR_UARTS", "1"), ("SERIAL_8250_RUNTIME_UARTS", "1"))
    only_if = ("SERIAL_8250",)
    because = "several ports are set up"
    gone = r"8250/16550 driver, (?:[2-9]|\d\d+) ports"
    references = ("drivers/tty/serial/8250/Kconfig: SERIAL_8250_RUNTIME_UARTS",)

    def pending(self, context: Context) -> Options:
        """Return both options where more than one port is configured."""
        return super().pending(context) if value_of(context, "SERIAL_8250_RUNTIME_UARTS") not in {"0", "1"} else ()
