# SPDX-License-Identifier: MIT
"""The console is where the board's device tree has it, also on the machine of another board with the same chip."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache

import msgspec
import pytest

from bootlab.errors import UserError
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.architecture import ARCHITECTURES
from bootlab.model.system import Machine
from bootlab.preflight import mistakes as preflight
from bootlab.sources import boards
from tests.preflight.test_preflight import plan
from tests.sources import images
from tests.sources.test_proposal import board_files, proposed

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


@cache
def qemu_machines(emulator: str) -> tuple[tuple[int, ...], dict[str, int]]:
    """Return the QEMU's version, and how many processors each of its machines can have, as the QEMU itself says it."""
    words = [emulator, "-M", "none", "-display", "none", "-qmp", "stdio"]
    asked = "".join(f'{{"execute": "{verb}"}}\n' for verb in ("qmp_capabilities", "query-machines", "quit"))
    run = subprocess.run(words, input=asked, capture_output=True, text=True, check=True, timeout=120)
    said = [json.loads(line) for line in run.stdout.splitlines()]
    version = said[0]["QMP"]["version"]["qemu"]
    machines = next(part["return"] for part in said if isinstance(part.get("return"), list))
    most = {name: m["cpu-max"] for m in machines for name in (m["name"], m.get("alias")) if name}
    return (version["major"], version["minor"]), most


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@pytest.mark.qemu
@pytest.mark.parametrize("row", boards.BOARDS, ids=lambda row: f"{row.machine}-{row.arch}")
def test_qemu_takes_what_is_proposed(row, tmp_path):
    """QEMU refuses a number of processors or a size of memory that a machine does not have before it starts."""
    emulator = shutil.which(ARCHITECTURES[row.arch].emulator)
    assert emulator
    version, most = qemu_machines(emulator)
    if row.machine not in most:
        before, after = row.since and version < numbers(row.since), row.until and version > numbers(row.until)
        gone = row.gone and version >= numbers(row.gone)
        assert before or after or gone, f"{emulator} has no {row.machine}"
        pytest.skip(f"this QEMU has no {row.machine}")
    assert not row.gone or version < numbers(row.gone)
    # A later QEMU may give a machine more: none of them may be refused before the boot.
    assert row.own_tree or most[row.machine] <= row.processors
    sizes = row.memory_mib or (min(row.memory_max_mib or 256, 1024),)
    for size in sizes:
        words = ["-M", row.machine, "-smp", str(row.processors_least), "-m", str(size), "-display", "none", "-S"]
        # Microchip's own firmware is in no package; without one, QEMU 11 wants a kernel.
        (tmp_path / "kernel").write_bytes(bytes(4096))
        words += ["-bios", "none", "-kernel", str(tmp_path / "kernel")] if row.arch == "riscv64" else []
        run = subprocess.run(
            [emulator, *words, "-serial", "null", "-monitor", "stdio"], input="quit\n", capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr


def test_a_machine_that_qemu_has_no_longer_is_named(tmp_path, looker):
    node = {**images.BOARD, "model": "Tacoma", "compatible": ["ibm,tacoma-bmc", "aspeed,ast2600"]}
    found = proposed(looker, *board_files(tmp_path, node))
    assert found.machine == "tacoma-bmc"
    assert "QEMU 9.2 is the last that has tacoma-bmc: machine.emulator may name one" in found.notes
