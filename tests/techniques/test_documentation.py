# SPDX-License-Identifier: MIT
"""The how-to's example is a technique that works."""

import re
import sys
import tomllib
import types
from pathlib import Path

import pytest

from bootlab.techniques import registry
from bootlab.techniques.base import Answer, Technique
from tests.techniques.recordings import context, evidence, written

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-technique.md"
TEXT = PAGE.read_text()


def _block(language):
    return re.search(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)[1]


@pytest.fixture
def technique(monkeypatch):
    module = types.ModuleType("my_package.serial_irq_sharing")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(_block("python"), str(PAGE), "exec"), module.__dict__)
    return module.SERIAL_IRQ_SHARING


def test_there_are_five_steps():
    assert re.findall(r"^## (\d)\. ", TEXT, re.MULTILINE) == ["1", "2", "3", "4", "5"]


def test_the_example_is_complete(technique):
    assert isinstance(technique, Technique)
    assert registry.unfilled(technique) == ()
    assert technique.id not in {known.id for known in registry.BUILT_IN}


def test_the_example_answers_from_a_real_boot(technique):
    answer = technique.applies(context("base"))
    assert answer.answer is Answer.YES
    assert "IRQ sharing enabled" in answer.evidence
    assert technique.applies(context("quiet")).answer is Answer.UNKNOWN
    changed = technique.changes(context("base"))[0].apply(evidence("base").system)
    assert changed.cmdline.value("8250.share_irqs") == "0"


def test_the_example_proves_its_effect(technique):
    after = written("[    1.1] Serial: 8250/16550 driver, 4 ports, IRQ sharing disabled")
    assert technique.took_effect(evidence("base"), after).shown
    assert not technique.took_effect(evidence("base"), evidence("nosmp")).shown


def test_the_entry_point_of_the_page_can_be_loaded(technique):
    points = tomllib.loads(_block("toml"))["project"]["entry-points"][registry.ENTRY_POINTS]
    (name, value), *_ = points.items()
    found = registry.load((registry.EntryPoint(name, value, registry.ENTRY_POINTS),))
    assert found.problems == ()
    assert found.techniques[-1].id == technique.id == name


@pytest.mark.parametrize("word", re.findall(r"`((?:tests|python|examples)/[\w./-]+\.\w+)`", TEXT))
def test_files_that_the_page_names_exist(word):
    assert (PAGE.parents[2] / word).exists()
