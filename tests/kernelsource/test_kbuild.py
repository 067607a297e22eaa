# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.errors import UserError
from bootlab.kernelsource.expression import evaluate, written
from bootlab.kernelsource.kbuild import Kbuild
from bootlab.kernelsource.makefile import Makefile
from tests.examples import examples
from tests.kernelsource.small_tree import write

FILES = {
    "Makefile": "core-y := mm/\ndrivers-$(CONFIG_NET) += net/\nlibs-y := lib/\n",
    "Kbuild": "obj-y += drivers/\n",
    "arch/toy/Makefile": "ifdef CONFIG_MMU\nMMUEXT :=\nelse\nMMUEXT := -nommu\nendif\nexport MMUEXT\n"
    "head-y := arch/toy/kernel/head.o\ncore-y += arch/toy/kernel/\n",
    "arch/toy/kernel/Makefile": "obj-y := map$(MMUEXT).o entry_$(BITS).o\n",
    "mm/Makefile": "mm-y := nommu.o\nmm-$(CONFIG_MMU) := memory.o\nobj-y += mm.o\n",
    "net/Makefile": "obj-y += core.o\n",
    "lib/Makefile": "lib-$(CONFIG_SORT:m=y) += sort.o\n",
    "drivers/Makefile": "obj-$(CONFIG_BUS) += bus/\n",
    "drivers/bus/Makefile": "obj-$(CONFIG_TOY) += toy.o\ntoy-objs := main.o \\\n\tsub/hw.o\n"
    'toy-$(CONFIG_TOY_DEBUG) += debug.o\nifeq ($(CONFIG_WIDE),y)\nobj-y += wide.o\nelse ifneq ($(CONFIG_NAME),"x")\n'
    "obj-m += narrow.o\nendif\nobj-$(subst m,y,$(CONFIG_I2C)) += i2c.o\nobj-y += $(patsubst %.c,%.o,one.c two.c)\n"
    "ifeq ($(call cc-option,-mx),)\nobj-y += guess.o\nendif\n",
}


@pytest.fixture
def kbuild(tmp_path: Path) -> Kbuild:
    return Kbuild(write(tmp_path, FILES), "toy")


def state(kbuild: Kbuild, stem: str, **values: str) -> str:
    ways = kbuild.objects.get(stem, [])
    found = [evaluate(way.condition, lambda name: values.get(name, "n")) for way in ways]
    return max(found).text if found else "not there"


def test_folders_and_composites_carry_their_symbols(kbuild: Kbuild) -> None:
    (debug,) = kbuild.objects["drivers/bus/debug"]
    assert debug.symbols == ("TOY_DEBUG", "TOY", "BUS")
    assert debug.inside == ("drivers/bus/toy",)
    assert debug.steps[-1].makefile == "drivers/bus/Makefile"
    assert debug.steps[-1].line == 4
    assert "drivers/bus/toy" not in kbuild.objects
    assert state(kbuild, "drivers/bus/sub/hw", BUS="y", TOY="m") == "m"
    assert state(kbuild, "drivers/bus/sub/hw", BUS="m", TOY="y") == "m"
    assert state(kbuild, "net/core", NET="y") == "y"
    assert state(kbuild, "arch/toy/kernel/head") == "y"


def test_conditionals(kbuild: Kbuild) -> None:
    assert state(kbuild, "drivers/bus/wide", BUS="y", WIDE="y") == "y"
    assert state(kbuild, "drivers/bus/narrow", BUS="y", WIDE="y") == "n"
    assert state(kbuild, "drivers/bus/narrow", BUS="y") == "m"
    assert state(kbuild, "drivers/bus/narrow", BUS="y", NAME="x") == "n"
    assert state(kbuild, "drivers/bus/i2c", BUS="y", I2C="m") == "y"
    assert state(kbuild, "drivers/bus/two", BUS="y") == "y"
    assert state(kbuild, "lib/sort", SORT="m") == "y"


def test_a_list_that_is_set_anew_loses_what_it_had(kbuild: Kbuild) -> None:
    assert state(kbuild, "mm/nommu", MMU="y") == "n"
    assert state(kbuild, "mm/memory", MMU="y") == "y"
    assert state(kbuild, "mm/nommu") == "y"


def test_what_the_architecture_exports(kbuild: Kbuild) -> None:
    assert state(kbuild, "arch/toy/kernel/map", MMU="y") == "y"
    assert state(kbuild, "arch/toy/kernel/map-nommu", MMU="y") == "n"
    assert "64BIT" in written(kbuild.objects["arch/toy/kernel/entry_64"][0].condition)
    assert state(kbuild, "arch/toy/kernel/entry_64", **{"64BIT": "y"}) == "y"
    assert state(kbuild, "arch/toy/kernel/entry_32") == "y"


def test_what_the_compiler_decides_is_unknown(kbuild: Kbuild) -> None:
    assert state(kbuild, "drivers/bus/guess", BUS="y") == "unknown"
    assert state(kbuild, "drivers/bus/guess") == "n"


def test_no_such_architecture(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="arch/none/Makefile"):
        Kbuild(write(tmp_path, FILES), "none")


LINES = "obj-$(CONFIG_A)$(CONFIG_B) += a.o|"
LINES += "X := $(X) $(Y)|Y = $(X)$(X)|ifeq ($(X),|else|endif|ifdef|obj-y := $(foreach|$(|\t$(|else ifeq"


@examples(100)
@given(
    st.lists(st.sampled_from([*LINES.split("|"), "obj-y += $(if $(X),b.o)", "$(X)-y := $(Y:%=%.o)", "\\", "export"]))
)
def test_rubbish_does_not_crash(lines: list[str]) -> None:
    Makefile("\n".join(lines), {"SRCARCH": "x"})
