"""What `bootlab analyze` is given: a recording of bootlab's own is read as its console with the machine's clock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bootlab.cli.analysis_input import read
from bootlab.cli.analysis_request import Request
from bootlab.model.recording import Meta
from bootlab.targets import recording_dir
from bootlab.targets.recording_dir import DamagedRecording
from bootlab.targets.stamps import Stamps

LINES = (
    (100_000_000, b"SeaBIOS (version 1.16.2)\n"),
    (500_000_000, b"[    0.000000] Linux version 6.1.0 (me@here) (gcc 12) #1 SMP\n"),
    (900_000_000, b"[    0.390000] Run /init as init process\n"),
    (1_700_000_000, b"board login: \n"),
)


def recording(folder: Path, mode: str = "exact") -> Path:
    folder.mkdir()
    ends = np.cumsum([len(text) for _, text in LINES])
    times = np.array([ns for ns, _ in LINES])
    stamps = Stamps(ends=ends, ns=times, insns=times, marks={})
    console = b"".join(text for _, text in LINES)
    recording_dir.save(folder, Meta(mode=mode), (), console, stamps)  # type: ignore[arg-type]
    return folder


@pytest.mark.parametrize(("mode", "clock"), [("exact", "virtual"), ("free", "host")])
def test_a_recording_is_read_with_its_stamps(tmp_path: Path, mode: str, clock: str):
    folder = recording(tmp_path / "boot", mode)
    for name in (folder, folder / "recording.json"):
        (boot,) = read(str(name), Request(files=[str(name)]), export=False).boots
        stages = {stage.event: stage for stage in boot.stages}
        assert boot.axis.clock == clock
        assert stages["first-use"].ns == 1_600_000_000  # after the first stamped line
        assert not stages["first-use"].at_least
        assert stages["kernel-start"].ns == 400_000_000


def test_a_damaged_recording_is_named(tmp_path: Path):
    folder = recording(tmp_path / "boot")
    text = (folder / "recording.json").read_bytes()
    (folder / "recording.json").write_bytes(text[: len(text) // 2])
    with pytest.raises(DamagedRecording):
        read(str(folder), Request(files=[]), export=False)


def test_lines_behind_the_last_stamp_have_none(tmp_path: Path):
    folder = recording(tmp_path / "boot")
    console = b"".join(text for _, text in LINES)
    assert recording_dir.line_stamps(folder, console + b"more\n") == [ns for ns, _ in LINES]
    (folder / "stamps.npz").unlink()
    assert recording_dir.line_stamps(folder, console) is None
