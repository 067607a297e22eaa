# SPDX-License-Identifier: MIT
"""Modules in the initramfs: their order, the loader in front of init, and what has no place for them."""

from pathlib import Path

import msgspec
import pytest

from bootlab.builders import late_modules
from bootlab.builders.kbuild.built import BuildFacts, BuiltKernel
from bootlab.builders.late_modules import FOLDER, load_order, with_late_modules
from bootlab.errors import ToolMissing, UserError
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Goal, Initramfs, Kernel, KernelBuild, SystemDescription

DEP = "kernel/a.ko: kernel/c.ko kernel/b.ko\nkernel/b.ko:\nkernel/c.ko: kernel/b.ko\nkernel/d.ko:\n"
FACTS = BuildFacts(arch="x86_64", image="bzImage", source="6.1", compiler="gcc", sizes_bytes={})
SYSTEM = SystemDescription(
    name="lab", kernel=Kernel(image="", build=KernelBuild()), goal=Goal(console="done"), initramfs=Initramfs()
)


@pytest.fixture
def kernel(tmp_path: Path) -> BuiltKernel:
    folder = tmp_path / "modules/lib/modules/6.1"
    (folder / "kernel").mkdir(parents=True)
    (folder / "modules.dep").write_text(DEP)
    for name in "abcd":
        (folder / f"kernel/{name}.ko").write_bytes(b"\x7fELF")
    return BuiltKernel(folder=tmp_path, facts=FACTS)


def test_each_module_comes_after_those_it_needs(kernel):
    assert [path.name for path in load_order(kernel)] == ["b.ko", "c.ko", "a.ko", "d.ko"]
    assert all(path.is_file() for path in load_order(kernel))


def test_without_depmod_the_order_is_not_guessed(kernel):
    next(kernel.folder.rglob("modules.dep")).unlink()
    with pytest.raises(ToolMissing, match="depmod"):
        load_order(kernel)


def test_the_loader_stands_before_init_and_files_have_hidden_names(kernel, monkeypatch, tmp_path):
    monkeypatch.setattr(late_modules, "_loader", lambda _: tmp_path / "load")
    system = msgspec.structs.replace(SYSTEM, cmdline=CommandLine.parse("quiet rdinit=/bin/start"))
    made = with_late_modules(system, kernel, 1500)
    assert str(made.cmdline) == (f"quiet rdinit={FOLDER}/load BOOTLAB_MODULES_INIT=/bin/start BOOTLAB_MODULES_MS=1500")
    tree = made.initramfs.tree.as_dict()
    assert tree[f"{FOLDER}/list"].text == "b.ko\nc.ko\na.ko\nd.ko\n"
    assert tree[f"{FOLDER}/a.ko"].source.endswith("kernel/a.ko")
    assert all(path.startswith("/.") for path in tree)


def test_a_kernel_without_modules_changes_nothing(tmp_path):
    assert with_late_modules(SYSTEM, BuiltKernel(folder=tmp_path, facts=FACTS), 1) == SYSTEM


@pytest.mark.parametrize(
    "system",
    [
        msgspec.structs.replace(SYSTEM, initramfs=None),
        msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=KernelBuild(embed_initramfs=True))),
    ],
    ids=("none", "embedded"),
)
def test_no_initramfs_beside_the_kernel_is_an_error(kernel, system):
    with pytest.raises(UserError, match="to carry"):
        with_late_modules(system, kernel, 1)
