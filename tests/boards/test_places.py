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
from bootlab.boards.labgrid_place import NoPlace
from bootlab.boards.labgrid_tags import places_with, tags_of
from bootlab.errors import EnvironmentFault, UserError
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


@pytest.mark.parametrize("words", ["=", "board=", "=camera", "board=a,", "board=a,board=b"])
def test_what_is_no_tag_is_said(words: str) -> None:
    with pytest.raises(UserError, match="tag"):
        tags_of(words)
    assert tags_of("board=camera, room=3") == {"board": "camera", "room": "3"}


def test_names_alone_ask_nobody(tmp_path: Path) -> None:
    assert places.places_named(tmp_path / "no-such.toml", ["b", "a"]) == ["b", "a"]


@needs_labgrid
def test_a_coordinator_that_does_not_answer_is_told() -> None:
    with pytest.raises(EnvironmentFault, match=r"coordinator at 127\.0\.0\.1:1 does not answer"):
        places_with({"board": "camera"}, "127.0.0.1:1")


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
def test_places_are_found_by_their_tags(lab: Lab, tmp_path: Path) -> None:
    board = lab.board_file()
    for place, room in zip(lab.places, ("3", "4"), strict=True):
        lab.client("-p", place, "set-tags", "board=camera", f"room={room}")
    assert places.places_named(board, ["board=camera"]) == ["far", "near"]
    assert places.places_named(board, ["board=camera,room=3"]) == ["near"]
    assert places.places_named(board, ["room=3", "room=4"]) == ["near", "far"]
    assert places.places_named(board, ["board=camera", "near"]) == ["near", "far"]
    with pytest.raises(NoPlace, match="no place of labgrid has room=5") as caught:
        places.places_named(board, ["room=5"])
    assert "board=camera, room=3, room=4" in caught.value.hint
    done = bootlab(tmp_path, "boot", "--board", str(board), "--place", "board=camera", "--json")
    assert done.returncode == 0, done.stderr
    assert [one["place"] for one in json.loads(done.stdout)["places"]] == ["far", "near"]
    one = bootlab(tmp_path, "boot", "--board", str(board), "--place", "room=4")
    assert one.returncode == 0, one.stderr
    assert "far" in one.stdout
    assert "near" not in one.stdout
    assert all(lab.free(place) for place in lab.places)


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
