# SPDX-License-Identifier: MIT
"""Buses, ports and firmware tables that are searched for devices."""

from __future__ import annotations

import re

from bootlab.model.change import Change, SetParam
from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.evidence import KernelLog, appeared, differs, either, vanished
from bootlab.techniques.parameter import ParameterRow, ParameterTechnique, Sign

_PORTS = r"Serial: 8250/16550 driver, (\d{1,3}) ports"

_FOUND = re.compile(r"\bttyS(\d{1,2}) at (?:I/O|MMIO)")


class Serial8250Uarts(Technique):
    """The 8250 driver makes a port for every one that there might be."""

    id = "serial-8250-uarts"
    title = "Fewer 8250 serial ports"
    stage = "kernel"
    what = "Sets `8250.nr_uarts=` to the number of ports that the kernel found."
    why = "Each configured port is probed and registered as a device, whether it exists or not."
    when_not = "All configured ports exist, or a plug-in card adds more."
    cost = "Further ports stay unusable until the number is raised."
    risk = Risk(function="a port that is plugged in later stays unusable")
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
            return log.absent("no 8250 driver", "no Serial: line")
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


class PciOff(ParameterTechnique):
    """No bus scan, no resource assignment, no quirks."""

    id = "pci-off"
    title = "PCI switched off"
    what = "Sets `pci=off`."
    why = "The kernel skips scanning the bus, sizing every BAR and running the quirks of each device."
    when_not = "The system needs a PCI device."
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
                f"{devices} devices are found; only the check shows whether one is needed", found.string
            )
        return log.unknown("no line about PCI")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the host bridge that is no longer scanned."""
        return either(
            appeared(before, after, r"PCI: Fatal: No config space access function found"),
            vanished(before, after, r"PCI host bridge to bus"),
        )


_INTERPRETER = r"ACPI: Interpreter enabled"

_STAGGERED = r"ahci\S* .{0,40}: SSS flag set, parallel bus scan disabled"


TECHNIQUES: tuple[Technique, ...] = (
    # The keyboard controller is slow to talk to, even an emulated one.
    ParameterRow(
        id="i8042-probing",
        title="PS/2 controller probed less",
        addresses=("ps2-controller-search",),
        what="Sets `i8042.noaux`, `i8042.nomux`, `i8042.nopnp` and `i8042.dumbkbd`.",
        why=(
            "The kernel waits for a status bit at each command to the controller; the mouse port alone takes dozens of "
            "commands."
        ),
        when_not="There is no such controller, or a PS/2 mouse or keyboard LEDs are used.",
        cost="None if nobody uses the ports.",
        risk=Risk(function="no PS/2 mouse; the keyboard's LEDs and repeat rate cannot be set"),
        architectures=("x86_64",),
        sets=(Param("i8042.noaux"), Param("i8042.nomux"), Param("i8042.nopnp"), Param("i8042.dumbkbd")),
        references=("drivers/input/serio/i8042.c", "Firecracker's default kernel command line"),
        without=(("SERIO_I8042", "the kernel has no i8042 driver"),),
        signs=(
            Sign(
                "no",
                r"i8042: PNP: No PS/2 controller found|i8042: No controller found",
                "there is no controller",
            ),
            Sign("yes", r"serio: i8042 (?:KBD|AUX) port|i8042: PNP: PS/2", "the driver talks to a controller"),
        ),
        otherwise=("the driver found nothing", "i8042"),
        shows=lambda before, after: either(
            vanished(before, after, r"serio: i8042 AUX\d? port"),
            appeared(before, after, r"i8042: PNP detection disabled"),
        ),
    ),
    Serial8250Uarts(),
    PciOff(),
    ParameterRow(
        id="acpi-off",
        ends=("acpi_boot_table_init", "acpi_boot_init", "acpi_early_init", "acpi_subsystem_init", "acpi_init"),
        title="ACPI switched off",
        what="Sets `acpi=off`.",
        why="The ACPI interpreter loads the DSDT, runs every _STA and _INI and walks the whole namespace.",
        when_not="Nearly all real machines need it: interrupts, power-off and further processors come from ACPI.",
        cost="The PCI bus is found by the legacy scan.",
        risk=Risk(
            function=("no power-off, no further processors, no devices that only ACPI describes; the machine may hang")
        ),
        architectures=("x86_64",),
        sets=(Param("acpi", "off"),),
        references=("arch/x86/kernel/acpi/boot.c: parse_acpi()", "drivers/acpi/bus.c: acpi_init()"),
        # No log tells whether the machine works without.
        signs=(
            Sign("unknown", _INTERPRETER, "ACPI is used; only the check shows whether this machine works without it"),
        ),
        otherwise=("ACPI is not used", "no interpreter"),
        shows=("vanishes", _INTERPRETER),
    ),
    ParameterRow(
        id="ahci-all-at-once",
        title="Disks spun up at the same time",
        what="Sets `libahci.ignore_sss=1`.",
        why=(
            "Where the controller asks for staggered spin-up, the kernel probes its ports one after the other, so that "
            "the waits for their links add up."
        ),
        when_not="Several disks with motors share a supply that cannot start them at once.",
        cost="None without disks that turn.",
        risk=Risk(function="the supply must carry all disks that start at the same time"),
        kernels="2.6.34 and later",
        sets=(Param("libahci.ignore_sss", "1"),),
        references=("drivers/ata/ahci.c: ahci_init_one()", "drivers/ata/libahci.c: ignore_sss"),
        without=(("SATA_AHCI", "the kernel has no AHCI driver"),),
        signs=(
            Sign("yes", _STAGGERED, "the ports are probed one after the other"),
            Sign("no", r"ahci \S+: AHCI \d{4}\.\d{4}", "the ports are probed at the same time"),
        ),
        otherwise=("there is no AHCI controller", "no ahci: line"),
        shows=("vanishes", _STAGGERED),
    ),
)
