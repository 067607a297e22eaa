# SPDX-License-Identifier: MIT
"""A row of the history that is not what was written is no boot: it is made again from its recording, or named."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa

from bootlab.errors import BootlabError
from bootlab.history.database import Database
from bootlab.history.entry import HistoryEntry, dated
from bootlab.history.of_recording import of_recording
from bootlab.recordings import recording_dir
from tests.conftest import REPLAYED
from tests.history.boots import entry
from tests.recordings import flips

RECORDING = next(path.parent for path in sorted(REPLAYED.parent.glob("fixture/*/recording.json")))
BOOT_COLUMNS = {
    "system": "another", "revision": "r7", "variant": "v", "session": "s", "at": "2031", "host": "h", "outcome": "hang",
    "clock": "printk", "exact": True, "insns": 7, "recording_key": "x", "facts": '{"a":"b"}', "digest": "0" * 64,
    "uid": "another",
}  # fmt: skip


def altered(history: Database, statement: str, **values: object) -> None:
    with history._engine.begin() as connection:
        assert connection.execute(sa.text(statement), values).rowcount == 1


@pytest.mark.parametrize("column", BOOT_COLUMNS)
def test_a_row_of_which_any_column_is_altered_is_no_boot(
    history: Database, column: str, caplog: pytest.LogCaptureFixture
):
    history.add([entry(1.0, number=1), entry(2.0, number=2)])
    first, second = history.entries()
    altered(history, f"UPDATE boots SET {column} = :new WHERE id = :id", new=BOOT_COLUMNS[column], id=first.id)
    with caplog.at_level(logging.WARNING, "bootlab"):
        assert history.entries() == [second]
    assert f"boot {first.id} of the history" in caplog.text
    assert "is left out" in caplog.text
    assert first.id is not None
    assert history.entry(first.id) is None
    assert history.entry(second.id or 0) == second


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE boot_values SET ns = ns + 1 WHERE boot = :id AND name = 'total'",
        "UPDATE boot_values SET name = 'toual' WHERE boot = :id AND name = 'total'",
        "UPDATE boot_values SET why_not = 'x' WHERE boot = :id AND name = 'total'",
        "DELETE FROM boot_values WHERE boot = :id AND name = 'kernel'",
    ],
)
def test_values_that_are_altered_are_no_boot(history: Database, statement: str):
    history.add([entry(1.0, number=1)])
    (boot,) = history.entries()
    altered(history, statement, id=boot.id)
    assert history.entries() == []


@pytest.mark.parametrize("dither", [0, 3])
def test_a_boot_whose_recording_is_kept_is_made_again(
    history: Database, tmp_path: Path, dither: int, caplog: pytest.LogCaptureFixture
):
    folder = tmp_path / "boot"
    shutil.copytree(RECORDING, folder)
    times = dated(of_recording(recording_dir.load(folder), dither=dither))
    history.add([HistoryEntry(system="camera", revision="r1", host="h", times=times)])
    (whole,) = history.entries()
    for statement in (
        "UPDATE boot_values SET ns = ns + 8 WHERE boot = :id AND name = 'total'",
        "UPDATE boots SET outcome = 'no such outcome' WHERE id = :id",
        "UPDATE boots SET facts = '{' WHERE id = :id",
    ):
        altered(history, statement, id=whole.id)
        caplog.clear()
        with caplog.at_level(logging.WARNING, "bootlab"):
            (again,) = history.entries()
        assert again == whole
        assert "it was made again from its recording" in caplog.text
        # What was healed stays so.
        caplog.clear()
        assert history.entries() == [whole]
        assert not caplog.text
    # Of which revision it was no recording knows.
    altered(history, "UPDATE boots SET revision = 'r2' WHERE id = :id", id=whole.id)
    assert history.entries() == []


def test_a_reader_heals_what_it_shows_and_changes_nothing(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'history.db'}"
    with Database(url) as database:
        database.add(
            [HistoryEntry(system="camera", revision="r1", times=dated(of_recording(recording_dir.load(RECORDING))))]
        )
        (whole,) = database.entries()
        altered(database, "UPDATE boots SET insns = 1 WHERE id = :id", id=whole.id)
    with Database(url, read_only=True) as database:
        assert database.entries() == [whole]
        with database._engine.connect() as connection:
            assert connection.execute(sa.text("SELECT insns FROM boots")).scalar() == 1


def test_no_flipped_bit_of_the_file_gives_another_boot(tmp_path: Path):
    made = tmp_path / "history.db"
    with Database(f"sqlite:///{made}") as database:
        database.add([entry(10.0 + n, number=n, revision=f"r{n}") for n in range(40)])
        whole = {msgspec.json.encode(msgspec.structs.replace(one, id=None)) for one in database.entries()}
    flipped, refused, short = tmp_path / "flipped.db", 0, 0
    for raw in flips.some(made.read_bytes(), 300):
        flips.put(flipped, raw)
        try:
            with Database(f"sqlite:///{flipped}", read_only=True) as database:
                found = [msgspec.json.encode(msgspec.structs.replace(one, id=None)) for one in database.entries()]
        except BootlabError:
            refused += 1
            continue
        assert whole.issuperset(found)
        short += len(found) < len(whole)
    assert refused + short > 50, "some of these flips must have hit a boot"
