"""Boot on QEMU's microvm machine instead of a PC."""

from __future__ import annotations

from bootlab.model.change import Change, SetMachine
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.evidence import either, vanished

_PC_IN_DMI = r"DMI: QEMU Standard PC"
_PCI_ROOT = r"ACPI: PCI Root Bridge|PCI: Using configuration type"


class FirmwareMicrovm(Technique):
    """A machine without PCI, made for small guests."""

    id = "firmware-microvm"
    title = "QEMU's microvm machine"
    stage = "firmware"
    what = "Sets the machine type to microvm (with its RTC) instead of a PC."
    why = "Neither firmware nor kernel has to set up a PCI bus, an i8042, VGA or a chipset: there are none."
    when_not = "Anything in the guest needs PCI. Disks and network must be virtio-mmio."
    cost = "Device options must be rewritten for virtio-mmio."
    risk = Risk(function="no PCI, no PS/2 controller, no hot-plug, at most eight virtio-mmio devices")
    architectures = ("x86_64",)
    conflicts = ("firmware-qboot",)
    rests_on = ("machine",)
    references = ("QEMU manual: 'microvm' virtual platform", "arch/x86/pci/init.c")

    def applies(self, context: Context) -> Applies:
        """Yes on a PC of QEMU that has no PCI device of its own."""
        machine = context.system.machine
        if context.system.target != "qemu":
            return Applies.no("the machine type can only be chosen under QEMU", f"target = {context.system.target}")
        if machine.type.startswith("microvm"):
            return Applies.no("it is a microvm already", f"machine.type = {machine.type}")
        pci = [d for d in machine.devices if "-pci" in d or d.startswith(("e1000", "nvme", "ahci", "usb-", "VGA"))]
        if pci:
            return Applies.no("a device needs PCI, which a microvm has not", f"machine.devices: {pci[0]}")
        if machine.disks:
            return Applies.unknown(
                "disks must be attached as virtio-blk-device there", f"machine.disks: {machine.disks[0]}"
            )
        return Applies.yes("no device needs PCI", f"machine.type = {machine.type}")

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002
        """Propose the machine type. The RTC stays: kernels wait for one that is not there."""
        return (Change(technique=self.id, ops=(SetMachine(type="microvm", firmware="default", options=("rtc=on",)),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the PC or the PCI host bridge that the kernel no longer finds."""
        return either(vanished(before, after, _PC_IN_DMI), vanished(before, after, _PCI_ROOT))
