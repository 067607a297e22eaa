# SPDX-License-Identifier: MIT
"""What is asked of the source that a kernel is built from."""

import difflib
from pathlib import Path

import pytest

from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.experiments.kernel_source import KernelSource
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import Goal, Kernel, KernelBuild, SystemDescription
from tests.kernelsource.small_tree import write

DRIVER = "static int {0}_init(void)\n{{\n\treturn -19;\n}}\nmodule_init({0}_init);\n"
FILES = {
    "Makefile": "VERSION = 6\nPATCHLEVEL = 1\ncore-y := drivers/\n",
    "Kconfig": 'config MODULES\n\tbool "Modules"\nconfig TOY\n\tbool "Toy"\nconfig BUS\n\tbool "Bus"\n'
    'config CHILD\n\tbool "Child"\n\tdepends on BUS\nconfig HELD\n\tbool\n\tdefault y\n',
    "scripts/Kconfig.include": "",
    "init/Kconfig": "",
    "arch/x86/Makefile": "",
    "drivers/Makefile": "obj-$(CONFIG_TOY) += toy.o\nobj-$(CONFIG_BUS) += bus.o\nobj-$(CONFIG_HELD) += held.o\n"
    "obj-y += twice.o other.o always.o\n",
    **{f"drivers/{name}.c": DRIVER.format(name) for name in ("toy", "bus", "held", "always")},
    "drivers/twice.c": DRIVER.format("both"),
    "drivers/other.c": DRIVER.format("both"),
}
CONFIG = {"CONFIG_TOY": "y", "CONFIG_BUS": "y", "CONFIG_CHILD": "y", "CONFIG_HELD": "y"}
NAMES = ("toy_init", "bus_init", "held_init", "always_init", "both_init", "no_such_init")


def source(folder: Path, *patches: KernelPatch) -> KernelSource:
    tree = write(folder / "linux", FILES)
    build = KernelBuild(source=str(tree), patches=patches)
    system = SystemDescription(name="lab", kernel=Kernel(image="", build=build), goal=Goal(console="done"))
    return KernelSource(Cache(folder / "cache"), system, CONFIG)


def test_only_options_without_doubt(tmp_path):
    assert source(tmp_path).initcall_options(NAMES) == {"toy_init": "TOY"}


def test_only_options_that_may_be_modules(tmp_path):
    files = FILES | {"Kconfig": FILES["Kconfig"].replace('config TOY\n\tbool "Toy"', 'config TOY\n\ttristate "Toy"')}
    tree = write(tmp_path / "linux", files)
    system = SystemDescription(
        name="lab", kernel=Kernel(image="", build=KernelBuild(source=str(tree))), goal=Goal(console="done")
    )
    asked = KernelSource(Cache(tmp_path / "cache"), system, CONFIG | {"CONFIG_MODULES": "y"})
    assert asked.module_options(NAMES) == {"toy_init": "TOY"}
    without = KernelSource(Cache(tmp_path / "cache"), system, CONFIG)
    assert without.module_options(NAMES) == {}


def test_a_driver_s_patch_is_named_after_its_initcall(tmp_path):
    text = 'static struct platform_driver toy_driver = {\n\t.driver = {\n\t\t.name = "toy",\n\t},\n};\n'
    files = FILES | {"drivers/toy.c": text + "module_platform_driver(toy_driver);\n"}
    tree = write(tmp_path / "linux", files)
    system = SystemDescription(
        name="lab", kernel=Kernel(image="", build=KernelBuild(source=str(tree))), goal=Goal(console="done")
    )
    made = KernelSource(Cache(tmp_path / "cache"), system, CONFIG).async_patches(("toy_driver_init", "bus_init"))
    assert list(made) == ["toy_driver_init"]
    assert made["toy_driver_init"].name == "async-toy_driver_init.patch"


def test_a_patched_file_is_read_as_patched(tmp_path):
    old = FILES["drivers/toy.c"]
    new = "/* moved\n * down */\n" + old.replace("-19", "0")
    diff = "".join(
        difflib.unified_diff(old.splitlines(True), new.splitlines(True), "a/drivers/toy.c", "b/drivers/toy.c")
    )
    (plain,) = source(tmp_path).definitions("toy_init")
    (patched,) = source(tmp_path, KernelPatch(name="toy.patch", text=diff)).definitions("toy_init")
    assert (plain.file, plain.line, plain.text) == ("drivers/toy.c", 1, old)
    assert (patched.file, patched.line, patched.text) == ("drivers/toy.c", 3, new)
    (untouched,) = source(tmp_path, KernelPatch(name="toy.patch", text=diff)).definitions("bus_init")
    assert untouched.file == "drivers/bus.c"
    assert len(source(tmp_path).definitions("both_init")) == 2
    assert source(tmp_path).definitions("no_such_init") == []


def test_a_kernel_that_is_not_built_has_no_source(tmp_path):
    system = SystemDescription(name="lab", kernel=Kernel(image="bzImage"), goal=Goal(console="done"))
    with pytest.raises(UserError, match="is not built"):
        KernelSource(Cache(tmp_path), system, {})
