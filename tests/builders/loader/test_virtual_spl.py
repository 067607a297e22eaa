# SPDX-License-Identifier: MIT
"""U-Boot with an SPL on RISC-V's machine virt: what goes where in RAM, and what is refused."""

import shutil
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.images import tool
from bootlab.builders.loader import virtual_spl
from bootlab.builders.loader.built import IMAGE, BuiltLoader, LoaderFacts
from bootlab.errors import ToolMissing, UserError
from bootlab.formats.device_tree import read_tree
from bootlab.model.boot_loader import RISCV_VIRT, Loader, LoaderBuild
from bootlab.model.launch import LoadedFirst
from bootlab.model.system import Goal, Kernel, Machine, SystemDescription
from tests.mini_boards import mini_board_kernel

LOADER = Loader(build=LoaderBuild(base="qemu-riscv64_spl_defconfig"))
FALCON = msgspec.structs.replace(LOADER, start="falcon", checked=True)
MACHINE = Machine(arch="riscv64", memory_mib=1024)


class FakeBuilder:
    """Gives an SPL of three bytes and a U-Boot of five, and remembers what it was asked for."""

    def __init__(self, folder):
        self.folder = folder
        self.asked = ()

    def build(self, build, board, arch, start, *, environment="", falcon=False):
        self.asked = (start, falcon)
        (self.folder / IMAGE).write_bytes(b"SPL".ljust(board.parts[1][1], b"\0") + b"UBOOT")
        (self.folder / "spl.symbols").write_text("0000000080000abc T board_init_r\n")
        sizes = {"u-boot-spl.bin": 3, "u-boot-nodtb.bin": 5}
        return BuiltLoader(folder=self.folder, facts=LoaderFacts(source="2023.01", compiler="gcc", sizes_bytes=sizes))


@pytest.fixture
def placed(cache, tmp_path, monkeypatch):
    opensbi = tmp_path / "fw_dynamic.bin"
    opensbi.write_bytes(b"OpenSBI")
    monkeypatch.setattr(virtual_spl, "OPENSBI", opensbi)
    kernel = mini_board_kernel(tmp_path / "kernel", MACHINE, "text")
    with kernel.open("r+b") as file:
        file.seek(8)
        file.write((2 << 20).to_bytes(8, "little") + (1 << 20).to_bytes(8, "little"))
    builder = FakeBuilder(tmp_path)

    def run(loader=LOADER, machine=MACHINE):
        system = SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), machine=machine)
        found = virtual_spl.placed(system, loader, kernel, None, "console=ttyS0", "qemu-system-riscv64", cache, builder)
        return found, dict(builder.asked[0]), builder.asked[1]

    run.kernel = kernel
    run.opensbi = opensbi
    return run


needs_tools = pytest.mark.skipif(
    shutil.which("qemu-system-riscv64") is None or tool.path_of("fdtput") is None,
    reason="needs qemu-system-riscv64 and fdtput: scripts/setup-debian.sh boards loaders",
)


def in_ram(first: LoadedFirst) -> dict[int, bytes]:
    return {part.address: Path(part.file).read_bytes() for part in first.memory}


@needs_tools
def test_u_boot_waits_in_ram_beside_the_kernel(placed):
    found, options, falcon = placed()
    assert not falcon
    assert "SPL_FALCON_RAM" not in options
    ram = in_ram(found.first)
    fit = read_tree(ram[int(options["SPL_LOAD_FIT_ADDRESS"], 16)])
    assert int.from_bytes(fit.find("/images/u-boot").properties["load"], "big") == RISCV_VIRT.u_boot_entry
    assert Path(found.first.file).read_bytes() == b"SPL"
    assert found.entries["spl-load"] == 0x80000ABC
    assert found.entries["kernel-entry"] not in {found.entries["u-boot"], found.entries["opensbi"]}


@needs_tools
def test_in_falcon_mode_the_kernel_is_as_long_as_in_memory_and_u_boot_stays(placed):
    normal, _, _ = placed()
    found, options, falcon = placed(FALCON)
    assert falcon
    assert options["SPL_FALCON_RAM_CRC"] == "y"
    ram = in_ram(found.first)
    assert set(in_ram(normal.first)) < set(ram)
    linux = read_tree(ram[int(options["SPL_FALCON_RAM_ADDRESS"], 16)]).find("/images/linux").properties
    assert int.from_bytes(linux["load"], "big") == found.entries["kernel-entry"] == 0x80200000
    # Behind it the SPL puts the device tree: not into variables that the kernel clears.
    assert int.from_bytes(linux["data-size"], "big") == 1 << 20
    assert linux["os"] == b"u-boot\0"


@pytest.mark.parametrize(
    ("loader", "machine", "part"),
    [
        (LOADER, msgspec.structs.replace(MACHINE, memory_mib=512), "1024 MiB"),
        (LOADER, msgspec.structs.replace(MACHINE, arch="arm64"), "arm64"),
        (msgspec.structs.replace(LOADER, start="command"), MACHINE, "no card"),
        (msgspec.structs.replace(FALCON, appended=True), MACHINE, "no card"),
    ],
)
def test_what_is_refused(placed, loader, machine, part):
    with pytest.raises(UserError) as caught:
        placed(loader, machine)
    assert part in caught.value.message
    assert caught.value.hint


@needs_tools
@pytest.mark.parametrize(("at", "data", "part"), [(0x38, b"none", "no header"), (0x10, b"\0\0\0\7", "wants")])
def test_a_kernel_that_cannot_be_placed_is_refused(placed, at, data, part):
    with placed.kernel.open("r+b") as file:
        file.seek(at)
        file.write(data)
    with pytest.raises(UserError, match=part):
        placed(FALCON)


def test_without_opensbi_its_package_is_named(placed):
    placed.opensbi.unlink()
    with pytest.raises(ToolMissing, match="opensbi"):
        placed()
