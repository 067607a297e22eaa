"""Start the virtual machine with qboot instead of SeaBIOS."""

from __future__ import annotations

from bootlab.model.change import Change, SetMachine
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import differs, either, quote

_DMI_BIOS = r"\bDMI: .*, BIOS (.*)"


class FirmwareQboot(Technique):
    """A firmware that does what a virtual machine needs and no more."""

    id = "firmware-qboot"
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
    proof = "kernel-log"
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
