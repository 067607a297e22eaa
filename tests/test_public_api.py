# SPDX-License-Identifier: MIT
"""The public API: its names are listed, can be had, and the guides use no others."""

from __future__ import annotations

import re

import pytest

import bootlab
from bootlab import extend
from bootlab.api import plain_rows
from bootlab.errors import UserError
from tests.conftest import REPLAYED, REPOSITORY

LISTED = REPOSITORY / "tests" / "public_api.txt"
_IMPORT = re.compile(r"^\s*(?:>>> )?(?:from (bootlab[\w.]*) import (.+)|import (bootlab[\w.]*))", re.MULTILINE)


def public() -> list[str]:
    """Return every public name, with its module."""
    return sorted(f"{module.__name__}.{name}" for module in (bootlab, extend) for name in module.__all__)


def test_a_public_name_goes_only_by_a_decision():
    """Change the list with a line in the changelog: a name that is gone is a new major version."""
    assert LISTED.read_text(encoding="utf-8").split() == public()


@pytest.mark.parametrize("module", [bootlab, extend])
def test_every_public_name_is_there(module):
    assert [name for name in module.__all__ if getattr(module, name) is None] == []
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        module.nothing_of_that_name  # noqa: B018


def test_the_guides_import_public_names_only():
    """The fixtures of bootlab's pytest plugin are public too."""
    allowed = {"bootlab", "bootlab.extend", "bootlab.pytest_plugin"}
    seen = set()
    for page in [*(REPOSITORY / "docs").rglob("*.md"), REPOSITORY / "README.md"]:
        for module, names, plain in _IMPORT.findall(page.read_text(encoding="utf-8")):
            seen.add(module or plain)
            assert (module or plain) in allowed, f"{page.name} imports from {module or plain}"
            if module == "bootlab.extend":
                assert set(names.replace(" ", "").split(",")) <= set(extend.__all__), page.name
    assert {"bootlab", "bootlab.extend"} <= seen


def test_rows_and_stages_of_a_boot(tmp_path):
    boot = bootlab.System.load(REPLAYED, store=tmp_path / "store").boot()
    rows = boot.rows()
    assert [row["stage"] for row in rows] == [stage.name for stage in boot.stages]
    assert {tuple(row) for row in rows} == {("stage", "start_ns", "duration_ns", "clock")}
    assert boot.stage("kernel").duration_ns == next(row["duration_ns"] for row in rows if row["stage"] == "kernel")
    assert boot.total is not None
    assert boot.total.duration_ns == boot.goal_ns == sum(stage.duration_ns for stage in boot.stages)
    with pytest.raises(UserError, match="no stage 'shutdown'") as said:
        boot.stage("shutdown")
    assert "kernel set-up" in said.value.hint
    assert boot.results.rows() == rows
    assert "<td>kernel set-up</td>" in boot._repr_html_()


def test_rows_of_trials(tmp_path):
    results = bootlab.System.load(REPLAYED, store=tmp_path / "store").try_("quiet", "lpj-preset")
    by_change = {row["change"]: row for row in results.rows()}
    assert by_change["quiet"]["verdict"] == "faster"
    assert by_change["lpj-preset"]["effect_shown"] is False
    assert "<td>no effect shown</td>" in results._repr_html_()


def test_a_table_escapes_what_it_shows():
    assert "<script>" not in plain_rows.as_html("<script>", [{"<script>": "<script>", "goal_ns": None}])
    assert plain_rows.as_html("a & b", []) == "<p>a &amp; b</p>"
