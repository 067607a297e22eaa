# SPDX-License-Identifier: MIT
"""The way of `bootlab stack` through the rooms, watched as it runs: calls go up the table of layers, tellings go down.

docs/architecture.md says what a layer may import; this says what happens at run time, where callbacks could hide a way
back.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import threading
from collections import Counter
from types import CodeType, FrameType
from typing import Any

import pytest
from typer.testing import CliRunner

import bootlab
from bootlab.cli.program import make_app
from bootlab.experiments.bench import Observer
from bootlab.experiments.campaign import Journal
from tests.conftest import REPLAYED, REPOSITORY

PACKAGE = str(REPOSITORY / "python" / "bootlab") + "/"
LAYERS = re.findall(
    r"^\* `(\w+)`: ",
    (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8").split("## Layers")[1].split("\n## ")[0],
    re.MULTILINE,
)
TOLD = {name for protocol in (Observer, Journal) for name, _ in inspect.getmembers(protocol, inspect.isfunction)}
"""Whoever boots or judges tells these to whoever listens; they answer nothing."""


@functools.cache
def room(code: CodeType) -> str | None:
    """Return the layer that a function lies in; None for other packages and for the bodies of modules and classes."""
    if not code.co_filename.startswith(PACKAGE) or not code.co_flags & inspect.CO_OPTIMIZED:
        return None
    name = code.co_filename.removeprefix(PACKAGE).split("/")[0].removesuffix(".py")
    return name if name in LAYERS else None


class Watch:
    """Counts calls from room to room."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self.against: set[tuple[str, str, str]] = set()
        self.functions: Counter[str] = Counter()

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        if event != "call" or (there := room(frame.f_code)) is None:
            return
        self.functions[f"{there}.{frame.f_code.co_name}"] += 1
        caller = frame.f_back
        while caller is not None and room(caller.f_code) is None:
            # What a module does while it is imported is not a call of whoever imports it first.
            caller = caller.f_back if caller.f_code.co_name != "<module>" else None
        here = room(caller.f_code) if caller is not None else None
        if here is None or here == there:
            return
        self.calls[here, there] += 1
        if LAYERS.index(there) > LAYERS.index(here):
            self.against.add((here, there, frame.f_code.co_name))


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> Watch:
    store = tmp_path_factory.mktemp("way")
    words = ["stack", str(REPLAYED), "quiet", "crypto-selftests", "no-timer-check", "--store", str(store)]
    # Imports are no calls from room to room, and watching them takes longer than the stack does.
    assert CliRunner().invoke(make_app(["stack"]), ["stack", "--help"]).exit_code == 0
    # A tracer that asks for no lines is told of calls only; a profiler also of every return and every C function.
    watch, before = Watch(), sys.gettrace()
    threading.settrace(watch)
    sys.settrace(watch)
    try:
        done = CliRunner().invoke(make_app(["stack"]), words)
    finally:
        sys.settrace(before)
        threading.settrace(before)
    assert done.exit_code == 0, done.output
    assert bootlab.Results.open(store=store).stacked
    return watch


def test_only_tellings_go_against_the_layers(watch: Watch) -> None:
    # A target's progress comes through a function that the bench made for one boot.
    # What is computed of a recording is kept with it (Recording.once), by a function that the asker brings.
    brought = {("targets", "experiments", "<lambda>")}
    brought |= {("model", layer, "<lambda>") for layer in ("analysis", "collectors", "techniques")}
    answers = {way for way in watch.against if way[2] not in TOLD and way not in brought}
    assert not answers
    assert {way[2] for way in watch.against} >= {"boot_started", "boot_ended", "phase", "trial", "step"}


def test_the_command_line_reaches_the_rooms_through_the_api(watch: Watch) -> None:
    reached = {there for here, there in watch.calls if here == "cli"}
    assert reached <= {"errors", "model", "views", "api"}


def test_no_fact_is_asked_twice(watch: Watch) -> None:
    assert watch.functions["experiments.proposals"] == 1
    assert watch.functions["experiments.establish"] == 1
    assert watch.functions["experiments.require_exact"] == 1
