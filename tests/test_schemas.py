# SPDX-License-Identifier: MIT
"""The schemas that editors complete system files and board files by: every example keeps them, mistakes do not."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

jsonschema = pytest.importorskip(
    "jsonschema", reason="jsonschema is not installed (it comes with labgrid and kcidb-io)"
)

from bootlab.systemfile import template  # noqa: E402
from bootlab.systemfile.board_template import board_template  # noqa: E402
from tests.conftest import REPOSITORY  # noqa: E402

REFERENCE = REPOSITORY / "docs" / "reference"
SYSTEMS = sorted(REPOSITORY.glob("examples/*/system.toml"))


def schema(name: str) -> Any:
    read = json.loads((REFERENCE / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(read)
    return jsonschema.Draft202012Validator(read)


def wrong(name: str, text: str) -> list[str]:
    return [fault.message for fault in schema(name).iter_errors(tomllib.loads(text))]


@pytest.mark.parametrize("path", SYSTEMS, ids=lambda path: path.parent.name)
def test_every_example_keeps_the_schema(path: Path) -> None:
    assert wrong("system-file", path.read_text(encoding="utf-8")) == []


def test_what_new_writes_keeps_the_schema() -> None:
    assert len(SYSTEMS) > 20
    assert wrong("system-file", template("camera")) == []


@pytest.mark.parametrize(("text", "said"), [
    ('name = "a"\ngaol = 1\n[goal]\nconsole = "x"', "'gaol' was unexpected"),
    ('name = "a"\n[goal]\nconsole = "x"\n[clock]\nmode = "exakt"', "'exakt' is not one of"),
    ('name = "a"\n[goal]\nconsole = "x"\n[machine]\nmemory_mib = "much"', "'much' is not of type 'integer'"),
    ('name = "a"', "'goal' is a required property"),
])  # fmt: skip
def test_a_mistake_is_shown(text: str, said: str) -> None:
    assert any(said in one for one in wrong("system-file", text)), wrong("system-file", text)


def test_keys_have_their_meaning_beside_them() -> None:
    made = json.loads((REFERENCE / "system-file.schema.json").read_text(encoding="utf-8"))["$defs"]["RawKernel"]
    assert made["properties"]["image"]["description"].startswith("the kernel image: bzImage or vmlinux")
    assert sorted(made["properties"]["form"]["enum"]) == ["image", "vmlinux"]
    assert "](" not in json.dumps(made), "an editor shows no links of Markdown"


def test_boards_and_the_keys_of_a_drivers_own() -> None:
    assert wrong("board-file", board_template("camera")) == []
    driver = '[power]\ndriver = "tasmota"\nhost = "plug"\n'
    assert wrong("board-file", f'name = "camera"\n{driver}') == wrong("board-file", 'name = "camera"\n')
    assert any("'serail' was unexpected" in one for one in wrong("board-file", 'name = "a"\n[serail]\ndevice = "x"'))
