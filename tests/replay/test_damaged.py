"""`bootlab report` and `bootlab boot` on a recording that was cut off or altered behind its back."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bootlab(tmp_path):
    def run(*words: str):
        command = [sys.executable, "-m", "bootlab.cli", *words, "--store", str(tmp_path / "store")]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)

    return run


def cut_off(folder: Path) -> str:
    console = next(folder.glob("console.log*"))
    console.write_bytes(console.read_bytes()[:-40])
    return console.name


def altered(folder: Path) -> str:
    console = folder / "console.log.xz"
    text = lzma.decompress(console.read_bytes())
    console.write_bytes(lzma.compress(text.replace(b"Linux version", b"Linux Version")))
    return console.name


def another_goal(folder: Path) -> str:
    file = folder / "recording.json"
    document = json.loads(file.read_text())
    document["meta"]["goal_ns"] -= 1_000_000
    file.write_text(json.dumps(document))
    return file.name


def no_json(folder: Path) -> str:
    (folder / "recording.json").write_bytes(b"\0" * 500)
    return "recording.json"


def half_a_table(folder: Path) -> str:
    file = folder / "stamps.npz"
    file.write_bytes(file.read_bytes()[:100])
    return file.name


@pytest.mark.parametrize("damage", [cut_off, altered, another_goal, no_json, half_a_table])
def test_what_was_damaged_is_neither_shown_nor_taken(bootlab, tmp_path, damage):
    booted = bootlab("boot", "tests/replay/system.toml")
    assert booted.returncode == 0, booted.stderr
    assert bootlab("report", "last").returncode == 0
    (folder,) = (tmp_path / "store" / "boots").iterdir()
    name = damage(folder)

    shown = bootlab("report", "last")
    assert shown.returncode == 2, shown.stdout
    assert f"{name} is damaged" in shown.stderr
    assert "boot the system again" in shown.stderr
    page = bootlab("report", "last", "--html", str(tmp_path / "page.html"))
    assert page.returncode == 2
    assert not (tmp_path / "page.html").exists()

    again = bootlab("boot", "tests/replay/system.toml")
    assert again.returncode == 0
    assert "booted again" in again.stderr
    assert f"{name} is damaged" in again.stderr
    assert again.stdout.splitlines()[-1] == booted.stdout.splitlines()[-1]
    assert bootlab("report", "last").returncode == 0
