# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from bootlab.analysis import coverage
from bootlab.cli.program import VERBS, make_app
from bootlab.collectors.function_trace import parse
from bootlab.errors import UserError
from bootlab.kernelsource import devices
from bootlab.kernelsource.configuration import from_text
from bootlab.kernelsource.levers import levers_of
from bootlab.kernelsource.lookup import look_up
from bootlab.kernelsource.tree import ConfiguredTree
from bootlab.tracing import symbols as trace_symbols
from bootlab.views.functions import levers_page, levers_text
from tests.kernelsource.small_tree import write
from tests.rendered import to_text
from tests.trace.trace_writer import names, node, trace

DRIVER = """\
static const struct of_device_id ids[] = { { .compatible = "x,toy" }, {} };
static struct platform_driver toy_driver = { .driver = { .name = "toy" } };
static int probe_one(void)
{
}
module_platform_driver(toy_driver);
"""
FILES = {
    "Makefile": "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 7\nEXTRAVERSION = -rc1\ncore-y := init/ drivers/\n",
    "Kconfig": 'config MODULES\n\tbool "Modules"\nconfig TOY\n\ttristate "Toy"\nconfig TOY_MORE\n\tbool "More"\n'
    '\tdepends on TOY=y\nconfig OTHER\n\tbool "Other"\n\tselect HELD\nconfig HELD\n\tbool "Held"\n',
    "arch/x86/Makefile": "",
    "arch/x86/boot/dts/board.dts": '/ {\n\tserial@10000000 {\n\t\tcompatible = "x,toy", "x,old";\n\t\tchild { };\n};\n',
    "init/Makefile": "obj-y := main.o\n",
    "init/main.c": "void start(void)\n{\n}\nvoid next(void)\n{\n}\n",
    "drivers/Makefile": "obj-$(CONFIG_TOY) += toy.o\nobj-$(CONFIG_HELD) += held.o\nobj-$(CONFIG_OFF) += off.o\n",
    "drivers/toy.c": DRIVER,
    "drivers/held.c": "static int probe_one(void)\n{\n}\nint held(void)\n{\n}\n",
    "drivers/off.c": "int start(void)\n{\n}\nint off(void)\n{\n}\n",
}
CONFIG = "# Automatically generated file; DO NOT EDIT.\n"
CONFIG += "CONFIG_MODULES=y\nCONFIG_TOY=y\nCONFIG_TOY_MORE=y\nCONFIG_OTHER=y\nCONFIG_HELD=y\n"
TABLE = ["start", "hidden", "next", "probe_one", "toy_driver_init", "probe_one.isra.0", "held", "off"]


@pytest.fixture
def tree(tmp_path: Path) -> ConfiguredTree:
    place = write(tmp_path / "linux", FILES)
    return ConfiguredTree(place, cache=tmp_path / "cache", arch="x86_64", configuration=from_text(CONFIG))


def test_names_in_the_order_of_addresses(tree: ConfiguredTree) -> None:
    places = tree.resolver.resolve([(name, "") for name in TABLE])
    assert [p.stem.rpartition("/")[2] for p in places] == ["main", "main", "main", "toy", "toy", "", "held", ""]
    assert places[0].line == 1
    assert places[1].why == "is between functions of this object"
    assert places[3].why.startswith("its neighbours")
    assert places[5].certainty == "ambiguous"
    assert places[7].certainty == "unknown"
    assert places[7].others == ("drivers/off.c",)
    near = tree.resolver.resolve([(n, "") for n in ("held", "probe_one", "held")])
    assert near[1].file == "drivers/held.c"


def test_what_can_be_done(tree: ConfiguredTree) -> None:
    toy, start, held = levers_of(tree, [tree.resolver.named(n) for n in ("toy_driver_init", "start", "held")])
    (lever,) = toy.levers
    assert (lever.symbol, lever.value, lever.disable, lever.module) == ("TOY", "y", "yes", "yes")
    assert lever.dependents == ("TOY_MORE",)
    assert (toy.initcall, toy.driver) == ("module_platform_driver", "toy")
    assert any("initcall_blacklist=toy_driver_init" in said for said in toy.said)
    assert start.levers == ()
    assert held.levers[0].disable == "no"
    assert held.levers[0].selected_by == ("OTHER",)
    text = to_text(levers_text.lever_table([("initcall", 2_000_000, toy), ("", 1, start)]))
    assert "CONFIG_TOY" in text
    assert "always built" in text
    assert levers_page.levers_table([("", 1, toy)])["rows"]


def test_without_a_configuration_values_are_unknown(tree: ConfiguredTree, tmp_path: Path) -> None:
    bare = ConfiguredTree(tree.path, cache=tmp_path / "cache", arch="x86")
    assert bare.version == "6.1.7-rc1"
    (toy,) = levers_of(bare, [bare.resolver.named("toy_driver_init")])
    assert (toy.levers[0].value, toy.levers[0].disable, toy.levers[0].module) == ("unknown", "unknown", "unknown")


def test_devices_and_drivers(tree: ConfiguredTree) -> None:
    (found,) = devices.nodes(tree, "10000000.serial")
    assert (found.file, found.line, found.compatible) == ("arch/x86/boot/dts/board.dts", 2, ("x,toy", "x,old"))
    assert [p.file for p in devices.driven_by(tree, found.compatible)] == ["drivers/toy.c"]
    assert [p.file for p in devices.registering(tree, "toy")] == ["drivers/toy.c"]
    assert devices.nodes(tree, "serial8250") == []


def test_whatever_name_people_have_is_looked_up(tree: ConfiguredTree) -> None:
    symbol = look_up(tree, "CONFIG_TOY")
    assert symbol.known
    assert symbol.symbol is not None
    assert symbol.symbol.symbol == "TOY"
    device = look_up(tree, "10000000.serial")
    assert [node.line for node in device.nodes] == [2]
    assert [one.place.file for one in device.levers] == ["drivers/toy.c"]
    assert [one.place.file for one in look_up(tree, "toy").levers] == ["drivers/toy.c"]
    placed = tree.resolver.resolve([(name, "") for name in ("held", "probe_one", "held")])
    assert [one.place.file for one in look_up(tree, "probe_one", placed).levers] == ["drivers/held.c"]
    assert look_up(tree, "probe_one").levers[0].place.certainty == "ambiguous"
    assert not look_up(tree, "nothing").known


@pytest.mark.telling("where")
def test_where_prints_each_name_or_its_document(tree: ConfiguredTree, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(CONFIG)
    words = ["where", "toy_driver_init", "CONFIG_HELD", "10000000.serial"]
    options = ["--source", str(tree.path), "--config", str(tmp_path / "config"), "--arch", "x86_64"]
    text = CliRunner().invoke(make_app(VERBS), [*words, *options]).output
    assert all(word in text for word in ("toy_driver_init", "drivers/toy.c", "CONFIG_HELD=y", "board.dts:2"))
    done = CliRunner().invoke(make_app(VERBS), [*words, *options, "--json"])
    found = json.loads(done.output)["names"]
    assert [set(one) - {"name"} for one in found] == [{"found", "nodes"}, {"symbol"}, {"found", "nodes"}]
    with pytest.raises(UserError, match="not found"):
        CliRunner().invoke(make_app(VERBS), ["where", "nothing", *options], catch_exceptions=False)


def test_an_edited_file_is_seen(tree: ConfiguredTree, tmp_path: Path) -> None:
    assert tree.resolver.named("fresh").certainty == "unknown"
    write(tree.path, {"init/main.c": "void fresh(void)\n{\n}\n"})
    again = ConfiguredTree(tree.path, cache=tmp_path / "cache", arch="x86", configuration=from_text(CONFIG))
    assert again.resolver.named("fresh").certainty == "resolved"


def test_errors_say_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a kernel source tree"):
        ConfiguredTree(tmp_path, cache=tmp_path)
    with pytest.raises(UserError, match=r"which architecture.*arm64"):
        ConfiguredTree(write(tmp_path, FILES), cache=tmp_path, arch="arm64")


def test_without_a_configuration_this_machines_architecture_is_taken_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    place = write(tmp_path / "linux", FILES)
    assert ConfiguredTree(place, cache=tmp_path / "cache").srcarch == "x86"
    assert CliRunner().invoke(make_app(VERBS), ["where", "held", "--source", str(place)]).exit_code == 0
    monkeypatch.setattr("platform.machine", lambda: "sparc64")
    with pytest.raises(UserError, match=r"sparc64 .this machine.s. is not in"):
        ConfiguredTree(place, cache=tmp_path / "cache")


def test_of_two_files_the_initcall_that_is_no_module_is_the_answer(tmp_path: Path) -> None:
    """As acpi_init(): drivers/acpi/bus.c and a laptop's driver define it, and the driver is a module nearly always."""
    files = {
        "drivers/toy.c": "static int __init acpi_init(void)\n{\n}\nmodule_init(acpi_init);\n",
        "drivers/held.c": "\nstatic int __init acpi_init(void)\n{\n}\nsubsys_initcall(acpi_init);\n",
    }
    place = write(tmp_path / "linux", FILES | files)
    found = look_up(ConfiguredTree(place, cache=tmp_path / "cache", arch="x86"), "acpi_init").levers[0].place
    assert (found.certainty, found.file, found.line) == ("resolved", "drivers/held.c", 2)
    assert found.others == ("drivers/toy.c",)
    assert "drivers/toy.c" in found.why
    both = FILES | {"drivers/toy.c": files["drivers/held.c"], "drivers/held.c": files["drivers/toy.c"]}
    write(tmp_path / "linux", both | {"drivers/main.c": "", "drivers/Makefile": "obj-y += toy.o held.o\n"})
    unclear = look_up(ConfiguredTree(place, cache=tmp_path / "cache", arch="x86"), "acpi_init").levers[0].place
    assert unclear.certainty == "ambiguous"


def test_coverage_adds_up(tree: ConfiguredTree) -> None:
    table = [
        (0xFFFFFFFF81000000 + 16 * n, "t", name) for n, name in enumerate(["start", "next", "toy_driver_init", "held"])
    ]
    chosen = trace_symbols.choose(table, "x86_64")
    first = len(trace_symbols.BUCKETS)
    nodes = [node(first, 1, count=1, self_insns=5), node(first + 2, 1, count=1, self_insns=5)]
    raw = trace(nodes, insns=10, functions=len(chosen.names))
    traced = parse(raw, names("start", "next", "toy_driver_init", "held"))
    levers = levers_of(tree, tree.resolver.resolve([(name, "") for _, _, name in table]))
    covered = coverage.functions(traced, chosen, levers)
    assert [row.executed for row in covered] == [True, False, True, False]
    total = coverage.whole(covered)
    assert (total.functions, total.never, total.ran) == (4, 2, "partly")
    assert {c.name: c.ran for c in coverage.by_symbol(covered)} == {"HELD": "nothing", "TOY": "all"}
    assert sum(c.bytes for c in coverage.by_object(covered)) == total.bytes
    assert coverage.by_folder(covered)[0].name == "drivers"
    assert b"held,4096,0,drivers/held.o,HELD\n" in levers_text.coverage_csv(covered)
    assert "2 of 4 functions" in to_text(
        levers_text.coverage_view(total, [("By object", coverage.by_object(covered))], 5)
    )
    with pytest.raises(ValueError, match="another kernel"):
        coverage.functions(traced, trace_symbols.choose(table[:2] + table[3:], "x86_64"), ())
    assert np.all([row.bytes <= 4096 for row in covered])
    assert msgspec.json.encode(covered)
