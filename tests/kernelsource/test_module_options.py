# SPDX-License-Identifier: MIT
"""Which options build loaded modules into the kernel."""

from pathlib import Path

import pytest

from bootlab.kernelsource.configuration import from_text
from bootlab.kernelsource.module_options import BuiltIn, ModuleOptions
from bootlab.kernelsource.tree import ConfiguredTree
from tests.kernelsource.small_tree import write

KCONFIG = """\
config MODULES
	bool "Modules"
config BUS
	tristate
config BUS_PCI
	tristate "Bus over PCI"
	select BUS
config DISK
	tristate "Disk"
	depends on BUS && CORE
config CORE
	tristate "Core"
config PARTS
	bool "Parts of the core"
	depends on CORE
config LATE
	tristate "Only as a module"
	depends on m
"""
FILES = {
    "Makefile": "VERSION = 6\nPATCHLEVEL = 1\ncore-y := drivers/\n",
    "Kconfig": KCONFIG,
    "arch/x86/Makefile": "",
    "drivers/Makefile": "obj-$(CONFIG_BUS) += bus_ring.o\nobj-$(CONFIG_BUS_PCI) += bus-pci.o\n"
    "obj-$(CONFIG_DISK) += disk/\nobj-$(CONFIG_CORE) += core.o\nobj-$(CONFIG_LATE) += late.o\nobj-y += always.o\n"
    "bus-pci-y := bus_one.o\nbus-pci-$(CONFIG_PARTS) += bus_two.o\n",
    "drivers/disk/Makefile": "obj-$(CONFIG_DISK) += the-disk.o\n",
}
CONFIG = "# Automatically generated file; DO NOT EDIT.\nCONFIG_MODULES=y\nCONFIG_PARTS=y\n" + "".join(
    f"CONFIG_{name}=m\n" for name in ("BUS", "BUS_PCI", "DISK", "CORE", "LATE")
)


@pytest.fixture
def options(tmp_path: Path) -> ModuleOptions:
    place = write(tmp_path / "linux", FILES)
    tree = ConfiguredTree(place, cache=tmp_path / "cache", arch="x86_64", configuration=from_text(CONFIG))
    return ModuleOptions(tree.kbuild, tree.kconfig, from_text(CONFIG))


def test_the_option_of_a_module(options: ModuleOptions):
    names = ("bus_ring", "bus_pci", "the_disk", "core", "bus_one", "always", "nosuch")
    assert [options.option(name) for name in names] == ["BUS", "BUS_PCI", "DISK", "CORE", "", "", ""]


def test_what_an_option_depends_on_is_built_in_with_it(options: ModuleOptions):
    assert options.built_in(("the_disk", "bus_pci", "bus_ring")) == BuiltIn(options=("BUS_PCI", "CORE", "DISK"))


def test_what_nothing_selects_leaves_the_module_out(options: ModuleOptions):
    # BUS has no prompt, and BUS_PCI, which selects it, is not among them.
    assert options.built_in(("the_disk",)) == BuiltIn(options=("CORE",), left=("the_disk",))


def test_modules_that_cannot_be_built_in_are_named(options: ModuleOptions):
    assert options.built_in(("late", "nosuch", "core")) == BuiltIn(options=("CORE",), left=("late", "nosuch"))
    assert options.built_in(()) == BuiltIn()
