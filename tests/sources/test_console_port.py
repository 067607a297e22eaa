"""The console is where the board's device tree has it, also on the machine of another board with the same chip."""

from __future__ import annotations

import re
import shutil
import subprocess

import msgspec
import pytest

from bootlab.errors import UserError
from bootlab.model.architecture import ARCHITECTURES
from bootlab.model.system import Machine
from bootlab.sources import boards
from bootlab.targets import preflight
from bootlab.targets.base import BootPlan
from tests.sources import images
from tests.sources.test_proposal import board_files, proposed
from tests.targets.test_preflight import plan

UARTS = {0: "2020000", 1: "21e8000", 2: "21ec000"}


def tree(on: dict[int, int], *, stdout: str = "", bootargs: str = "", compatible: str = "acme,panel") -> images.Node:
    """Return a board with an i.MX 6 whose aliases number the ports that are on: alias -> port of the chip."""
    nodes = {
        f"serial@{at}": {"compatible": "fsl,imx6q-uart", "status": "okay" if port in on.values() else "disabled"}
        for port, at in UARTS.items()
    }
    return {
        "compatible": [compatible, "fsl,imx6q"],
        "chosen": ({"stdout-path": stdout} if stdout else {}) | ({"bootargs": bootargs} if bootargs else {}),
        "aliases": {f"serial{alias}": f"/soc/serial@{UARTS[port]}" for alias, port in on.items()},
        "soc": nodes,
    }


@pytest.mark.parametrize(
    ("given", "name", "number"),
    [
        (tree({0: 0, 1: 1}, stdout="serial0:115200n8"), "ttymxc0", 0),
        (tree({0: 0, 1: 1}, stdout="/soc/serial@21e8000"), "ttymxc1", 1),
        # The alias names the port, the chip's address says which of QEMU's it is.
        (tree({0: 2}, stdout="serial0"), "ttymxc0", 2),
        (tree({0: 0, 2: 2}, bootargs="quiet console=ttymxc2,115200"), "ttymxc2", 2),
        (tree({0: 0, 2: 2}), "ttymxc0", 0),
        # Nothing names one: the port of the board that QEMU models, if it is on.
        (tree({0: 0, 1: 1}), "ttymxc1", 1),
    ],
)
def test_a_board_with_the_same_chip_has_its_own_console(tmp_path, looker, given, name, number):
    found = proposed(looker, *board_files(tmp_path, given))
    assert found.machine == "sabrelite"
    assert (found.board.port, found.board.console_port) == (name, number)
    assert f"console={name}" in found.cmdline


def test_the_check_before_the_boot_reads_the_port_from_the_device_tree(tmp_path):
    dtb = tmp_path / "board.dtb"
    dtb.write_bytes(images.device_tree(tree({0: 2}, stdout="serial0", compatible="fsl,imx6q-sabrelite")))
    board = Machine(arch="arm", type="sabrelite")

    def reads(port: int) -> BootPlan:
        given = plan("console=ttymxc0", config={}, machine=msgspec.structs.replace(board, console_port=port))
        launch = msgspec.structs.replace(given.launch, dtb=str(dtb), console_port=port)
        return msgspec.structs.replace(given, launch=launch)

    preflight.check(reads(2))
    with pytest.raises(UserError, match="ttymxc0, which is port 2 of the machine; bootlab reads port 0") as caught:
        preflight.check(reads(0))
    assert "set machine.console_port = 2" in caught.value.hint


def test_a_machine_for_another_architecture_is_named(tmp_path, looker):
    node = {**images.BOARD, "model": "Pi 4", "compatible": ["raspberrypi,4-model-b", "brcm,bcm2711"]}
    found = proposed(looker, *board_files(tmp_path, node))
    assert found.machine == "virt"
    said = "raspi4b models raspberrypi,4-model-b (Pi 4), but boots arm64 kernels only, not arm: virt boots"
    assert any(said in note for note in found.notes)


@pytest.mark.parametrize("row", boards.BOARDS, ids=lambda row: f"{row.machine}-{row.arch}")
def test_the_usual_port_of_a_board_is_one_of_its_ports(row):
    if row.ports:
        assert row.port.startswith(row.ports[row.console_port].name)
        addresses = [port.address for port in row.ports]
        assert len(set(addresses)) == len(addresses)
    assert row.processors_least <= max(row.processors, 1) or row.own_tree


@pytest.mark.qemu
@pytest.mark.parametrize("row", boards.BOARDS, ids=lambda row: f"{row.machine}-{row.arch}")
def test_qemu_takes_what_is_proposed(row):
    """QEMU refuses a number of processors or a size of memory that a machine does not have before it starts."""
    emulator = shutil.which(ARCHITECTURES[row.arch].emulator)
    assert emulator
    known = subprocess.run([emulator, "-M", "help"], capture_output=True, text=True, check=True).stdout
    if f"\n{row.machine} " not in known and row.machine != "virt":
        assert row.since, f"{emulator} has no {row.machine}"
        pytest.skip(f"this QEMU has no {row.machine}")
    sizes = row.memory_mib or (min(row.memory_max_mib or 256, 1024),)
    for size in sizes:
        words = ["-M", row.machine, "-smp", str(row.processors_least), "-m", str(size), "-display", "none", "-S"]
        # Microchip's own firmware is in no package.
        words += ["-bios", "none"] if row.arch == "riscv64" else []
        run = subprocess.run(
            [emulator, *words, "-serial", "null", "-monitor", "stdio"], input="quit\n", capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
    many = ["-M", row.machine, "-smp", "4096", "-display", "none", "-S"]
    run = subprocess.run([emulator, *many], capture_output=True, text=True, check=False, timeout=120)
    most = re.search(r"max CPUs supported by machine '.*' is (\d+)", run.stderr)
    assert most, run.stderr
    # A later QEMU may give a machine more: none of them may be refused before the boot.
    assert row.own_tree or int(most[1]) <= row.processors
