"""What `bootlab analyze` is given: a recording of bootlab's own is read as its console."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from bootlab.cli.analysis_input import read
from bootlab.cli.analysis_request import Request
from bootlab.model.recording import Meta
from bootlab.targets import recording_dir
from bootlab.targets.recording_dir import DamagedRecording

CONSOLE = (
    b"SeaBIOS (version 1.16.2)\n"
    b"[    0.000000] Linux version 6.1.0 (me@here) (gcc 12) #1 SMP\n"
    b"[    0.390000] Run /init as init process\n"
    b"board login: \n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "boot"
    made.mkdir()
    recording_dir.save(made, Meta(), (), CONSOLE, None)
    return made


def test_a_recording_is_read_as_its_console(folder: Path):
    for name in (folder, folder / "recording.json"):
        analysis = read(str(name), Request(files=[str(name)]), export=False)
        (boot,) = analysis.boots
        assert analysis.name == str(folder)
        assert boot.stage("user-space-start").ns == 390_000_000  # type: ignore[union-attr]
        assert boot.stage("first-use").line == 4  # type: ignore[union-attr]


def test_a_packed_recording_is_read(folder: Path):
    recording_dir.pack(folder)
    assert lzma.decompress((folder / "console.log.xz").read_bytes()) == CONSOLE
    assert len(read(str(folder), Request(files=[]), export=False).boots) == 1


def test_a_damaged_recording_is_named(folder: Path):
    text = (folder / "recording.json").read_bytes()
    (folder / "recording.json").write_bytes(text[: len(text) // 2])
    with pytest.raises(DamagedRecording):
        read(str(folder), Request(files=[]), export=False)
