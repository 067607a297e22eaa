# SPDX-License-Identifier: MIT
"""What `bootlab analyze` is given: a recording of bootlab's own is read as its console with the machine's clock."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from bootlab.api.logs import read
from bootlab.model.recording import Meta
from bootlab.recordings import recording_dir
from bootlab.recordings.recording_dir import DamagedRecording
from bootlab.recordings.stamps import Stamps
from bootlab.views.log.document import document
from bootlab.views.log.text import analysis_view
from tests.rendered import to_text

LINES = (
    (100_000_000, b"SeaBIOS (version 1.16.2)\n"),
    (500_000_000, b"[    0.000000] Linux version 6.1.0 (me@here) (gcc 12) #1 SMP\n"),
    (900_000_000, b"[    0.390000] Run /init as init process\n"),
    (1_700_000_000, b"board login: \n"),
)


def recording(folder: Path, mode: str = "exact", goal_ns: int | None = None) -> Path:
    folder.mkdir()
    ends = np.cumsum([len(text) for _, text in LINES])
    times = np.array([ns for ns, _ in LINES])
    stamps = Stamps(ends=ends, ns=times, insns=times, marks={})
    console = b"".join(text for _, text in LINES)
    recording_dir.save(folder, Meta(mode=mode, goal_ns=goal_ns), (), console, stamps)  # type: ignore[arg-type]
    return folder


@pytest.mark.parametrize(("mode", "clock"), [("exact", "virtual"), ("free", "host")])
def test_a_recording_is_read_with_its_stamps(tmp_path: Path, mode: str, clock: str):
    folder = recording(tmp_path / "boot", mode)
    for name in (folder, folder / "recording.json"):
        (boot,) = read(str(name)).analysis.boots
        stages = {stage.event: stage for stage in boot.stages}
        assert boot.axis.clock == clock
        assert stages["first-use"].ns == 1_600_000_000  # after the first stamped line
        assert not stages["first-use"].at_least
        assert stages["kernel-start"].ns == 400_000_000


def shown(name: Path, **asked: object) -> tuple[str, dict]:
    """Return what the terminal shows of an input, and its document."""
    found = read(str(name), noted=sys.stderr.write, **asked)  # type: ignore[arg-type]
    return to_text(analysis_view(found.analysis, goal=found.goal)), json.loads(document(*found))


@pytest.mark.parametrize("name", ["", "recording.json", "console.log"])
def test_the_goal_is_the_recordings_whichever_of_its_files_is_named(tmp_path: Path, name: str):
    text, made = shown(recording(tmp_path / "boot", goal_ns=1_700_000_500) / name)
    assert "The goal came after 1700.001 ms on the virtual clock, as the boot was recorded." in text
    assert made["recorded_goal"] == {"ns": 1_700_000_500, "clock": "virtual", "text": "board login: "}
    # From the first line on, as the axis is; the goal is one event, with one figure.
    goal = next(line for line in text.splitlines() if line.lstrip().startswith("goal "))
    assert "1600.001" in goal
    assert "first-use" not in text
    assert "does not show" not in text


def test_a_goal_that_the_user_names_is_another_one(tmp_path: Path):
    text, made = shown(recording(tmp_path / "boot", goal_ns=1_700_000_500), goal="Run /init")
    assert "recorded_goal" not in made
    assert "to the goal" in text


def test_a_line_that_stands_twice_does_not_find_the_goal(tmp_path: Path):
    folder = tmp_path / "boot"
    folder.mkdir()
    lines = (*LINES, (2_500_000_000, b"board login: \n"))
    ends, times = np.cumsum([len(text) for _, text in lines]), np.array([ns for ns, _ in lines])
    console = b"".join(text for _, text in lines)
    stamps = Stamps(ends=ends, ns=times, insns=times, marks={})
    recording_dir.save(folder, Meta(goal_ns=2_500_000_000), (), console, stamps)
    found = read(str(folder))
    assert found.goal is not None
    assert found.goal.sought is None
    assert "after 2500.000 ms" in to_text(analysis_view(found.analysis, goal=found.goal))


def test_a_console_beside_a_damaged_description_is_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = recording(tmp_path / "boot", goal_ns=1_700_000_500)
    (folder / "recording.json").write_bytes(b"{}")
    text, made = shown(folder / "console.log")
    assert "is read as any log" in capsys.readouterr().err
    assert "recorded_goal" not in made
    assert "The goal came" not in text


def test_a_damaged_recording_is_named(tmp_path: Path):
    folder = recording(tmp_path / "boot")
    text = (folder / "recording.json").read_bytes()
    (folder / "recording.json").write_bytes(text[: len(text) // 2])
    with pytest.raises(DamagedRecording):
        read(str(folder))


def test_lines_behind_the_last_stamp_have_none(tmp_path: Path):
    folder = recording(tmp_path / "boot")
    console = b"".join(text for _, text in LINES)
    assert recording_dir.line_stamps(folder, console + b"more\n") == [ns for ns, _ in LINES]
    (folder / "stamps.npz").unlink()
    assert recording_dir.line_stamps(folder, console) is None
