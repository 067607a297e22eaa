# SPDX-License-Identifier: MIT
"""A board's boot is itself: added twice it is one, added late it stands where it was made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bootlab.api.history import keep, measured, open_history
from bootlab.history.of_recording import of_recording
from bootlab.model.recording import Mark, Meta, Outcome, Recording
from bootlab.recordings import recording_dir


def recorded(
    folder: Path, *, made_at: str = "", goal_ns: int = 1_000_000, outcome: Outcome = Outcome.GOAL
) -> Recording:
    """Return a board's boot; all of one board and system have one key."""
    folder.mkdir(parents=True)
    meta = Meta(
        key="k" * 32,
        system_name="camera",
        mode="free",
        goal_clock="wall",
        made_at=made_at,
        outcome=outcome,
        board="camera",
    )
    if outcome is Outcome.GOAL:
        meta = Meta(**{name: getattr(meta, name) for name in meta.__struct_fields__} | {"goal_ns": goal_ns})
    recording_dir.save(folder, meta, (Mark("power-on", 0), Mark("goal", goal_ns)), b"camera: ready\n", None)
    return recording_dir.load(folder)


@pytest.fixture
def history(tmp_path):
    with open_history(f"sqlite:///{tmp_path}/history.db", objects=tmp_path / "objects") as database:
        yield database


def add(history, recording: Recording, **given: str) -> int:
    return keep(history, measured(recording.path).boots, **({"system": "camera", "revision": "v1"} | given))


def test_a_recording_carries_its_date(tmp_path):
    made_at = recorded(tmp_path / "a").meta.made_at
    assert made_at.endswith("+00:00")
    assert json.loads((tmp_path / "a/recording.json").read_text())["meta"]["made_at"] == made_at
    kept = recording_dir.load(tmp_path / "a")
    again = recording_dir.restate(tmp_path / "a", kept, kept.meta)
    assert again.meta.made_at == made_at


@pytest.mark.parametrize("outcome", [Outcome.GOAL, Outcome.HANG])
def test_the_same_boot_is_added_once_and_others_as_often_as_they_were_made(history, tmp_path, outcome):
    first, second = (recorded(tmp_path / name, outcome=outcome) for name in "ab")
    assert [add(history, first), add(history, first), add(history, second), add(history, second)] == [1, 0, 1, 0]
    assert len(history.entries(system="camera")) == 2


def test_a_late_upload_stands_where_it_was_made(history, tmp_path):
    for name, made_at in (("new", "2026-05-02T10:00:00.000000+00:00"), ("late", "2026-05-01T10:00:00.000000+00:00")):
        add(history, recorded(tmp_path / name, made_at=made_at), revision=name)
    assert [entry.revision for entry in history.entries(system="camera")] == ["late", "new"]
    assert history.entries(system="camera")[0].at == "2026-05-01T10:00:00.000000+00:00"


def test_a_recording_without_a_date_and_a_log_are_added_once(history, tmp_path):
    """Older recordings have no date: they get the present one, and are the same boot when they come again."""
    times = of_recording(recorded(tmp_path / "a"))
    undated = type(times)(**{name: getattr(times, name) for name in times.__struct_fields__} | {"at": ""})
    log = tmp_path / "dmesg.txt"
    log.write_text("[    0.000000] Linux version 6.1 (a@b) (gcc) #1\n[    0.500000] Run /sbin/init as init process\n")
    for boots in ((undated,), measured(log).boots):
        assert [keep(history, boots, system="camera", revision="v1") for _ in range(2)] == [1, 0]
    assert all(entry.at for entry in history.entries(system="camera"))
