"""Ask less of the PS/2 controller."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, appeared, either, vanished
from bootlab.techniques.parameter import ParameterTechnique


class I8042Probing(ParameterTechnique):
    """The keyboard controller is slow to talk to, even an emulated one."""

    id = "i8042-probing"
    title = "PS/2 controller probed less"
    stage = "kernel"
    what = "Sets `i8042.noaux`, `i8042.nomux`, `i8042.nopnp` and `i8042.dumbkbd`."
    why = "Each command to the controller is a wait for a status bit; the mouse port alone takes dozens."
    when_not = "There is no such controller, or a PS/2 mouse or keyboard LEDs are used."
    cost = "None where nobody uses the ports."
    risk = Risk(function="no PS/2 mouse; the keyboard's LEDs and repeat rate cannot be set")
    architectures = ("x86_64",)
    proof = "kernel-log"
    sets = (Param("i8042.noaux"), Param("i8042.nomux"), Param("i8042.nopnp"), Param("i8042.dumbkbd"))
    references = ("drivers/input/serio/i8042.c", "Firecracker's default kernel command line")

    def applies(self, context: Context) -> Applies:
        """Yes when the driver found a controller."""
        if answer := self.already(context):
            return answer
        if context.enabled("SERIO_I8042") is False:
            return Applies.no("the kernel has no i8042 driver", "CONFIG_SERIO_I8042 is not set")
        log = KernelLog.of(context)
        if line := log.line(r"i8042: PNP: No PS/2 controller found|i8042: No controller found"):
            return Applies.no("there is no controller", line)
        if line := log.line(r"serio: i8042 (?:KBD|AUX) port|i8042: PNP: PS/2"):
            return Applies.yes("the driver talks to a controller", line)
        return (
            Applies.unknown(log.why_silent()) if log.why_silent() else Applies.no("the driver found nothing", "i8042")
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the mouse port that is gone, or by the driver's own word."""
        return either(
            vanished(before, after, r"serio: i8042 AUX\d? port"),
            appeared(before, after, r"i8042: PNP detection disabled"),
        )
