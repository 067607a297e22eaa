# SPDX-License-Identifier: MIT
"""The history's database: the same answers from SQLite and PostgreSQL, many writers, writers that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from bootlab.errors import EnvironmentFault, UserError
from bootlab.history import database as database_module
from bootlab.history import retention, schema
from bootlab.history.database import Database
from bootlab.history.tables import METADATA
from bootlab.history.trend import trends
from tests.conftest import REPOSITORY
from tests.history.boots import entry
from tests.history.conftest import fresh

WRITER = Path(__file__).with_name("writer.py")


def series() -> list:
    levels = [1000.0] * 12 + [1100.0] * 12
    made = [
        entry(
            level + (number * 7919 % 11) / 10,
            number=number,
            revision=f"r{number // 4}",
            variant="lz4" if number > 11 else "",
        )
        for number, level in enumerate(levels)
    ]
    return [
        *made,
        entry(None, number=30, revision="r9"),
        entry(5.0, number=31, system="Äther \N{ZERO WIDTH SPACE}'; --"),
    ]


def test_what_was_added_is_there_once(history: Database) -> None:
    assert history.add(series()) == len(series())
    assert history.add(series()) == 0
    found = history.entries(system="camera")
    assert len(found) == 25
    plain = [msgspec.structs.replace(one, id=None) for one in found]
    assert plain == [one for one in series() if one.system == "camera"]
    assert history.entries(system="camera", newest=2) == found[-2:]
    assert [one.revision for one in history.entries(system="camera", revision="r1")] == ["r1"] * 4
    assert len(history.entries(system="camera", variant="lz4")) == 12
    assert history.revisions("camera") == ["r0", "r1", "r2", "r3", "r4", "r5", "r9"]


def test_all_boots_of_a_call_or_none(history: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    put, calls = database_module._put_values, []

    def cut_off(*given: object) -> None:
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        put(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(database_module, "_put_values", cut_off)
    with pytest.raises(KeyboardInterrupt):
        history.add([entry(1.0, number=number) for number in (1, 2, 3)])
    assert history.entries() == []


@pytest.mark.slow
def test_sqlite_and_postgresql_give_the_same_answers(tmp_path: Path, postgresql: str) -> None:
    answers = []
    for url in (f"sqlite:///{tmp_path / 'a.db'}", fresh(postgresql)):
        with Database(url, tmp_path / "objects") as database:
            database.add(series())
            camera = database.entries(system="camera")
            answers.append(
                {
                    "systems": database.systems(),
                    "entries": [msgspec.structs.replace(one, id=None) for one in database.entries()],
                    "trends": trends(camera),
                    "since": [one.uid for one in database.entries(since="2026-01-01T00:20:00")],
                    "left": (database.forget(camera[:5]), len(database.entries())),
                }
            )
    assert answers[0] == answers[1]
    assert answers[0]["left"] == (5, len(series()) - 5)
    change = answers[0]["trends"][0].changes
    assert [(one.from_revision, one.to_revision, one.facts) for one in change] == [
        ("r2", "r3", ("technique: none -> lz4",))
    ]


def _start(url: str, tmp_path: Path, name: str, count: int) -> subprocess.Popen[str]:
    words = [url, str(tmp_path / "objects"), str(tmp_path / "recordings"), name, str(count)]
    environment = os.environ | {"PYTHONPATH": f"{REPOSITORY / 'python'}:{REPOSITORY}"}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.history.writer", *words],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_eight_writers_at_once_lose_nothing(history_url: str, tmp_path: Path) -> None:
    """All eight find no table: each of them wants to make them."""
    writers = [_start(history_url, tmp_path, f"w{number}", 10) for number in range(8)]
    said = [writer.communicate(timeout=500)[0].split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 8
    with Database(history_url, tmp_path / "objects") as database:
        found = database.entries()
        assert sorted(one.times.key for one in found) == sorted(name for names in said for name in names)
        assert len(found) == 80
        assert all(len(one.times.values) == 2 for one in found)
        assert database.objects is not None
        assert all(database.objects.intact(one.object) for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 3, 6])
def test_a_killed_writer_loses_nothing_that_was_acknowledged(history_url: str, tmp_path: Path, after: int) -> None:
    writers = [_start(history_url, tmp_path, f"w{number}", 100_000) for number in range(2)]
    acknowledged = []
    try:
        for writer in writers:
            assert writer.stdout is not None
            acknowledged += [writer.stdout.readline().strip() for _ in range(after)]
        time.sleep(0.01 * after)
    finally:
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
    for writer in writers:
        assert writer.stdout is not None
        rest = writer.stdout.read()
        acknowledged += rest[: rest.rfind("\n") + 1].split()
        writer.stdout.close()
        writer.wait()
    with Database(history_url, tmp_path / "objects") as database:
        found = {one.times.key: one for one in database.entries()}
        assert set(acknowledged) <= set(found)
        # At most the one that was under way is there besides.
        assert len(found) <= len(acknowledged) + len(writers)
        assert database.objects is not None
        for one in found.values():
            assert one.times.values == {"total": one.times.total_ns, "kernel": 500_000_000}
            assert database.objects.intact(one.object)
        # The next writer is not held up.
        assert database.add([entry(1.0)]) == 1


def test_tables_of_an_older_bootlab_are_brought_up_to_date(history_url: str, tmp_path: Path) -> None:
    with Database(history_url, tmp_path / "objects") as database:
        engine = database._engine
        with engine.begin() as connection:
            for table in ("boot_values", "boots", "alembic_version"):
                connection.execute(sa.text(f"DROP TABLE {table}"))
        schema.upgrade(engine, "1")
        with engine.begin() as connection:
            connection.execute(
                sa.text(
                    "INSERT INTO boots (uid, system, revision, variant, at, outcome, clock, exact, insns, "
                    "recording_key, object, facts) "
                    "VALUES ('u', 'camera', 'r1', '', '2026', 'goal', 'wall', :no, 5, 'k', '', '{}')"
                ),
                {"no": False},
            )
    with Database(history_url, tmp_path / "objects") as database:
        (old,) = database.entries()
        assert (old.system, old.session, old.host, old.times.insns) == ("camera", "", "", 5)
        assert database.add([entry(1.0)]) == 1


def test_the_newest_step_makes_the_tables_that_are_used(tmp_path: Path) -> None:
    with Database(f"sqlite:///{tmp_path / 'a.db'}") as database, database._engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def test_tables_of_a_newer_bootlab_are_refused(history_url: str, tmp_path: Path) -> None:
    with Database(history_url, tmp_path / "objects") as database, database._engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '999'"))
    with pytest.raises(UserError, match="version 999, which a newer bootlab made"):
        Database(history_url, tmp_path / "objects")


@pytest.mark.parametrize("url", ["no url", "mysql://x/y", "sqlite"])
def test_what_is_no_database_is_refused(url: str) -> None:
    with pytest.raises(UserError) as raised:
        Database(url)
    assert raised.value.hint


def test_a_database_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    (tmp_path / "history.db").write_bytes(b"this is no database at all, but a text of some length" * 40)
    with pytest.raises(EnvironmentFault, match="history"):
        Database(f"sqlite:///{tmp_path / 'history.db'}")
    with pytest.raises(EnvironmentFault, match="cannot be used"):
        Database("postgresql://nobody@127.0.0.1:1/none")


def test_a_password_is_never_shown(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault) as raised:
        Database("postgresql://nobody:secret-word@127.0.0.1:1/none")
    assert "secret-word" not in raised.value.message + raised.value.hint


def test_old_recordings_go_and_their_times_stay(history: Database, tmp_path: Path) -> None:
    assert history.objects is not None
    for number in range(4):
        folder = tmp_path / f"recording-{number}"
        folder.mkdir()
        (folder / "console.log").write_text(str(number))
        boot = msgspec.structs.replace(entry(1.0, number=number), object="")
        history.add([msgspec.structs.replace(boot, times=msgspec.structs.replace(boot.times, path=str(folder)))])
    named = [one.object for one in history.entries()]
    assert len(set(named)) == 4
    assert retention.prune(history, recordings_s=86400, keep=1).recordings == 0, "a young file may belong to a writer"
    for digest in named:
        os.utime(history.objects.path(digest), (0, 0))
    dry = retention.prune(history, recordings_s=86400, keep=1, dry=True)
    assert (dry.boots, dry.recordings) == (0, 3)
    assert retention.prune(history, boots_s=86400, dry=True).boots == 4
    assert [one.object for one in history.entries()] == ["", "", "", named[3]]
    assert all(history.objects.intact(digest) for digest in named)
    assert retention.prune(history, recordings_s=86400, keep=1).recordings == 3
    left = [one.object for one in history.entries()]
    assert left == ["", "", "", named[3]]
    assert history.objects.extract(named[3], tmp_path / "out").joinpath("console.log").read_text() == "3"
    with pytest.raises(UserError, match="is not in"):
        history.objects.extract(named[0], tmp_path / "out")
    assert retention.prune(history, boots_s=86400).boots == 4


def test_a_damaged_recording_is_noticed(history: Database, tmp_path: Path) -> None:
    assert history.objects is not None
    folder = tmp_path / "recording"
    folder.mkdir()
    (folder / "console.log").write_text("x")
    digest = history.objects.add(folder)
    assert history.objects.add(folder) == digest
    history.objects.path(digest).write_bytes(b"something else")
    assert not history.objects.intact(digest)
    with pytest.raises(UserError, match="damaged"):
        history.objects.extract(digest, tmp_path / "out")
