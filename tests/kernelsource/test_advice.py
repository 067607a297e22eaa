# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from bootlab.kernelsource.advice import Advisor
from bootlab.kernelsource.configuration import Configuration, from_text
from bootlab.kernelsource.kconfig import read_kconfig
from tests.kernelsource.small_tree import write

KCONFIG = """\
config MODULES
\tbool "Modules"
config BUS
\ttristate "Bus"
config CORE
\ttristate
config DRIVER
\ttristate "Driver"
\tdepends on BUS
\tselect CORE
config OPTION
\tbool "Option"
\tdepends on DRIVER
config OTHER
\ttristate "Other"
\tdepends on BUS || LAST
config LAST
\tbool "Last" if $(cc-option,-mlast)
config FAST
\tbool "Fast"
\tdepends on !BUS
config SIZE
\tint "Size"
\trange 1 8
choice
\tprompt "One of"
config LEFT
\tbool "Left"
config RIGHT
\tbool "Right"
endchoice
config ABSENT_OK
\tbool "Odd"
\tdepends on NOWHERE || NOWHERE = n
"""


def advisor(folder: Path, complete: bool = True, **values: str) -> Advisor:
    tree = write(folder, {"Kconfig": KCONFIG})
    return Advisor(read_kconfig(tree, "x86"), Configuration(values, complete))


def kinds(found: Advisor, symbol: str, value: str) -> list[str]:
    return [reason.kind for reason in found.why_not(symbol, value)]


def test_unmet_dependencies_with_their_values(tmp_path: Path) -> None:
    (reason,) = advisor(tmp_path, MODULES="y").why_not("CONFIG_DRIVER", "y")
    assert reason.kind == "unmet"
    assert reason.text == "DRIVER needs BUS"
    assert reason.values == (("BUS", "n"),)


def test_a_dependency_that_is_a_module_allows_a_module(tmp_path: Path) -> None:
    found = advisor(tmp_path, MODULES="y", BUS="m")
    assert kinds(found, "DRIVER", "m") == []
    (reason,) = found.why_not("DRIVER", "y")
    assert "at most" in reason.text
    assert kinds(found, "OTHER", "m") == []


def test_a_fragment_leaves_the_rest_unknown(tmp_path: Path) -> None:
    assert kinds(advisor(tmp_path, complete=False), "DRIVER", "y") == ["unknown"]


def test_what_the_compiler_decides_is_unknown(tmp_path: Path) -> None:
    (reason,) = advisor(tmp_path).why_not("LAST", "y")
    assert reason.kind == "unknown"
    assert "$(cc-option,-mlast)" in reason.text


def test_selected_symbols_do_not_go(tmp_path: Path) -> None:
    found = advisor(tmp_path, MODULES="y", BUS="y", DRIVER="y", CORE="y")
    assert kinds(found, "CORE", "n") == ["selected"]
    assert kinds(advisor(tmp_path), "CORE", "y") == ["no prompt"]


@pytest.mark.parametrize(
    ("symbol", "value", "expected"),
    [
        ("OPTION", "m", ["type"]),
        ("DRIVER", "maybe", ["type"]),
        ("SIZE", "9", ["range"]),
        ("SIZE", "x", ["type"]),
        ("SIZE", "8", []),
        ("LEFT", "n", ["choice"]),
        ("DRIVR", "y", ["no such symbol"]),
        ("BUS", "m", ["modules off"]),
        ("ABSENT_OK", "y", ["unmet"]),
        ("FAST", "y", []),
    ],
)
def test_other_reasons(tmp_path: Path, symbol: str, value: str, expected: list[str]) -> None:
    found = kinds(advisor(tmp_path, LEFT="y"), symbol, value)
    assert found[: len(expected)] == expected
    assert bool(found) == bool(expected)


def test_the_member_of_a_choice_that_is_set(tmp_path: Path) -> None:
    found = advisor(tmp_path, LEFT="y")
    assert found.chosen_instead("RIGHT") == "LEFT"
    assert found.chosen_instead("LEFT") == found.chosen_instead("BUS") == found.chosen_instead("NONE") == ""
    assert found.may_be("RIGHT", "y") == ("yes", ())


def test_dependents_go_on_to_theirs(tmp_path: Path) -> None:
    found = advisor(tmp_path, MODULES="y", BUS="y", DRIVER="y", CORE="y", OPTION="y", OTHER="y", LAST="y")
    assert [(d.symbol, d.through) for d in found.dependents("BUS")] == [("DRIVER", "BUS"), ("OPTION", "DRIVER")]
    assert [d.symbol for d in found.dependents("BUS", "m")] == ["DRIVER"]
    assert found.requiring("BUS") == ["DRIVER"]


def test_configuration_text() -> None:
    text = '# Automatically generated file; DO NOT EDIT.\nCONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C="x\\"y"\n'
    whole = from_text(text)
    assert (whole.value("A"), whole.value("B"), whole.value("C"), whole.value("D")) == ("y", "n", 'x"y', "n")
    assert from_text("CONFIG_A=y\n").value("D") is None
