# SPDX-License-Identifier: MIT
"""What runs before a PC's kernel: the virtual machine's firmware, and the set-up code that asks it."""

from __future__ import annotations

from bootlab.model.change import Change, SetMachine
from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import differs, either, quote, vanished
from bootlab.techniques.parameter import ParameterTechnique

_PROBING = "Probing EDD"


class EddOff(ParameterTechnique):
    """Skip BIOS Enhanced Disk Drive services."""

    id = "edd-off"
    ends = ("kernel set-up",)
    title = "Skip the BIOS disk query (EDD)"
    stage = "firmware"
    what = "Sets `edd=off`: the set-up code no longer asks the BIOS for data and boot sectors of disks."
    why = (
        "For each BIOS disk the set-up code makes several BIOS calls and reads a sector, before the kernel is even "
        "unpacked."
    )
    when_not = "The installer or a boot loader tool uses /sys/firmware/edd to find the BIOS's first disk."
    cost = "No /sys/firmware/edd."
    risk = Risk(function=("/sys/firmware/edd is empty: installers cannot use it to find the BIOS's first disk"))
    architectures = ("x86_64",)
    kernels = "2.6.8 and later; `off` on the command line 2.6.19 and later"
    rests_on = ("console",)
    proof = "recording"
    sets = (Param("edd", "off"),)
    references = ("arch/x86/boot/edd.c: query_edd()", "Documentation/admin-guide/kernel-parameters.txt: edd=")

    def applies(self, context: Context) -> Applies:
        """Yes when the set-up code says on the console that it probes."""
        if answer := self.already(context):
            return answer
        if context.enabled("EDD") is False:
            return Applies.no("the kernel has no EDD support", "CONFIG_EDD is not set", options=("EDD",))
        if context.system.kernel.form == "vmlinux":
            return Applies.no("a kernel that is started by PVH has no set-up code in front", "kernel.form = vmlinux")
        if line := context.recording.find(_PROBING):
            return Applies.yes(
                "the set-up code asks the BIOS for its disks", quote(line.text[line.text.find(_PROBING) :])
            )
        if context.system.cmdline.has("quiet"):
            return Applies.unknown("with `quiet` the set-up code does not show whether it probes")
        return Applies.no("the set-up code did not print that it probes", f"no {_PROBING!r} on the console")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the set-up code's line: it is printed unless `quiet`, and only when it probes."""
        line = before.recording.find(_PROBING)
        if line is None:
            return Effect(False, f"no {_PROBING!r} on the console before the change")
        if after.system.cmdline.has("quiet"):
            return Effect(False, "with `quiet` the set-up code prints nothing either way")
        if after.recording.find(_PROBING) is not None or not after.recording.lines:
            return Effect(False, "the set-up code still prints that it probes")
        return Effect(True, f"gone from the console: {quote(line.text[line.text.find(_PROBING) :])[:60]}")


_PC_IN_DMI = r"DMI: QEMU Standard PC"
_PCI_ROOT = r"ACPI: PCI Root Bridge|PCI: Using configuration type"


class FirmwareMicrovm(Technique):
    """A machine without PCI, made for small guests."""

    id = "firmware-microvm"
    ends = ("firmware",)
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


_DMI_BIOS = r"\bDMI: .*, BIOS (.*)"


class FirmwareQboot(Technique):
    """A firmware that does what a virtual machine needs and no more."""

    id = "firmware-qboot"
    ends = ("firmware",)
    title = "qboot as the virtual machine's firmware"
    stage = "firmware"
    what = "Gives QEMU the firmware qboot instead of SeaBIOS."
    why = "SeaBIOS sets up VGA, option ROMs, disks and a boot menu. qboot sets up only PCI, ACPI tables and memory."
    when_not = (
        "The machine boots from a disk, or needs option ROMs (network boot) or BIOS calls after the kernel has started."
    )
    cost = "Another firmware file to maintain. Only for virtual machines that get their kernel from QEMU."
    risk = Risk(debuggability="qboot prints nothing on the serial console")
    architectures = ("x86_64",)
    conflicts = ("firmware-microvm",)
    rests_on = ("machine",)
    published = (
        Published(
            "191.7 ms -> 184.6 ms to the first user instruction (bzImage); 139.5 -> 133.8 ms with PVH",
            "q35 under KVM, 2019",
            "https://stefano-garzarella.github.io/posts/2019-08-24-qemu-linux-boot-time/",
        ),
    )
    references = ("https://github.com/bonzini/qboot", "drivers/firmware/dmi_scan.c")

    def applies(self, context: Context) -> Applies:
        """Yes where SeaBIOS showed itself on the console."""
        machine = context.system.machine
        if context.system.target != "qemu":
            return Applies.no("only QEMU takes its firmware from the command line", f"target = {context.system.target}")
        if machine.firmware == "qboot":
            return Applies.no("qboot is the firmware already", "machine.firmware = qboot")
        if machine.type.startswith("microvm"):
            return Applies.no("a microvm has qboot already", f"machine.type = {machine.type}")
        if machine.disks:
            return Applies.unknown("qboot does not boot from disks; it works as long as the kernel comes from QEMU")
        if line := context.recording.find("SeaBIOS (version"):
            return Applies.yes("SeaBIOS runs before the kernel", quote(line.text))
        return Applies.unknown("no firmware showed itself on the console", f"machine.firmware = {machine.firmware}")

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002
        """Propose the firmware, nothing else."""
        return (Change(technique=self.id, ops=(SetMachine(firmware="qboot"),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by SeaBIOS' banner that is gone, or by the firmware that the kernel found in the DMI tables."""
        banner = before.recording.find("SeaBIOS (version")
        gone = banner is not None and after.recording.find("SeaBIOS (version") is None and after.recording.lines != ()
        by_banner = (
            Effect(True, f"gone from the console: {quote(banner.text)}")
            if banner is not None and gone
            else Effect(False, "SeaBIOS' banner is on both consoles or on neither")
        )
        return either(differs(before, after, _DMI_BIOS), by_banner)


TECHNIQUES = (
    EddOff(),
    FirmwareMicrovm(),
    FirmwareQboot(),
)
