# SPDX-License-Identifier: MIT
"""Which of QEMU's machines models a board, by its device tree's `compatible`; and the next best where none does.

Facts of the machines: QEMU's hw/arm and hw/riscv; names of ports and cards: the kernel's device trees of the boards.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.architecture import Arch
from bootlab.sources.drivers import Driver

Match = Literal["board", "family", "architecture"]


class Port(msgspec.Struct, frozen=True):
    """A serial port: its address in the chip's device tree, and how the kernel's name of it begins."""

    address: int
    name: str


class QemuBoard(msgspec.Struct, frozen=True, kw_only=True):
    """A machine of QEMU's and the boards that it models.

    `compatible`: of the board itself; `family`: of its chip, for boards that are alike (the first machine of a chip
    is its next best). `port`: the kernel's name of the serial port; `console_port`: that port's number among QEMU's;
    `driver`: the option of its console driver. `ports`: all of them, in QEMU's order, for device trees that name
    another (sources/console_port.py). `card`: the drivers of the card's slot; `card_name`: the kernel's name of the
    card. `memory_mib`: what the machine must have (one number) or may have at most. `since`: the first QEMU that has
    it, `until`: the last one, `gone`: one that was found without it, where the last one is not known ("": no such
    limit). `processors`: how many it has at most (0: no limit of its own), `processors_least`: at least. `crashing`:
    initcalls of drivers that crash because QEMU lacks what they read.
    """

    machine: str
    arch: Arch
    compatible: tuple[str, ...]
    family: tuple[str, ...] = ()
    port: str
    console_port: int = 0
    driver: str
    ports: tuple[Port, ...] = ()
    card: tuple[Driver, ...] | None = None
    card_name: str = "/dev/mmcblk0"
    memory_mib: tuple[int, ...] = ()
    memory_max_mib: int = 0
    processors: int = 0
    processors_least: int = 1
    crashing: tuple[str, ...] = ()
    own_tree: bool = False
    pci: bool = False
    since: str = ""
    until: str = ""
    gone: str = ""


# A card's power comes through a regulator of the device tree.
_REGULATOR = Driver("REGULATOR_FIXED_VOLTAGE", "fixed")
# The boards switch a card's power, and see whether there is one, by GPIO.
_IMX_CARD = (Driver("MMC_SDHCI_ESDHC_IMX", "sdhci_esdhc_imx"), _REGULATOR, Driver("GPIO_MXC", "gpio_mxc"))
_SUNXI_CARD = (Driver("MMC_SUNXI", "sunxi_mmc"), _REGULATOR)
_RASPI_CARD = (Driver("MMC_BCM2835", "bcm2835"),)
_PL181_CARD = (Driver("MMC_ARMMMCI", "armmmci"), _REGULATOR)
# drivers/soc/bcm/bcm2835-power.c reads registers (ASB) that QEMU's BCM2835 does not have: an external abort.
_BCM2835_POWER = ("bcm2835_power_driver_init",)
_PL011, _IMX, _8250 = "SERIAL_AMBA_PL011_CONSOLE", "SERIAL_IMX_CONSOLE", "SERIAL_8250_CONSOLE"


def _ports(name: str, *addresses: int) -> tuple[Port, ...]:
    return tuple(Port(address, name) for address in addresses)


_IMX6_PORTS = _ports("ttymxc", 0x2020000, 0x21E8000, 0x21EC000, 0x21F0000, 0x21F4000)
_IMX6UL_PORTS = (*_IMX6_PORTS, *_ports("ttymxc", 0x21FC000, 0x2018000, 0x2288000))
_IMX7_PORTS = _ports("ttymxc", 0x30860000, 0x30890000, 0x30880000, 0x30A60000, 0x30A70000, 0x30A80000, 0x30A90000)
_SUNXI_PORTS = _ports("ttyS", 0x1C28000, 0x1C28400, 0x1C28800, 0x1C28C00)
_R40_PORTS = (*_SUNXI_PORTS, *_ports("ttyS", 0x1C29000, 0x1C29400, 0x1C29800, 0x1C29C00))
_RASPI_PORTS = (Port(0x7E201000, "ttyAMA"), Port(0x7E215040, "ttyS"))
_EXYNOS_PORTS = _ports("ttySAC", 0x13800000, 0x13810000, 0x13820000, 0x13830000)
_UART1, _UART5 = 0x1E783000, 0x1E784000
# hw/arm/aspeed.c: connect_serial_hds_to_uarts(): the usual port comes first, the others at their own number.
_ASPEED_PORTS = _ports("ttyS", _UART5, _UART1, 0x1E78D000, 0x1E78E000, 0x1E78F000)
_FUJI_PORTS = _ports("ttyS", _UART1, 0, 0x1E78D000, 0x1E78E000, 0x1E78F000, _UART5)

BOARDS: tuple[QemuBoard, ...] = (
    QemuBoard(
        machine="vexpress-a9", arch="arm", compatible=("arm,vexpress,v2p-ca9",), family=(), port="ttyAMA0",
        driver=_PL011, card=_PL181_CARD, memory_max_mib=1024, processors=4,
    ),
    QemuBoard(
        machine="vexpress-a15", arch="arm", compatible=("arm,vexpress,v2p-ca15,tc1", "arm,vexpress,v2p-ca15"),
        family=("arm,vexpress",), port="ttyAMA0", driver=_PL011, card=_PL181_CARD, memory_max_mib=2048, processors=4,
    ),
    QemuBoard(
        machine="versatilepb", arch="arm", compatible=("arm,versatile-pb",), port="ttyAMA0", driver=_PL011,
        card=_PL181_CARD, memory_max_mib=256, processors=1,
    ),
    QemuBoard(
        machine="sabrelite", arch="arm", compatible=("fsl,imx6q-sabrelite",), family=("fsl,imx6q", "fsl,imx6dl"),
        port="ttymxc1", ports=_IMX6_PORTS,
        console_port=1, driver=_IMX, card=_IMX_CARD, card_name="/dev/mmcblk3", memory_max_mib=1024, processors=4,
    ),
    QemuBoard(
        machine="mcimx6ul-evk", arch="arm", compatible=("fsl,imx6ul-14x14-evk",), family=("fsl,imx6ul", "fsl,imx6ull"),
        port="ttymxc0", ports=_IMX6UL_PORTS, driver=_IMX, card=_IMX_CARD, card_name="/dev/mmcblk0", memory_max_mib=2048,
        processors=1,
    ),
    QemuBoard(
        machine="mcimx7d-sabre", arch="arm", compatible=("fsl,imx7d-sdb",), family=("fsl,imx7d", "fsl,imx7s"),
        port="ttymxc0", ports=_IMX7_PORTS, driver=_IMX, card=_IMX_CARD, memory_max_mib=2048, processors=2,
    ),
    QemuBoard(
        machine="orangepi-pc", arch="arm", compatible=("xunlong,orangepi-pc",),
        family=("allwinner,sun8i-h3", "allwinner,sun8i-h2-plus"), port="ttyS0", ports=_SUNXI_PORTS, driver=_8250,
        card=_SUNXI_CARD, memory_mib=(1024,), processors=4, processors_least=4,
    ),
    QemuBoard(
        machine="cubieboard", arch="arm", compatible=("cubietech,a10-cubieboard",), family=("allwinner,sun4i-a10",),
        port="ttyS0", driver=_8250, card=_SUNXI_CARD, memory_mib=(512, 1024), processors=1,
    ),
    QemuBoard(
        machine="bpim2u", arch="arm", compatible=("sinovoip,bpi-m2-ultra",), family=("allwinner,sun8i-r40",),
        port="ttyS0", ports=_R40_PORTS, driver=_8250, card=_SUNXI_CARD, memory_mib=(512, 1024), processors=4,
        processors_least=4, since="8.2",
    ),
    QemuBoard(
        machine="raspi0", arch="arm", compatible=("raspberrypi,model-zero",), family=("brcm,bcm2835",), port="ttyAMA0",
        ports=_RASPI_PORTS, driver=_PL011, card=_RASPI_CARD, memory_mib=(512,), processors=1, crashing=_BCM2835_POWER,
    ),
    QemuBoard(
        machine="raspi1ap", arch="arm", compatible=("raspberrypi,model-a-plus",), family=("brcm,bcm2835",),
        port="ttyAMA0", ports=_RASPI_PORTS, driver=_PL011, card=_RASPI_CARD, memory_mib=(512,), processors=1,
        crashing=_BCM2835_POWER,
    ),
    QemuBoard(
        machine="raspi2b", arch="arm", compatible=("raspberrypi,2-model-b",), family=("brcm,bcm2836", "brcm,bcm2837"),
        port="ttyAMA0", ports=_RASPI_PORTS, driver=_PL011, card=_RASPI_CARD, memory_mib=(1024,), processors=4,
        processors_least=4,
    ),
    QemuBoard(
        machine="raspi3b", arch="arm64", compatible=("raspberrypi,3-model-b",),
        family=("brcm,bcm2837", "raspberrypi,3-model-b-plus"), port="ttyS1", console_port=1, ports=_RASPI_PORTS,
        driver=_8250, card=_RASPI_CARD, memory_mib=(1024,), processors=4, processors_least=4,
    ),
    QemuBoard(
        machine="raspi3ap", arch="arm64", compatible=("raspberrypi,3-model-a-plus",),
        family=("raspberrypi,model-zero-2-w", "brcm,bcm2837"), port="ttyS1", console_port=1, ports=_RASPI_PORTS,
        driver=_8250, card=_RASPI_CARD, memory_mib=(512,), processors=4, processors_least=4,
    ),
    QemuBoard(
        machine="raspi4b", arch="arm64", compatible=("raspberrypi,4-model-b",), family=("brcm,bcm2711",), port="ttyS1",
        console_port=1, ports=_RASPI_PORTS, driver=_8250, memory_mib=(2048,), processors=4, processors_least=4,
        since="9.0",
    ),
    QemuBoard(
        machine="xilinx-zynq-a9", arch="arm", compatible=("xlnx,zynq-zc702",), family=("xlnx,zynq-7000",),
        port="ttyPS0", console_port=1, ports=_ports("ttyPS", 0xE0000000, 0xE0001000),
        driver="SERIAL_XILINX_PS_UART_CONSOLE",
        card=(Driver("MMC_SDHCI_OF_ARASAN", "sdhci_of_arasan"),), memory_max_mib=2048, processors=2,
    ),
    QemuBoard(
        machine="xlnx-zcu102", arch="arm64", compatible=("xlnx,zynqmp-zcu102",), family=("xlnx,zynqmp",), port="ttyPS0",
        ports=_ports("ttyPS", 0xFF000000, 0xFF010000), driver="SERIAL_XILINX_PS_UART_CONSOLE",
        card=(Driver("MMC_SDHCI_OF_ARASAN", "sdhci_of_arasan"),), processors=6,
    ),
    *(
        QemuBoard(
            machine=machine, arch="arm", compatible=compatible, family=(chip,), port="ttyS4", ports=_ASPEED_PORTS,
            driver=_8250, memory_mib=memory_mib, processors=processors, processors_least=processors, since=since,
            # Its removal: QEMU's docs/about/removed-features.rst.
            until="9.2" if machine == "tacoma-bmc" else "",
            gone="11.1" if machine in {"fp5280g2-bmc", "qcom-dc-scm-v1-bmc"} else "",
        )
        for machine, compatible, chip, memory_mib, processors, since in (
            ("palmetto-bmc", ("tyan,palmetto-bmc",), "aspeed,ast2400", (128, 256, 512), 1, ""),
            ("quanta-q71l-bmc", ("quanta,q71l-bmc",), "aspeed,ast2400", (128, 256, 512), 1, ""),
            ("ast2500-evb", ("aspeed,ast2500-evb",), "aspeed,ast2500", (512, 1024), 1, ""),
            ("romulus-bmc", ("ibm,romulus-bmc",), "aspeed,ast2500", (512, 1024), 1, ""),
            ("witherspoon-bmc", ("ibm,witherspoon-bmc",), "aspeed,ast2500", (512, 1024), 1, ""),
            ("g220a-bmc", ("bytedance,g220a-bmc",), "aspeed,ast2500", (512, 1024), 1, ""),
            ("fp5280g2-bmc", ("inspur,fp5280g2-bmc",), "aspeed,ast2500", (512, 1024), 1, ""),
            ("tiogapass-bmc", ("facebook,tiogapass-bmc",), "aspeed,ast2500", (1024,), 1, "8.0"),
            ("yosemitev2-bmc", ("facebook,yosemitev2-bmc",), "aspeed,ast2500", (512, 1024), 1, "8.0"),
            ("supermicro-x11spi-bmc", ("supermicro,x11spi-bmc",), "aspeed,ast2500", (512, 1024), 1, "8.1"),
            ("ast2600-evb", ("aspeed,ast2600-evb",), "aspeed,ast2600", (1024, 2048), 2, ""),
            ("bletchley-bmc", ("facebook,bletchley-bmc",), "aspeed,ast2600", (2048,), 2, ""),
            ("rainier-bmc", ("ibm,rainier-bmc",), "aspeed,ast2600", (1024,), 2, ""),
            ("tacoma-bmc", ("ibm,tacoma-bmc",), "aspeed,ast2600", (1024,), 2, ""),
            ("qcom-dc-scm-v1-bmc", ("qcom,dc-scm-v1-bmc",), "aspeed,ast2600", (1024,), 2, ""),
            ("gb200nvl-bmc", ("nvidia,gb200nvl-bmc",), "aspeed,ast2600", (1024,), 2, "10.1"),
            ("catalina-bmc", ("facebook,catalina-bmc",), "aspeed,ast2600", (2048,), 2, "10.1"),
        )
    ),
    QemuBoard(
        machine="fuji-bmc", arch="arm", compatible=("facebook,fuji-bmc",), family=("aspeed,ast2600",), port="ttyS0",
        ports=_FUJI_PORTS, driver=_8250, memory_mib=(2048,), processors=2, processors_least=2,
    ),
    QemuBoard(
        machine="smdkc210", arch="arm", compatible=("samsung,smdkv310",), family=("samsung,exynos4210",),
        port="ttySAC1", console_port=1, ports=_EXYNOS_PORTS, driver="SERIAL_SAMSUNG_CONSOLE", memory_mib=(1024,),
        processors=2, processors_least=2,
    ),
    QemuBoard(
        machine="highbank", arch="arm", compatible=("calxeda,highbank",), port="ttyAMA0",
        ports=_ports("ttyAMA", 0xFFF36000), driver=_PL011, memory_max_mib=4088, processors=4, gone="11.1",
    ),
    QemuBoard(
        machine="midway", arch="arm", compatible=("calxeda,ecx-2000",), port="ttyAMA0",
        ports=_ports("ttyAMA", 0xFFF36000), driver=_PL011, memory_max_mib=4088, processors=4, gone="11.1",
    ),
    QemuBoard(
        machine="npcm750-evb", arch="arm", compatible=("nuvoton,npcm750-evb",), family=("nuvoton,npcm750",),
        port="ttyS3", console_port=3, ports=_ports("ttyS", 0xF0001000, 0xF0002000, 0xF0003000, 0xF0004000),
        driver=_8250, memory_max_mib=2048, processors=2, processors_least=2,
    ),
    QemuBoard(
        machine="npcm845-evb", arch="arm64", compatible=("nuvoton,npcm845-evb",), family=("nuvoton,npcm845",),
        port="ttyS0", ports=_ports("ttyS", 0xF0000000, 0xF0001000, 0xF0002000, 0xF0003000), driver=_8250,
        memory_max_mib=2048, processors=4, processors_least=4, since="10.0",
    ),
    QemuBoard(
        machine="imx25-pdk", arch="arm", compatible=("fsl,imx25-pdk",), family=("fsl,imx25",), port="ttymxc0",
        ports=_ports("ttymxc", 0x43F90000, 0x43F94000, 0x5000C000, 0x50008000, 0x5002C000), driver=_IMX,
        memory_max_mib=512, processors=1,
    ),
    QemuBoard(
        machine="realview-pb-a8", arch="arm", compatible=("arm,realview-pba8",), port="ttyAMA0", driver=_PL011,
        memory_max_mib=512, processors=1,
    ),
    QemuBoard(
        machine="versatileab", arch="arm", compatible=("arm,versatile-ab",), port="ttyAMA0", driver=_PL011,
        memory_max_mib=256, processors=1,
    ),
    QemuBoard(
        machine="imx8mp-evk", arch="arm64", compatible=("fsl,imx8mp-evk",), family=("fsl,imx8mp",), port="ttymxc1",
        console_port=1, ports=_IMX7_PORTS[:4], driver=_IMX, card=_IMX_CARD, processors=4, since="10.0",
    ),
    QemuBoard(
        machine="imx8mm-evk", arch="arm64", compatible=("fsl,imx8mm-evk",), family=("fsl,imx8mm",), port="ttymxc1",
        console_port=1, ports=_IMX7_PORTS[:4], driver=_IMX, card=_IMX_CARD, processors=4, since="11.1",
    ),
    QemuBoard(
        machine="sifive_u", arch="riscv64", compatible=("sifive,hifive-unleashed-a00",), family=("sifive,fu540-c000",),
        port="ttySIF0", ports=_ports("ttySIF", 0x10010000, 0x10011000), driver="SERIAL_SIFIVE_CONSOLE", processors=5,
        processors_least=2,
    ),
    QemuBoard(
        machine="microchip-icicle-kit", arch="riscv64", compatible=("microchip,mpfs-icicle-kit",),
        family=("microchip,mpfs",), port="ttyS1", console_port=1,
        ports=_ports("ttyS", 0x20000000, 0x20100000, 0x20102000, 0x20104000, 0x20106000), driver=_8250,
        memory_mib=(2048,), processors=5, processors_least=2,
    ),
    QemuBoard(
        machine="virt", arch="arm", compatible=("linux,dummy-virt",), port="ttyAMA0", driver=_PL011, own_tree=True,
        pci=True,
    ),
    QemuBoard(
        machine="virt", arch="arm64", compatible=("linux,dummy-virt",), port="ttyAMA0", driver=_PL011, own_tree=True,
        pci=True,
    ),
    QemuBoard(
        machine="virt", arch="riscv64", compatible=("riscv-virtio",), port="ttyS0", driver=_8250, own_tree=True,
        pci=True,
    ),
    QemuBoard(machine="q35", arch="x86_64", compatible=(), port="ttyS0", driver=_8250, own_tree=True, pci=True),
)  # fmt: skip


class Chosen(msgspec.Struct, frozen=True):
    """A machine, and how near it is to what was asked for."""

    board: QemuBoard
    match: Match


def usual(arch: Arch) -> QemuBoard:
    """Return the machine that any kernel of an architecture may boot on."""
    return next(board for board in BOARDS if board.arch == arch and board.own_tree)


def of_machine(machine: str, arch: Arch) -> QemuBoard | None:
    """Return a machine by QEMU's name of it."""
    name = "virt" if machine.startswith("virt-") else machine
    return next((board for board in BOARDS if board.machine == name and board.arch == arch), None)


def choose(compatible: tuple[str, ...], arch: Arch) -> Chosen:
    """Return the machine for a device tree: the board's own, one of its chip's family, or the architecture's usual one.

    `compatible` goes from the board to its chip; the first that is known decides.
    """
    for name in compatible:
        for board in BOARDS:
            if name in board.compatible and board.arch == arch:
                return Chosen(board, "board")
    for name in compatible:
        for board in BOARDS:
            if name in board.family and board.arch == arch:
                return Chosen(board, "family")
    return Chosen(usual(arch), "architecture")


def of_other_arch(compatible: tuple[str, ...], arch: Arch) -> QemuBoard | None:
    """Return the machine that models a board, but boots kernels of another architecture only."""
    return next(
        (board for name in compatible for board in BOARDS if name in board.compatible and board.arch != arch), None
    )
