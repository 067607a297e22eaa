"""Boot without PCI."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, appeared, either, vanished
from bootlab.techniques.parameter import ParameterTechnique


class PciOff(ParameterTechnique):
    """No bus scan, no resource assignment, no quirks."""

    id = "pci-off"
    title = "PCI switched off"
    stage = "kernel"
    what = "Sets `pci=off`."
    why = "Scanning the bus, sizing every BAR and running the quirks of each device is skipped."
    when_not = "Any device that the system needs is on PCI."
    cost = "ACPI complains about regions that it cannot reach: more lines on the console."
    risk = Risk(function="no PCI device works")
    architectures = ("x86_64",)
    extends = True
    sets = (Param("pci", "off"),)
    references = ("arch/x86/pci/common.c: pcibios_setup()", "Firecracker's earlier default kernel command line")

    def applies(self, context: Context) -> Applies:
        """Unknown at best: no log tells whether the application needs a device."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(r"PCI: System does not support PCI|PCI: Fatal: No config space access"):
            return Applies.no("there is no PCI to switch off", line)
        if found := log.match(r"PCI host bridge to bus|PCI: Probing PCI hardware"):
            devices = log.count(r"^pci [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d: \[[0-9a-f]{4}:[0-9a-f]{4}\]")
            return Applies.unknown(
                f"{devices} devices are found; only the check tells whether one is needed", found.string
            )
        return Applies.unknown(log.why_silent() or "no line about PCI")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the host bridge that is not scanned any more."""
        return either(
            appeared(before, after, r"PCI: Fatal: No config space access function found"),
            vanished(before, after, r"PCI host bridge to bus"),
        )
