# SPDX-License-Identifier: MIT
from __future__ import annotations

import re
from pathlib import Path

import pytest

from bootlab.costs.cores import core_of, cores, named_core
from bootlab.data import source_folder
from bootlab.errors import UserError
from bootlab.model.costs import Between


@pytest.mark.parametrize("name", cores())
def test_every_figure_of_a_core_names_a_source_of_its_file(name):
    core = cores()[name]
    used = {figure.source for figure in core.figures.values()} | {core.shape.source}
    assert used == set(core.sources)
    assert all(0 <= figure.between.low <= figure.between.high for figure in core.figures.values())
    assert 0 < core.ghz[0] <= core.ghz[1]


def test_the_plugin_knows_every_figure():
    known = Path(source_folder("", "cost-core.c", top="qemu-plugin") / "cost-core.c").read_text()
    names = set(re.findall(r'"([a-z0-9_]+)"', known))
    names |= {f"{name}_every" for name in names}
    for name, core in cores().items():
        chosen = named_core(name)
        assert chosen is not None
        assert {word.split("=")[0] for word in chosen.arguments} <= names, core.title


def test_every_core_has_a_figure_for_everything():
    """A figure that is missing would be nothing, for the plugin takes it for 0."""
    x86, l3 = {"string_byte"}, {"l3_hit_ns"}
    all_names = {name for core in cores().values() for name in core.figures} - x86 - l3
    for name, core in cores().items():
        wanted = all_names | (x86 if "x86_64" in core.arch else set()) | (l3 if core.shape.l3 else set())
        assert set(core.figures) == wanted, name


def test_nanoseconds_become_cycles_of_the_clock():
    slow, fast = named_core("cortex-a8@500MHz"), named_core("cortex-a8@1GHz")
    assert slow is not None
    assert fast is not None
    assert slow.ghz == Between(0.5, 0.5)
    figures = fast.core.figures
    ns = figures["dram_ns"].between
    for one, ghz in ((slow, 0.5), (fast, 1.0)):
        assert f"dram={ns.low * ghz:.4f}:{ns.high * ghz:.4f}" in one.arguments
        wrong = figures["mispredict"].between
        assert f"mispredict={wrong.low:.4f}:{wrong.high:.4f}" in one.arguments


def test_a_source_says_where_it_was_looked_up_or_that_it_was_not():
    """A repository, a page, or the words that say that nobody looked."""
    place = re.compile(r"github\.com/|\.com|\.net|\.dev|\.de |from memory|not found|every source below")
    for name, core in cores().items():
        assert [key for key, text in core.sources.items() if not place.search(text)] == [], name


def test_a_core_is_refused_that_is_not_known_or_of_another_machine():
    with pytest.raises(UserError, match="no core is called"):
        core_of("cortex-a999", "arm")
    with pytest.raises(UserError, match="no core is called"):
        core_of("cortex-a8@fast", "arm")
    with pytest.raises(UserError, match="cannot be"):
        core_of("cortex-a8@99GHz", "arm")
    with pytest.raises(UserError, match="does not execute code for x86_64") as raised:
        core_of("cortex-a8", "x86_64")
    assert "x86-large" in raised.value.hint
