# SPDX-License-Identifier: MIT
"""A builder on a tiny tree, and what it tells its observer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import KernelBuilder
from tests.builders.kbuild.fake_tree import make_tree


class Seen:
    def __init__(self) -> None:
        self.events: list[tuple[object, ...]] = []

    def build_started(self, label: str) -> None:
        self.events.append(("start",))

    def build_progress(self, label: str, made: int, expected: int | None, name: str) -> None:
        self.events.append((made, expected, name))

    def build_ended(self, label: str, wall_s: float) -> None:
        self.events.append(("end",))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "linux")


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def builder(tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch) -> KernelBuilder:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bison", "flex", "bc"):
        (tools / name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tools}")
    return KernelBuilder(Cache(tmp_path / "cache"), jobs=1, observer=seen)
