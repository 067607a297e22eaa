"""Boot without ACPI."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, vanished
from bootlab.techniques.parameter import ParameterTechnique

_INTERPRETER = r"ACPI: Interpreter enabled"


class AcpiOff(ParameterTechnique):
    """No tables, no interpreter, no devices described by firmware."""

    id = "acpi-off"
    title = "ACPI switched off"
    stage = "kernel"
    what = "Sets `acpi=off`."
    why = "The interpreter loads the DSDT, runs every _STA and _INI and walks the whole namespace."
    when_not = "Nearly always on real machines: interrupts, power-off and further processors come from ACPI."
    cost = "The PCI bus is found by the legacy scan."
    risk = Risk(
        function="no power-off, no further processors, no devices that only ACPI describes; the machine may hang"
    )
    architectures = ("x86_64",)
    sets = (Param("acpi", "off"),)
    references = ("arch/x86/kernel/acpi/boot.c: parse_acpi()", "drivers/acpi/bus.c: acpi_init()")

    def applies(self, context: Context) -> Applies:
        """Unknown at best: no log tells whether the machine works without."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(_INTERPRETER):
            return Applies.unknown("ACPI is used; only the check tells whether this machine works without it", line)
        return (
            Applies.unknown(log.why_silent()) if log.why_silent() else Applies.no("ACPI is not used", "no interpreter")
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the interpreter that is not enabled."""
        return vanished(before, after, _INTERPRETER)
