# SPDX-License-Identifier: MIT
"""The command line holds arguments and printing: whatever it wants done, it asks of the API."""

from __future__ import annotations

import ast

import pytest

from tests.conftest import REPOSITORY
from tests.test_floor_plan import PACKAGE, imports, modules

FILES = sorted((REPOSITORY / "python" / "bootlab" / "cli").rglob("*.py"))
ALLOWED = {"errors", "host_packages", "model", "views", "api", "web", "timers", "cli"}
"""Errors, names of packages, plain data, what draws, the API, and the two rooms that stand on the API themselves."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_verb_calls_the_api_and_nothing_below_it(path):
    """Neither for a type nor by a module's name in a text: scripts can have all that a verb has."""
    text = path.read_text(encoding="utf-8")
    rooms = {name.split(".")[1] for name in imports(path, modules()) if "." in name}
    assert rooms <= ALLOWED, f"{path.name} imports {sorted(rooms - ALLOWED)}"
    named = {
        node.value.split(".")[1]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("bootlab.")
    }
    assert named & {place.stem for place in PACKAGE.iterdir()} <= ALLOWED, f"{path.name} names {sorted(named)}"
    assert "Bench(" not in text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_table_that_is_shown_was_kept_as_a_run(path):
    """`bootlab report last` shows whatever compared: a verb gives `show` the run, or there is none to give."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "show":
            assert len(node.args) == 4, f"{path.name}:{node.lineno}: which run is it?"
