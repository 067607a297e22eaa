# SPDX-License-Identifier: MIT
"""A first boot beside later ones: which systems are booted, and what the table says of stages and units."""

from __future__ import annotations

import threading

import msgspec
import pytest

from bootlab.errors import UserError
from bootlab.experiments import self_check
from bootlab.experiments.again import Again
from bootlab.experiments.base import BaseFailedError
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.model.earlier import Earlier
from bootlab.model.recording import Line, Mark, Meta, Outcome, Recording
from bootlab.model.system import Clockwork, Goal, Kernel, SystemDescription
from bootlab.systemfile import load
from bootlab.targets.replay import ReplayTarget, record
from tests.conftest import REPLAYED

MS = 1_000_000
SYSTEM = SystemDescription(name="box", kernel=Kernel(image="/k"), goal=Goal(console="g"))


def boot(goal_ms: int, units: dict[str, int]) -> Recording:
    """Return a boot whose units run one after the other, each for so many milliseconds."""
    at, lines = 100, []
    for name, took in units.items():
        lines.append(Line(0, f"         Starting {name}.service - x...", 0, at * MS, at * MS))
        at += took
        lines.append(Line(0, f"[  OK  ] Finished {name}.service - x.", 0, at * MS, at * MS))
    marks = (
        Mark("power-on", 0),
        Mark("start-kernel", 10 * MS),
        Mark("user-space", 50 * MS),
        Mark("goal", goal_ms * MS),
    )
    meta = Meta(goal_ns=goal_ms * MS, outcome=Outcome.GOAL if goal_ms else Outcome.HANG, key=f"key{goal_ms}")
    return Recording(meta=meta, lines=tuple(lines), marks=marks)


class Boots:
    """A bench whose boots depend on how many went before."""

    def __init__(self, *boots: Recording) -> None:
        self._boots = boots
        self.asked: list[Earlier | None] = []

    def phase(self, *_: object) -> None:
        pass

    def submit(self, system: SystemDescription, label: str) -> Recording:
        number = system.earlier.boots if system.earlier else 0
        self.asked.append(system.earlier)
        assert label == f"boot {number + 1}"
        return self._boots[number]

    def wait_all(self, boots: list[Recording]) -> list[Recording]:
        return boots


@pytest.fixture(autouse=True)
def _exact(monkeypatch):
    monkeypatch.setattr(self_check, "require_exact", lambda *_: None)


def test_stages_and_units():
    bench = Boots(
        boot(400, {"systemd-machine-id-commit": 20, "ssh-keygen": 100, "nginx": 30}),
        boot(270, {"nginx": 30, "fsck": 12}),
    )
    found = compare(Again(1), bench, SYSTEM)
    assert bench.asked == [None, Earlier(boots=1)]
    rows = {row.title: (row.ns("boot1_ns"), row.ns("boot2_ns"), row.ns("saved_ns"), row.reason) for row in found.rows}
    assert rows["power-on to goal"] == (400 * MS, 270 * MS, 130 * MS, "")
    assert rows["kernel"] == (40 * MS, 40 * MS, 0, "")
    assert rows["ssh-keygen.service"] == (100 * MS, None, 100 * MS, "in boot 1 alone")
    assert rows["fsck.service"] == (None, 12 * MS, -12 * MS, "not in boot 1")
    assert "nginx.service" not in rows
    assert next(row.title for row in found.rows if row.values["group"] == "unit") == "ssh-keygen.service"
    assert found.headline == "boot 2 saves 130.000 ms of 400.000 (32.5 %); 2 units ran in boot 1 alone"
    assert [table.title for table in found.tables] == ["Stages", "Units and services"]


def test_how_the_boots_before_end_is_the_system_s():
    ends = Earlier(boots=1, end="power-button", after_goal_s=5)
    bench = Boots(*(boot(400 + n, {}) for n in range(3)))
    found = compare(Again(2), bench, msgspec.structs.replace(SYSTEM, earlier=ends))
    assert bench.asked == [None, ends, msgspec.structs.replace(ends, boots=2)]
    assert found.headline == "boot 3 takes longer by 2.000 ms of 400.000 (0.5 %)"
    assert len(found.tables) == 1


def test_refusals():
    with pytest.raises(BaseFailedError):
        compare(Again(1), Boots(boot(400, {}), boot(0, {})), SYSTEM)
    with pytest.raises(UserError, match="host's clock"):
        compare(Again(1), Boots(), msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free")))
    for wrong in (0, 10):
        with pytest.raises(UserError, match="cannot be made"):
            Again(wrong)


def test_a_replay_tells_first_and_later_boots_apart(cache, tmp_path):
    system = load(REPLAYED)
    target = ReplayTarget(system, cache)
    plan = target.plan(system)
    recording = target.boot(plan, tmp_path / "boot", stop=threading.Event())
    folder = tmp_path / "replay"
    folder.mkdir()
    played = msgspec.structs.replace(system, recordings=str(folder))
    record(folder, played, "timing", recording, plan.info)
    second = msgspec.structs.replace(played, earlier=Earlier())
    assert ReplayTarget(played, cache).plan(second).key != plan.key
    record(folder, second, "timing", recording, plan.info)
    with Bench(ReplayTarget(played, cache), tmp_path / "store", cache=cache) as bench:
        found = compare(Again(1), bench, played)
    assert found.headline == "boot 2 saves 0.000 ms of 3139.553 (0.0 %)"
