# SPDX-License-Identifier: MIT
"""The emulated machine, and how time runs on it: the keys of `[machine]` and `[clock]`, each described at its field."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from bootlab.model.architecture import ARCHITECTURES, Arch, Architecture
from bootlab.model.key import Range, key
from bootlab.model.processors import DEFAULT_QUANTUM_NS, QUANTUM_RANGE_NS, ProcessorMode

Mode = Literal["exact", "free"]
Firmware = Literal["seabios", "qboot", "default"]
DiskBus = Literal["pci", "mmio"]

# QEMU's hw/arm/vexpress.c, versatilepb.c: boards that are what they are because of their core.
_ONE_CPU = {
    "vexpress-a9": "cortex-a9",
    "vexpress-a15": "cortex-a15",
    "versatilepb": "arm926",
    "sabrelite": "cortex-a9",
    "mcimx6ul-evk": "cortex-a7",
    "mcimx7d-sabre": "cortex-a7",
    "orangepi-pc": "cortex-a7",
    "bpim2u": "cortex-a7",
    "cubieboard": "cortex-a8",
    "raspi0": "arm1176",
    "raspi1ap": "arm1176",
    "raspi2b": "cortex-a7",
    "raspi3b": "cortex-a53",
    "raspi4b": "cortex-a72",
    "xilinx-zynq-a9": "cortex-a9",
    "xlnx-zcu102": "cortex-a53",
    "imx8mp-evk": "cortex-a53",
}


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """The emulated machine (QEMU's words).

    `type` and `cpu` left empty become the architecture's usual ones.
    """

    arch: Annotated[Arch, key("the architecture; it selects the emulator and the defaults of `type` and `cpu`")] = (
        "x86_64"
    )
    type: Annotated[str, key("`-machine`; else `q35` (x86_64) or `virt` (arm, arm64, riscv64)")] = ""
    cpu: Annotated[
        str,
        key(
            "`-cpu`; else `max` (x86_64), `cortex-a15` (arm; a board's own core on boards that have one), "
            "`cortex-a72` (arm64), `rv64` (riscv64). In exact mode `max` of x86_64 gets `rdrand=off,rdseed=off`; "
            "under KVM the usual core of the other architectures becomes `host`"
        ),
    ] = ""
    memory_mib: Annotated[int, key("memory, MiB; 1 to 1048576", within=Range(1, 1 << 20, "memory in MiB: 256"))] = 256
    cpus: Annotated[
        int,
        key(
            "`-smp`; in exact mode more than 1 needs QEMU 10, and `clock.processors` says how their time is counted",
            within=Range(1, 255),
        ),
    ] = 1
    firmware: Annotated[
        Firmware, key("`default` is the machine type's own. `seabios` and `qboot` are for x86_64 only")
    ] = "default"
    options: Annotated[tuple[str, ...], key("appended to `-machine TYPE,…`")] = ()
    devices: Annotated[tuple[str, ...], key("each becomes `-device …`")] = ()
    disks: Annotated[tuple[str, ...], key("disk image files; each becomes `-drive …`, a virtio disk", files=True)] = ()
    disk_bus: Annotated[
        DiskBus | None,
        key(
            "how the disks are attached: virtio behind `pci` or `mmio`. Left out: `mmio` on the vexpress boards "
            "and `microvm`, which have no PCI, else `pci`"
        ),
    ] = None
    flash: Annotated[
        tuple[str, ...],
        key(
            "images of the parallel flash banks, in order, each with the size that QEMU expects (64 MiB on "
            "vexpress-a9 and ARM's virt, 32 MiB on RISC-V's); empty text leaves a bank without an image. Changes "
            "are discarded",
            files=True,
        ),
    ] = ()
    sd: Annotated[
        str | None,
        key(
            "image of the SD card; its size must be a power of two. It goes into the board's slot; on q35 and virt,"
            " which have none, behind `sdhci-pci`. Changes are discarded",
            files=True,
        ),
    ] = None
    pmem: Annotated[
        tuple[str, ...],
        key(
            "images of NVDIMMs (x86_64), as `/dev/pmem0` and so on; raw, a multiple of 2 MiB. Changes are discarded",
            files=True,
        ),
    ] = ()
    dtb: Annotated[
        str | None,
        key(
            "the device tree blob, for boards for which QEMU generates none (vexpress-a9). It belongs to the board:"
            " another kernel gets the same one",
            files=True,
        ),
    ] = None
    console_port: Annotated[
        int,
        key(
            "the serial port that the console is read from, counted from 0 (1 on sabrelite, whose kernel prints on "
            "`ttymxc1`)",
            within=Range(0, 7),
        ),
    ] = 0
    console_baud: Annotated[
        int,
        key(
            "free mode: the serial port is read at this many bits a second, ten for a character, so that the guest "
            "waits for its console as on a board (up to 4,000,000; 0: no waiting). See [what a console "
            "costs](../explanation/console-cost.md)",
            within=Range(0, 4_000_000, "bits per second: 115200; 0: as fast as possible"),
        ),
    ] = 0
    smbios: Annotated[
        tuple[str, ...],
        key(
            "each becomes `-smbios …`: what DMI says of the machine (x86_64, arm64). The board's names, by which "
            "quirks of the kernel go: `type=1,manufacturer=ACME,product=Box`. A credential of systemd: "
            "`type=11,value=io.systemd.credential:NAME=VALUE`"
        ),
    ] = ()
    picture: Annotated[
        str | None,
        key(
            "exact mode: a picture (PPM, `P6`) that the machine's screen is compared with, each millisecond. When the "
            "screen first shows it (in the middle, where it is smaller), the console gets the line `bootlab: picture "
            "shown`, which a goal or a mark can wait for. See [a first picture](../how-to/measure-a-first-picture.md)",
            files=True,
        ),
    ] = None
    extra: Annotated[tuple[str, ...], key("further QEMU arguments, passed on unchanged after all others")] = ()
    emulator: Annotated[
        str | None, key("the QEMU binary; left out: the first `qemu-system-…` of the architecture in PATH", files=True)
    ] = None

    def __post_init__(self) -> None:
        """Fill in what the architecture usually has."""
        if not self.type:
            msgspec.structs.force_setattr(self, "type", self.architecture.machine_type)
        if not self.cpu:
            msgspec.structs.force_setattr(self, "cpu", _ONE_CPU.get(self.type, self.architecture.cpu))

    @property
    def architecture(self) -> Architecture:
        """The architecture's facts."""
        return ARCHITECTURES[self.arch]

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that the machine reads, whose contents are part of the boot."""
        return tuple(f for f in (*self.disks, *self.flash, self.sd, *self.pmem, self.dtb) if f)


class Clockwork(msgspec.Struct, frozen=True, kw_only=True):
    """How time runs. `exact`: one instruction takes 2**shift ns. `free`: the host's clock; `accel` says by what."""

    mode: Annotated[Mode, key("`exact`: one instruction takes 2^shift ns. `free`: the host's clock")] = "exact"
    shift: Annotated[
        int,
        key(
            "exact mode: 0 to 10; 1 makes a machine of 500 million instructions a second",
            within=Range(0, 10, "one instruction takes 2**shift ns; 1 is usual"),
        ),
    ] = 1
    rtc_base: Annotated[str, key("exact mode: what the guest's clock shows at power-on, UTC, without zone")] = (
        "2026-01-01T00:00:00"
    )
    accel: Annotated[
        Literal["auto", "tcg", "kvm"],
        key("free mode: `auto`, `tcg` or `kvm`. `auto` uses KVM only if a small test guest ran on it"),
    ] = "auto"
    seed: Annotated[
        int,
        key(
            "exact mode: seed of the random numbers that the emulator gives to the guest, 0 or more",
            within=Range(0, 2**64 - 1, "any number: another one gives other random numbers"),
        ),
    ] = 1
    processors: Annotated[
        ProcessorMode,
        key(
            "exact mode, more than one processor: `parallel`: each has a time of its own. `shared`: virtual time is"
            " the sum of what all of them execute. See [several processors](../explanation/processors.md)"
        ),
    ] = "parallel"
    quantum_ns: Annotated[
        int,
        key(
            "exact mode, `parallel`: how far the processors' times may be apart, 100 to 1000000000 ns",
            within=Range(*QUANTUM_RANGE_NS, "nanoseconds; 5000 is usual"),
        ),
    ] = DEFAULT_QUANTUM_NS
