# SPDX-License-Identifier: MIT
"""A file of costs from the lines of a board, and what it says where there is no board."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bootlab.costs.calibration.document import Calibrated, calibrated
from bootlab.costs.calibration.lines import read_lines
from bootlab.costs.cores import core_of, cores
from bootlab.costs.named import costs_of
from bootlab.data import source_folder
from bootlab.errors import UserError
from tests.costs.printed_lines import printed, rows, without


def of(found: list[tuple[str, dict[str, object]]] | None = None) -> Calibrated:
    return calibrated(read_lines(printed(found)))


def ends(found: Calibrated, name: str) -> tuple[float, float]:
    value = found.core.figures[name].between
    return value.low, value.high


def test_the_figures_are_those_of_the_processor():
    found = of()
    assert found.core.ghz == (round(1 / 1.05, 4), 1.0)
    assert ends(found, "mul") == (4, 4.2)
    assert ends(found, "div") == (6, 18.9)
    assert ends(found, "l1d_hit") == (3, 3.15)
    assert ends(found, "l2_hit") == (15, 15.8)
    assert ends(found, "dram_ns") == (120, 126)
    assert ends(found, "tlb_hit") == (6, 6.45)
    assert ends(found, "walk") == (37, 39)
    low, high = ends(found, "mispredict")
    assert low <= 8 <= 11 <= high
    shape = found.core.shape
    assert (shape.window, shape.misses, shape.streams, shape.history) == (0, 3, 4, 10)
    assert (shape.l1d, shape.l2, shape.l3) == ("32768:4:64", "524288:8:64", "")
    assert shape.dtlb == 20
    assert shape.tlb == 512


def test_an_out_of_order_window_is_where_misses_no_longer_overlap():
    deep = [("window", {"fillers": n, "least": 125_000 if n <= 128 else 250_000}) for n in (0, 16, 64, 128, 192, 256)]
    found = of([*without("window", "used"), ("used", {"least": 126_000}), *deep])
    assert found.core.shape.window == 163
    deep = [("window", {"fillers": n, "least": 125_000}) for n in (0, 16, 640)]
    assert of([*without("window", "used"), ("used", {"least": 126_000}), *deep]).core.shape.window == 512


def test_what_was_not_measured_is_as_wide_as_all_cores_known_and_says_why():
    found = of()
    known = [core.figures["crypto"].between for core in cores().values() if "arm64" in core.arch]
    assert ends(found, "crypto") == (min(one.low for one in known), max(one.high for one in known))
    source = found.core.sources[found.core.figures["crypto"].source]
    assert "the processor has no instruction for AES" in source
    assert any(one.startswith("crypto: not measured") for one in found.unknown)
    for name in ("system", "device_ns"):
        assert any(one.startswith(f"{name}: not measured") for one in found.unknown)


def test_every_figure_that_a_core_has_is_there_whatever_was_lost():
    wanted = {name for core in cores().values() if "arm64" in core.arch for name in core.figures} - {"l3_hit_ns"}
    for name in dict.fromkeys(name for name, _ in rows()):
        if name not in {"machine", "add_chain"}:
            found = of(without(name))
            assert wanted - ({"l2_hit"} if not found.core.shape.l2 else set()) <= set(found.core.figures), name
            assert {one.source for one in found.core.figures.values()} <= set(found.core.sources)
            assert found.core.shape.l1d, name


def test_the_plugin_knows_every_figure(tmp_path):
    known = Path(source_folder("", "cost-core.c", top="qemu-plugin") / "cost-core.c").read_text()
    names = set(re.findall(r'"([a-z0-9_]+)"', known))
    names |= {f"{name}_every" for name in names}
    file = tmp_path / "costs.toml"
    file.write_text(of().text())
    assert {word.split("=")[0] for word in core_of(str(file), "arm64").arguments} <= names


def test_the_file_is_one_of_costs(tmp_path):
    file = tmp_path / "costs.toml"
    file.write_text(of().text())
    costs = costs_of(str(file))
    assert costs.modelled == str(file)
    assert costs.console is not None
    assert costs.medium is not None
    assert costs.console.baud.low <= 115_200 <= costs.console.baud.high
    assert 20e6 < costs.medium.bytes_per_s.low < 1e12 / 48_000 < costs.medium.bytes_per_s.high
    assert "/dev/mmcblk0 as Linux reads it" in costs.medium.source
    core = core_of(costs.modelled, "arm64")
    assert core.core == of().core
    with pytest.raises(UserError, match="does not execute code for x86_64"):
        core_of(costs.modelled, "x86_64")


def test_an_emulator_is_no_board(tmp_path):
    slow = ("fresh_code", {"first": 120_000, "again": 300})
    found = of([*without("fresh_code"), slow])
    assert found.core.title.startswith("NO BOARD: Made-up Board")
    assert "no board's" in found.notes[0]
    assert found.medium is not None
    assert "no board's" in str(found.medium["source"])
    # Where reading the clock takes long, code that runs again seems slow too.
    assert of([*without("fresh_code"), ("fresh_code", {"first": 136_000, "again": 34_000})]).machine.emulated
    assert not of([*without("fresh_code"), ("fresh_code", {"first": 40_000, "again": 4_000})]).machine.emulated
    named = of([*without("fresh_code"), ("says", {"hypervisor": "TCGTCGTCGTCG"})])
    assert "TCGTCGTCGTCG" in named.machine.emulated


def test_a_virtual_machine_says_so_and_is_no_emulator():
    found = of([*rows(), ("says", {"vendor": "QEMU"})])
    assert found.machine.emulated == ""
    assert found.notes == ("measured in a virtual machine (QEMU)",)
    untested = of(without("fresh_code"))
    assert untested.machine.emulated == ""
    assert "could not be tested" in untested.notes[0]


def test_a_processor_that_gets_little_of_l3_has_as_much_in_its_model():
    caches = [
        ("cache", {"level": 1, "type": "Data", "size": "32K", "ways_of_associativity": 8, "coherency_line_size": 64}),
        ("cache", {"level": 2, "type": "Unified", "size": "512K", "ways_of_associativity": 8}),
        ("cache", {"level": 3, "type": "Unified", "size": "4096K", "ways_of_associativity": 16}),
    ]

    def chase(**ns: int) -> list[tuple[str, dict[str, object]]]:
        return [("chase", {"bytes": int(kib[1:]) << 10, "least": one * 1000}) for kib, one in ns.items()]

    little = chase(_16=3, _256=9, _768=30, _1024=40, _2048=110, _8192=120)
    assert of([*without("chase"), *caches, *little]).core.shape.l3 == "1048576:16:64"
    much = chase(_16=3, _256=9, _1024=30, _3072=40, _8192=120)
    assert of([*without("chase"), *caches, *much]).core.shape.l3 == "4194304:16:64"


def test_the_clock_and_the_machine_must_be_known():
    with pytest.raises(UserError, match="the time of a cycle is not in the lines"):
        of(without("add_chain"))
    with pytest.raises(UserError, match="no machine that bootlab knows"):
        of(without("machine"))


def test_a_line_that_is_none_and_a_page_cache_are_no_rates():
    quick = [("line", {"characters": n, "least": n * 1000, "most": n * 1100}) for n in (200, 2000)]
    found = of([*without("line", "medium_file"), *quick, ("medium_file", {"path": "/f", "past_cache": 0})])
    assert found.console is None
    assert any("faster than any serial line" in one for one in found.unknown)
    assert found.medium is not None
    assert "THROUGH the page cache" in str(found.medium["source"])


def test_a_file_that_is_none_is_refused(tmp_path):
    file = tmp_path / "costs.toml"
    file.write_text("[processor]\ntitle = 1\n")
    with pytest.raises(UserError, match="the costs"):
        costs_of(str(file))
    with pytest.raises(UserError, match="is no file of a core"):
        core_of(str(file), "arm64")
    with pytest.raises(UserError, match="cannot be read"):
        core_of(str(tmp_path / "none.toml"), "arm64")
    file.write_text('format = "bootlab-costs"\nversion = 9\n')
    with pytest.raises(UserError, match="version 9"):
        costs_of(str(file))
