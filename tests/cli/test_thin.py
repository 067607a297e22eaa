"""The command line holds arguments and printing: whatever boots, it asks of the API."""

from __future__ import annotations

import ast

import pytest

from tests.conftest import REPOSITORY

FILES = sorted((REPOSITORY / "python" / "bootlab" / "cli").glob("*.py"))
BEHIND_THE_API = {
    "bootlab.builders.kbuild",
    "bootlab.experiments.base",
    "bootlab.experiments.campaign",
    "bootlab.experiments.self_check",
    "bootlab.experiments.stack",
    "bootlab.experiments.traced_boot",
    "bootlab.experiments.trial",
    "bootlab.experiments.trials",
    "bootlab.results",
    "bootlab.store.handover",
    "bootlab.store.runs",
    "bootlab.targets.choose",
    "bootlab.targets.qemu",
    "bootlab.targets.replay",
}


def imports(text: str) -> set[str]:
    """Return the modules that are imported when the file runs, not those of annotations."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    return {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_verb_boots_through_the_api(path):
    text = path.read_text(encoding="utf-8")
    assert not imports(text) & BEHIND_THE_API
    assert "Bench(" not in text


def test_every_name_that_is_barred_is_there():
    package = REPOSITORY / "python"
    for name in BEHIND_THE_API:
        place = package / name.replace(".", "/")
        assert place.is_dir() or place.with_suffix(".py").is_file(), name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_table_that_is_shown_was_kept_as_a_run(path):
    """`bootlab report last` shows whatever compared: a verb gives `show` the run, or there is none to give."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "show":
            assert len(node.args) == 4, f"{path.name}:{node.lineno}: which run is it?"
