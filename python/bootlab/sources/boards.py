"""Which of QEMU's machines models a board, by its device tree's `compatible`; and the next best where none does.

Facts of the machines: QEMU's hw/arm and hw/riscv; names of ports and cards: the kernel's device trees of the boards.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.architecture import Arch
from bootlab.sources.drivers import Driver

Match = Literal["board", "family", "architecture"]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """A machine of QEMU's and the boards that it models.

    `compatible`: of the board itself; `family`: of its chip, for boards that are alike. `port`: the kernel's name of
    the serial port; `console_port`: that port's number among QEMU's; `driver`: the option of its console driver.
    `card`: the drivers of the card's slot; `card_name`: the kernel's name of the card. `memory_mib`: what the machine
    must have (one number) or may have at most. `since`: the first QEMU that has it. `processors_least`: how many
    the machine has at least. `crashing`: initcalls of drivers that crash because QEMU lacks what they read.
    """

    machine: str
    arch: Arch
    compatible: tuple[str, ...]
    family: tuple[str, ...] = ()
    port: str
    console_port: int = 0
    driver: str
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

BOARDS: tuple[Board, ...] = (
    Board(
        machine="vexpress-a9", arch="arm", compatible=("arm,vexpress,v2p-ca9",), family=(), port="ttyAMA0",
        driver=_PL011, card=_PL181_CARD, memory_max_mib=1024, processors=4,
    ),
    Board(
        machine="vexpress-a15", arch="arm", compatible=("arm,vexpress,v2p-ca15,tc1", "arm,vexpress,v2p-ca15"),
        family=("arm,vexpress",), port="ttyAMA0", driver=_PL011, card=_PL181_CARD, memory_max_mib=2048, processors=2,
    ),
    Board(
        machine="versatilepb", arch="arm", compatible=("arm,versatile-pb",), port="ttyAMA0", driver=_PL011,
        card=_PL181_CARD, memory_max_mib=256, processors=1,
    ),
    Board(
        machine="sabrelite", arch="arm", compatible=("fsl,imx6q-sabrelite",), family=("fsl,imx6q",), port="ttymxc1",
        console_port=1, driver=_IMX, card=_IMX_CARD, card_name="/dev/mmcblk3", memory_max_mib=1024, processors=4,
    ),
    Board(
        machine="mcimx6ul-evk", arch="arm", compatible=("fsl,imx6ul-14x14-evk",), family=("fsl,imx6ul", "fsl,imx6ull"),
        port="ttymxc0", driver=_IMX, card=_IMX_CARD, card_name="/dev/mmcblk0", memory_max_mib=2048, processors=1,
    ),
    Board(
        machine="mcimx7d-sabre", arch="arm", compatible=("fsl,imx7d-sdb",), family=("fsl,imx7d", "fsl,imx7s"),
        port="ttymxc0", driver=_IMX, card=_IMX_CARD, memory_max_mib=2048, processors=2,
    ),
    Board(
        machine="orangepi-pc", arch="arm", compatible=("xunlong,orangepi-pc",),
        family=("allwinner,sun8i-h3", "allwinner,sun8i-h2-plus"), port="ttyS0", driver=_8250, card=_SUNXI_CARD,
        memory_mib=(1024,), processors=4, processors_least=4,
    ),
    Board(
        machine="cubieboard", arch="arm", compatible=("cubietech,a10-cubieboard",), family=("allwinner,sun4i-a10",),
        port="ttyS0", driver=_8250, card=_SUNXI_CARD, memory_mib=(512, 1024), processors=1,
    ),
    Board(
        machine="bpim2u", arch="arm", compatible=("sinovoip,bpi-m2-ultra",), family=("allwinner,sun8i-r40",),
        port="ttyS0", driver=_8250, card=_SUNXI_CARD, memory_mib=(1024, 2048), processors=4, processors_least=4,
        since="8.2",
    ),
    Board(
        machine="raspi0", arch="arm", compatible=("raspberrypi,model-zero",), family=("brcm,bcm2835",), port="ttyAMA0",
        driver=_PL011, card=_RASPI_CARD, memory_mib=(512,), processors=1, crashing=_BCM2835_POWER,
    ),
    Board(
        machine="raspi1ap", arch="arm", compatible=("raspberrypi,model-a-plus",), port="ttyAMA0", driver=_PL011,
        card=_RASPI_CARD, memory_mib=(512,), processors=1, crashing=_BCM2835_POWER,
    ),
    Board(
        machine="raspi2b", arch="arm", compatible=("raspberrypi,2-model-b",), family=("brcm,bcm2836",), port="ttyAMA0",
        driver=_PL011, card=_RASPI_CARD, memory_mib=(1024,), processors=4, processors_least=4,
    ),
    Board(
        machine="raspi3b", arch="arm64", compatible=("raspberrypi,3-model-b",),
        family=("brcm,bcm2837", "raspberrypi,3-model-b-plus"), port="ttyS1", console_port=1, driver=_8250,
        card=_RASPI_CARD, memory_mib=(1024,), processors=4, processors_least=4,
    ),
    Board(
        machine="raspi4b", arch="arm64", compatible=("raspberrypi,4-model-b",), family=("brcm,bcm2711",), port="ttyS1",
        console_port=1, driver=_8250, memory_mib=(2048,), processors=4, processors_least=4, since="9.0",
    ),
    Board(
        machine="xilinx-zynq-a9", arch="arm", compatible=("xlnx,zynq-zc702",), family=("xlnx,zynq-7000",),
        port="ttyPS0", console_port=0, driver="SERIAL_XILINX_PS_UART_CONSOLE",
        card=(Driver("MMC_SDHCI_OF_ARASAN", "sdhci_of_arasan"),), memory_max_mib=2048, processors=1,
    ),
    Board(
        machine="xlnx-zcu102", arch="arm64", compatible=("xlnx,zynqmp-zcu102",), family=("xlnx,zynqmp",), port="ttyPS0",
        driver="SERIAL_XILINX_PS_UART_CONSOLE", card=(Driver("MMC_SDHCI_OF_ARASAN", "sdhci_of_arasan"),), processors=4,
    ),
    Board(
        machine="ast2600-evb", arch="arm", compatible=("aspeed,ast2600-evb",), family=("aspeed,ast2600",), port="ttyS4",
        driver=_8250, memory_mib=(1024,), processors=2,
    ),
    Board(
        machine="imx8mp-evk", arch="arm64", compatible=("fsl,imx8mp-evk",), family=("fsl,imx8mp",), port="ttymxc1",
        console_port=1, driver=_IMX, card=_IMX_CARD, processors=4, since="10.0",
    ),
    Board(
        machine="sifive_u", arch="riscv64", compatible=("sifive,hifive-unleashed-a00",), family=("sifive,fu540-c000",),
        port="ttySIF0", driver="SERIAL_SIFIVE_CONSOLE", processors=5,
    ),
    Board(
        machine="microchip-icicle-kit", arch="riscv64", compatible=("microchip,mpfs-icicle-kit",),
        family=("microchip,mpfs",), port="ttyS0", driver=_8250, memory_max_mib=2048, processors=5,
    ),
    Board(
        machine="virt", arch="arm", compatible=("linux,dummy-virt",), port="ttyAMA0", driver=_PL011, own_tree=True,
        pci=True,
    ),
    Board(
        machine="virt", arch="arm64", compatible=("linux,dummy-virt",), port="ttyAMA0", driver=_PL011, own_tree=True,
        pci=True,
    ),
    Board(
        machine="virt", arch="riscv64", compatible=("riscv-virtio",), port="ttyS0", driver=_8250, own_tree=True,
        pci=True,
    ),
    Board(machine="q35", arch="x86_64", compatible=(), port="ttyS0", driver=_8250, own_tree=True, pci=True),
)  # fmt: skip


class Chosen(msgspec.Struct, frozen=True):
    """A machine, and how near it is to what was asked for."""

    board: Board
    match: Match


def usual(arch: Arch) -> Board:
    """Return the machine that any kernel of an architecture may boot on."""
    return next(board for board in BOARDS if board.arch == arch and board.own_tree)


def of_machine(machine: str, arch: Arch) -> Board | None:
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
