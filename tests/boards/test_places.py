# SPDX-License-Identifier: MIT
"""Several places of labgrid at once: each boots, each is called after its place, one that fails is told as itself."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bootlab.api import places
from bootlab.errors import UserError
from bootlab.model.real_board import Board, LabgridPlace
from bootlab.model.system import Goal
from bootlab.systemfile.board import BoardFile
from tests.boards.labgrid_lab import Lab

needs_labgrid = pytest.mark.skipif(
    importlib.util.find_spec("labgrid") is None, reason="labgrid is not installed (pip install 'bootlab[board]')"
)


def file(**labgrid: object) -> BoardFile:
    place = LabgridPlace(place="a", reserve=(("board", "camera"),), **labgrid)  # type: ignore[arg-type]
    return BoardFile(board=Board(name="camera", labgrid=place), goal=Goal(console="up"))


def test_a_board_is_called_after_its_place() -> None:
    board = places.at_place(file(), "b").board
    assert (board.name, board.labgrid.place, board.labgrid.reserve) == ("b", "b", ())


def test_a_place_must_be_one_that_can_be_chosen() -> None:
    with pytest.raises(UserError, match=r"labgrid\.config names the place"):
        places.at_place(file(config="environment.yaml"), "b")
    with pytest.raises(UserError, match="named twice"):
        places.at_once(["boot"], ["a", "b", "a"])


@pytest.mark.parametrize(
    ("said", "keys"),
    [("", []), ("rubbish", []), ('{"a": 1}\n{"error": "e"}\n', ["a", "error"]), ('{"a": 1}\n{"b"', ["a"])],
)
def test_what_a_place_printed_is_read_as_far_as_it_goes(said: str, keys: list[str]) -> None:
    assert [key for document in places._documents(said) for key in document] == keys


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(tmp_path_factory.mktemp("lab"), ("near", "far")) as made:
        yield made


def bootlab(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bootlab.cli", *words, "--store", str(folder / "store")]
    environment = os.environ | {"COLUMNS": "200"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=1200)


@needs_labgrid
@pytest.mark.timeout(1800)
def test_places_boot_at_once_and_stand_side_by_side(lab: Lab, tmp_path: Path) -> None:
    board = str(lab.board_file())
    done = bootlab(tmp_path, "boot", "--board", board, "--place", "near", "--place", "far", "--repeat", "2")
    assert done.returncode == 0, done.stderr
    head = next(line for line in done.stdout.splitlines() if line.strip().startswith("stage"))
    assert head.split() == ["stage", "near", "ms", "far", "ms"]
    assert next(line for line in done.stdout.splitlines() if "reached the goal" in line).split()[-6:] == [
        *("2", "of", "2"),
        *("2", "of", "2"),
    ]
    said = done.stdout + done.stderr
    assert "near: boot 2: goal at" in said
    assert "far: boot 2: goal at" in said
    assert "each place is a board of its own" in said
    for place in lab.places:
        assert lab.truth(place).count("on") == 2
        assert lab.ask(place, "status").startswith("ok off")
        assert lab.free(place)


@needs_labgrid
@pytest.mark.timeout(1800)
def test_a_place_that_fails_is_told_and_the_other_boots(lab: Lab, tmp_path: Path) -> None:
    board = str(lab.board_file())
    words = ("boot", "--board", board, "--place", "near", "--place", "nowhere", "--json")
    done = bootlab(tmp_path, *words)
    assert done.returncode != 0
    near, nowhere = json.loads(done.stdout)["places"]
    assert (near["place"], near["exit_code"], near["error"]) == ("near", 0, "")
    assert near["documents"][0]["results"]["base"]["outcome"] == "goal"
    assert nowhere["exit_code"] == done.returncode
    assert "nowhere" in nowhere["error"]


@needs_labgrid
@pytest.mark.timeout(3000)
def test_a_technique_is_tried_at_all_places_at_once(lab: Lab, tmp_path: Path) -> None:
    words = ("try", "quiet", "--board", str(lab.board_file()), "--blocks", "3")
    done = bootlab(tmp_path, *words, "--place", "near", "--place", "far")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["technique", "near", "far"] in rows
    verdicts = next(row for row in rows if row[:1] == ["quiet"])
    assert len(verdicts) == 3
    assert "not" not in verdicts
    assert all(lab.free(place) for place in lab.places)
