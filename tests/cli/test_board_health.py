# SPDX-License-Identifier: MIT
"""`board health`: which boards are ill, for people, for programs, and as an exit code."""

from __future__ import annotations

import json

import msgspec
import pytest
from typer.testing import CliRunner

from bootlab.cli import __main__ as program
from bootlab.errors import UserError
from bootlab.history.database import Database
from tests.history.boots import entry


@pytest.fixture
def run(tmp_path):
    url = f"sqlite:///{tmp_path / 'history.db'}"
    made = []
    for number in range(20):
        for board, failed in (("desk", number == 4), ("rack", number % 4 == 1)):
            boot = entry(None if failed else 3000 + number, number=number, session=board)
            times = msgspec.structs.replace(boot.times, facts={"board": board}, key=f"{board}{number}")
            made.append(msgspec.structs.replace(boot, times=times))
    with Database(url) as history:
        history.add(made, times_only=True)
    return lambda *words: CliRunner().invoke(program.app, ["board", "health", *words, "--history", url])


def test_an_ill_board_is_an_exit_code(run):
    said = run()
    assert said.exit_code == 12
    assert said.output.splitlines() == [
        "desk: no sign of illness: 1 of 20 boots failed; last good boot: 2026-01-01 00:19",
        "rack: ill: 5 of 20 boots failed; last good boot: 2026-01-01 00:19",
    ]
    assert run("desk").exit_code == 0
    (told,) = json.loads(run("rack", "--json").output)["boards"]
    assert (told["ill"], told["failed"], told["judged"]) == (True, 5, 20)


def test_a_board_that_nobody_booted(run):
    said = run("shelf")
    assert isinstance(said.exception, UserError)
    assert said.exception.hint == "they name: desk, rack"
