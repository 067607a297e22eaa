# SPDX-License-Identifier: MIT
"""`bootlab report` and `bootlab boot` on a recording that was cut off or altered behind its back."""

from __future__ import annotations

import json
import lzma
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from bootlab.cli.__main__ import main

ROOT = Path(__file__).resolve().parents[2]


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def call(store: Path, *words: str) -> Done:
    """Run the program as a shell would, in this process: nothing of one call may be left to the next."""
    code = 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        patch.chdir(ROOT)
        patch.setattr(sys, "argv", ["bootlab", *words, "--store", str(store)])
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def booted(tmp_path_factory):
    """Return a folder with a store of one boot and a copy of it, and what that boot printed last."""
    folder = tmp_path_factory.mktemp("booted")
    store = folder / "store"
    done = call(store, "boot", "tests/replay/system.toml")
    assert done.returncode == 0, done.stderr
    assert call(store, "report", "last").returncode == 0
    shutil.copytree(store, folder / "whole", symlinks=True)
    return folder, done.stdout.splitlines()[-1]


@pytest.fixture
def store(booted):
    """Return the store as it was: runs name their boots by absolute paths, so it stays in its place."""
    shutil.rmtree(booted[0] / "store")
    return shutil.copytree(booted[0] / "whole", booted[0] / "store", symlinks=True)


@pytest.fixture
def bootlab(store):
    return partial(call, store)


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
def test_what_was_damaged_is_neither_shown_nor_taken(bootlab, booted, store, tmp_path, damage):
    (folder,) = (store / "boots").glob("[!.]*")
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
    assert again.stdout.splitlines()[-1] == booted[1]
    assert bootlab("report", "last").returncode == 0
