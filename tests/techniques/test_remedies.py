# SPDX-License-Identifier: MIT
"""Kinds of cost and what helps against them: one table, for the techniques of other packages too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

import bootlab
from bootlab.logs.costs import CostKind
from bootlab.techniques import installed, registry, remedies
from bootlab.techniques.registry import BUILT_IN, Catalogue, get
from bootlab.techniques.remedies import ELSEWHERE, remedy, table
from bootlab.views.log.document import document

REPOSITORY = Path(__file__).resolve().parents[2]
WAITING = b"[    0.000000] Linux version 6.1.0 (a@b)\n[    0.200000] Waiting 3 sec before mounting root device...\n"


@pytest.fixture
def another_package(monkeypatch):
    """Another package's technique that addresses a kind of cost as a built-in one does."""

    class Mine(type(get("rootdelay-to-rootwait"))):
        id = "mine-against-root-delay"
        addresses = ("root-delay", "silence")

    found = Catalogue((*BUILT_IN, Mine()))
    monkeypatch.setattr(remedies, "others_may_be_installed", lambda: True)
    monkeypatch.setattr(registry, "catalogue", lambda: found)
    remedies.remedies.cache_clear()
    yield
    remedies.remedies.cache_clear()


def test_the_table_is_that_of_the_catalogue():
    said = [(kind, t.id) for t in BUILT_IN for kind in t.addresses]
    assert len({kind for kind, _ in said}) == len(said), "a kind of cost has one technique"
    assert dict(said) == remedies.BUILT_IN
    assert table(BUILT_IN) == remedies.remedies()
    assert not {t.id for t in BUILT_IN} & {name for name, _ in ELSEWHERE.values()}


def test_every_kind_of_cost_has_a_technique_or_a_place():
    assert set(get_args(CostKind)) == set(remedies.remedies())
    assert remedy("root-delay").way("my.toml") == "bootlab try my.toml rootdelay-to-rootwait"
    assert remedy("boot-loader-delay").way().startswith("boot loader")
    assert (remedy("of-a-newer-core").name, remedy("of-a-newer-core").way()) == ("of-a-newer-core", "")


def test_techniques_of_other_packages_are_in_the_table(another_package):
    assert remedy("root-delay").techniques == ("rootdelay-to-rootwait", "mine-against-root-delay")
    assert remedy("silence").way() == "bootlab try SYSTEM.toml mine-against-root-delay"
    analysis = bootlab.analyze(WAITING)
    costs = [cost for part in json.loads(document(analysis))["parts"] for cost in part["costs"]]
    (cost,) = [cost for cost in costs if cost["kind"] == "root-delay"]
    assert cost["technique"] == "rootdelay-to-rootwait"
    assert cost["techniques"] == ["rootdelay-to-rootwait", "mine-against-root-delay"]


def test_the_command_line_s_document_is_the_core_s_with_techniques():
    analysis = bootlab.analyze(WAITING)
    made = json.loads(document(analysis))
    for part in made["parts"]:
        for cost in part["costs"]:
            assert cost.pop("technique") == remedy(cost["kind"]).name
    assert made == json.loads(analysis.json)


def test_nothing_below_the_catalogue_knows_a_technique():
    """The crates and `logs` know kinds of cost. A word that is a kernel parameter or an ordinary one has no hyphen."""
    ids = {name for name in {t.id for t in BUILT_IN} | {name for name, _ in ELSEWHERE.values()} if "-" in name}
    # These are kinds of cost or of other things as well.
    ids -= set(get_args(CostKind))
    assert len(ids) > 80
    files = [*(REPOSITORY / "crates").glob("*/src/**/*.rs"), *(REPOSITORY / "python/bootlab/logs").glob("*.py")]
    for file in files:
        text = file.read_text()
        if "Do not edit" in text:
            # Made from the crate's types, whose words for other things may be like an id (`timer-frequency`).
            continue
        quoted = set(re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', text))
        assert not quoted & ids, file


def test_what_is_installed_is_seen_without_an_import(tmp_path, monkeypatch):
    assert not installed.others_may_be_installed()
    package = tmp_path / "mine-1.0.dist-info"
    package.mkdir()
    (package / "entry_points.txt").write_text("[bootlab.techniques]\nmine = my_package:Mine\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert installed.others_may_be_installed()
