# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.errors import UserError
from bootlab.kernelsource.expression import written
from bootlab.kernelsource.kconfig import Kconfig, read_kconfig
from tests.examples import examples
from tests.kernelsource.small_tree import write

ROOT = """\
mainmenu "Test"
include-dir := lib
cc-option = $(shell,try $(1))
flag := $(cc-option,-mfoo)
source "arch/$(SRCARCH)/Kconfig"
source "$(include-dir)/*/Kconfig"
source "nowhere/Kconfig"

config MODULES
\tbool "Modules"
\tmodules

menu "Drivers"
\tdepends on BUS || \\
\t\tARCH_OLD = "x y"
\tvisible if EXPERT

config DRIVER
\ttristate 'A driver' if !EXPERT # remark
\tdepends on m || $(cc-option,-mbar)
\tdefault m if BUS
\tselect HELPER if BUS
\timply NICE
\thelp
\t  First line.

\t    config NOT_A_SYMBOL

\t  Last line.
config SIZE
\tint "Size"
\trange 1 64 if BUS
\trange 1 8
\tdefault 4
endmenu

choice
\tprompt "Which"
\tdepends on BUS

config ONE
\tbool "One"
config TWO
\tbool "Two"
endchoice

if BUS
config INNER
\tdef_bool $(flag)
comment "a remark"
\tdepends on NOWHERE
endif

config DRIVER
\ttristate
\tdepends on SECOND
"""


@pytest.fixture
def small(tmp_path: Path) -> Kconfig:
    return read_kconfig(
        write(
            tmp_path,
            {
                "Kconfig": ROOT,
                "arch/toy/Kconfig": 'config BUS\n\tbool "Bus"\nconfig HELPER\n\ttristate\nconfig NICE\n\tbool "Nice"\n',
                "lib/a/Kconfig": "config LIB_A\n\tbool\n",
                "lib/b/Kconfig": 'config LIB_B\n\tbool "b"\n\tdepends on LIB_A if BUS\nsource "Kconfig"\n',
            },
        ),
        "toy",
    )


def test_symbols_and_files(small: Kconfig) -> None:
    assert {"BUS", "LIB_A", "LIB_B", "MODULES", "DRIVER", "SIZE", "ONE", "TWO", "INNER"} <= set(small.symbols)
    assert "NOT_A_SYMBOL" not in small.symbols
    assert small.files[:4] == ("Kconfig", "arch/toy/Kconfig", "lib/a/Kconfig", "lib/b/Kconfig")


def test_a_menu_and_an_if_put_conditions_on_what_is_inside(small: Kconfig) -> None:
    driver = small.symbols["DRIVER"]
    first = driver.definitions[0]
    assert driver.type == "tristate"
    assert driver.prompt == "A driver"
    assert written(first.depends) == '(BUS || ARCH_OLD = "x y") && (m || $(cc-option,-mbar))'
    assert written(first.prompt_if) == "EXPERT && !EXPERT"
    assert first.menu == ("Drivers",)
    assert written(driver.definitions[-1].depends) == "SECOND"
    assert written(small.symbols["INNER"].depends) == "BUS"
    assert written(small.symbols["INNER"].definitions[0].defaults[0].value) == "$(flag)"


def test_help_ends_where_the_indentation_does(small: Kconfig) -> None:
    assert small.symbols["DRIVER"].help == "First line.\n\n  config NOT_A_SYMBOL\n\nLast line."


def test_selects_and_implies(small: Kconfig) -> None:
    (helper, *_) = small.selected["HELPER"]
    assert (helper.by, helper.weak) == ("DRIVER", False)
    assert written(helper.condition).endswith("&& BUS")
    assert small.selected["NICE"][0].weak


def test_choice(small: Kconfig) -> None:
    choice = small.choices[small.symbols["ONE"].choice or 0]
    assert choice.members == ("ONE", "TWO")
    assert written(small.symbols["TWO"].visible) == "BUS"


def test_conditional_dependency(small: Kconfig) -> None:
    assert written(small.symbols["LIB_B"].depends) == "!BUS || LIB_A"


def test_a_folder_without_kconfig(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no Kconfig"):
        read_kconfig(tmp_path, "x86")


def test_nothing_outside_the_tree_is_read(tmp_path: Path) -> None:
    write(tmp_path, {"outside/Kconfig": "config OUT\n\tbool\n", "in/Kconfig": 'source "../outside/Kconfig"\n'})
    assert "OUT" not in read_kconfig(tmp_path / "in", "x86").symbols


RUBBISH = """config A|choice|endchoice|menu $(|endmenu|if (A|endif|\tdepends on A &&|\thelp|\tvisible if B|x = $(x)$(x)
y := $(call,$(x),$(1))|\tselect|\trange|\tdefault $(x) if|\tbool "open|source|source "*/.."|\\|\0\xff|config $(x)"""


@examples(100)
@given(st.lists(st.sampled_from([*RUBBISH.replace("\n", "|").split("|"), "\tdepends on " + "!(" * 300])))
def test_rubbish_does_not_crash(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    tree = write(tmp_path_factory.mktemp("rubbish"), {"Kconfig": "\n".join(lines)})
    read_kconfig(tree, "x86")


@pytest.mark.parametrize("arch", ["x86", "arm", "arm64", "riscv"])
def test_a_real_tree(arch: str) -> None:
    tree = os.environ.get("BOOTLAB_LINUX")
    if not tree:
        pytest.skip("BOOTLAB_LINUX=FOLDER names no kernel source")
    found = read_kconfig(Path(tree), arch)
    assert len(found.symbols) > 15_000
    assert found.symbols["EXT4_FS"].type == "tristate"
    assert found.symbols["EXT4_FS"].prompt == "The Extended 4 (ext4) filesystem"
    assert not [s.name for s in found.symbols.values() if s.type == "unknown" and s.prompt]
