# SPDX-License-Identifier: MIT
"""A history that is only looked at: the same answers as from the whole database, which answers where a file cannot."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import msgspec
import pytest
from alembic.script import ScriptDirectory

from bootlab.api.opened_history import boots_shown
from bootlab.history import rows, schema
from bootlab.history.database import Database
from bootlab.history.sqlite_file import TABLES, NotRead, SqliteFile
from bootlab.recordings import sealed
from tests.history.boots import entry


def made(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'history.db'}"
    odd = entry(7.0, number=50, system="Äther \N{ZERO WIDTH SPACE}'; --")
    with Database(url) as database:
        database.add([entry(1000.0 + n, number=n, variant="lz4" if n % 3 else "") for n in range(20)])
        database.add([entry(None, number=40), odd])
    return url


def altered(tmp_path: Path, statement: str) -> None:
    with sqlite3.connect(tmp_path / "history.db") as connection:
        connection.execute(statement)
    connection.close()


def test_a_file_gives_what_the_database_gives(tmp_path: Path) -> None:
    url = made(tmp_path)
    file = SqliteFile(url)
    with Database(url) as database:
        systems = database.systems()
        assert file.systems() == systems
        for name, _ in systems:
            assert file.entries(system=name) == database.entries(system=name)
        for asked in ({}, {"variant": "lz4"}, {"newest": 3}, {"system": "camera", "newest": 2}, {"system": "none"}):
            assert file.entries(**asked) == database.entries(**asked)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE boot_values SET ns = ns + 1 WHERE boot = 1 AND name = 'total'",
        "UPDATE boots SET exact = 1 WHERE id = 1",
        "UPDATE alembic_version SET version_num = '2'",
        "DROP TABLE alembic_version",
        "DROP TABLE boot_values",
    ],
)
def test_what_a_file_cannot_answer_is_left_to_the_database(tmp_path: Path, statement: str) -> None:
    url = made(tmp_path)
    altered(tmp_path, statement)
    with pytest.raises(NotRead):
        SqliteFile(url).entries()


@pytest.mark.parametrize("url", ["sqlite:///{}/none.db", "sqlite:///{}", "postgresql://host/name", "sqlite:///{}/%41"])
def test_what_is_no_file_is_left_to_the_database(tmp_path: Path, url: str) -> None:
    with pytest.raises(NotRead):
        SqliteFile(url.format(tmp_path))


def test_a_damaged_boot_is_left_out_of_what_is_shown(tmp_path: Path) -> None:
    url = made(tmp_path)
    altered(tmp_path, "UPDATE boots SET revision = 'other' WHERE id = 1")
    _, boots = boots_shown("camera", url=url)
    assert [boot.id for boot in boots] == list(range(2, 22))


def test_a_file_that_is_not_there_is_not_made_to_be_looked_at(tmp_path: Path) -> None:
    """A mistyped path left a folder and an empty database behind."""
    url = f"sqlite:///{tmp_path / 'mistyped' / 'history.db'}"
    assert boots_shown("camera", url=url) == ([], [])
    assert boots_shown(None, store=tmp_path / "store") == ([], [])
    assert [*tmp_path.iterdir()] == []


def test_the_tables_that_a_file_is_read_by_are_the_newest() -> None:
    assert ScriptDirectory.from_config(schema._config()).get_current_head() == TABLES


def test_a_row_has_the_digest_of_a_document() -> None:
    """Histories hold digests of rows that were written as documents."""
    times = entry(1000.0, number=1).times
    names = {"a'b": 1, 'a"b': 2, "a": 3, "a b": 4, "é": 5, "a\\": 6}
    times = msgspec.structs.replace(times, values=times.values | names, not_measured={"kernel x": "why"})
    row, values = rows.row_of(msgspec.structs.replace(entry(1.0, number=1), times=times), "u")
    kept = sorted(([name, ns, why] for name, ns, why in values), key=repr)
    without = {name: value for name, value in row.items() if name not in {"object", "digest"}}
    assert row["digest"] == sealed.digest_of({**without, "values": kept})


def test_showing_noisy_boots_of_a_file_imports_no_library_of_databases_or_numbers(tmp_path: Path) -> None:
    import subprocess  # noqa: PLC0415

    code = (
        "import sys; from bootlab.cli.__main__ import main\n"
        f"sys.argv = ['bootlab', 'history', 'show', 'camera', '--history', {made(tmp_path)!r}]\n"
        "main(); print('loaded', sorted({'sqlalchemy', 'alembic', 'typer', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "whole boot" in done.stdout
    assert "loaded []" in done.stdout
