# SPDX-License-Identifier: MIT
"""The typed views of the core's documents are made from the core's types, and nothing of them is written by hand."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import msgspec
import pytest

from bootlab import _core
from bootlab.logs.document import Document
from bootlab.model.recording import Loading
from bootlab.model.service import Service

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = sorted((ROOT / "crates/boottrace/tests/golden").rglob("*.json"))
MAKER = runpy.run_path(str(ROOT / "scripts/make-core-views.py"), run_name="made")


def test_the_views_are_those_of_the_core():
    """When this fails: python scripts/make-core-views.py."""
    for name, text in MAKER["modules"]().items():
        assert (ROOT / f"python/bootlab/logs/{name}.py").read_text(encoding="utf-8") == text, name


def test_a_field_that_the_core_gains_makes_a_view_stale(monkeypatch):
    schemas = [(name, json.loads(text)) for name, text in _core.document_schemas()]
    document = dict(schemas)["Document"]
    document["$defs"]["Cost"]["properties"]["new_ns"] = {"type": "integer"}
    monkeypatch.setattr(_core, "document_schemas", lambda: [(name, json.dumps(schema)) for name, schema in schemas])
    assert "new_ns" in MAKER["modules"]()["costs"]


def test_layers_below_have_the_core_s_fields_too():
    schemas = {name: json.loads(text) for name, text in _core.document_schemas()}
    assert set(schemas["Service"]["properties"]) == set(Service.__struct_fields__)
    assert MAKER["ELSEWHERE"] == {"Service": Service.__module__, "Loading": Loading.__module__}


@pytest.mark.parametrize("path", GOLDEN, ids=[path.stem for path in GOLDEN])
def test_every_document_reads_back_without_a_loss(path: Path):
    text = path.read_text(encoding="utf-8")
    document = msgspec.json.decode(text, type=Document)
    assert _fields(json.loads(text)) <= _fields(json.loads(msgspec.json.encode(document)))


def _fields(value: object, at: str = "") -> set[str]:
    """Return the paths of all fields of a document that hold something."""
    if isinstance(value, dict):
        return {path for key, part in value.items() for path in _fields(part, f"{at}.{key}")} | {at}
    if isinstance(value, list):
        return {path for part in value for path in _fields(part, f"{at}[]")} | {at}
    return {at}
