# SPDX-License-Identifier: MIT
"""The database of the history: SQLite in the store, or PostgreSQL by URL for a team. Many writers at once.

What `add` has returned is on the disk: SQLite synchronises every transaction, PostgreSQL does so by default, and the
recording lies in :mod:`bootlab.history.objects` before its row is written.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.util import immutabledict

from bootlab.errors import BootlabError, EnvironmentFault, UserError, cannot_write
from bootlab.history import questions, rows, schema
from bootlab.history.entry import HistoryEntry, dated
from bootlab.history.objects import Objects
from bootlab.history.questions import BootsWanted, by_name, rows_of
from bootlab.history.rows import VALUE_COLUMNS, Row, Value
from bootlab.history.tables import BOOTS, VALUES
from bootlab.recordings import damage

_WAITS_S = 60


class Database:
    """An open history. Use as a context manager, or call `close`."""

    def __init__(self, url: str, objects: Path | None = None, *, read_only: bool = False) -> None:
        """Open a database and bring its tables up to date. Raise UserError or EnvironmentFault.

        `url`: of SQLAlchemy (`sqlite:///FILE`, `postgresql://USER@HOST/NAME`). `objects`: the folder of recordings
        (default: beside SQLite's file; without one PostgreSQL keeps times only). `read_only`: the database itself
        refuses every change, and tables of an older bootlab are an error.
        """
        self._url, self._read_only = _parsed(url), read_only
        folder = objects or _beside(self._url)
        self.objects = Objects(folder) if folder is not None else None
        with _told(self._url):
            self._engine = _engine(self._url, read_only=read_only)
        try:
            with _told(self._url):
                if read_only:
                    schema.require_newest(self._engine)
                else:
                    schema.upgrade(self._engine)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def add(self, entries: Sequence[HistoryEntry], *, times_only: bool = False) -> int:
        """Keep boots, all or none of them; return how many were new. What it returned for is on the disk.

        `times_only`: without their recordings.
        """
        # A boot that carries no date gets the present one; it is the same boot when it is added again.
        complete = [rows.row_of(self._with_object(entry, times_only=times_only), entry.uid) for entry in entries]
        added = 0
        with _told(self._url), self._engine.begin() as connection:
            for row, values in complete:
                new = self._insert(BOOTS).values(row).on_conflict_do_nothing(index_elements=["uid"])
                number = connection.execute(new.returning(BOOTS.c.id)).scalar()
                if number is None:
                    continue
                added += 1
                _put_values(connection, number, values)
        return added

    def entries(
        self,
        *,
        system: str | None = None,
        revision: str | None = None,
        variant: str | None = None,
        since: str | None = None,
        newest: int | None = None,
    ) -> list[HistoryEntry]:
        """Return boots, the oldest first. `newest`: only so many of the last ones."""
        chosen = BootsWanted(system=system, revision=revision, variant=variant, since=since, newest=newest)
        return [entry for entry in self._entries(chosen) if entry is not None]

    def entry(self, number: int) -> HistoryEntry | None:
        """Return a boot by its number in the database; None where there is none."""
        return next(iter(self._entries(BootsWanted(id=number))), None)

    def _entries(self, chosen: BootsWanted) -> list[HistoryEntry | None]:
        with _told(self._url), self._engine.connect() as connection:
            boots = connection.execute(sa.text(chosen.boots), chosen.parameters).all()
            found = [*rows_of(boots, connection.execute(sa.text(chosen.values), chosen.parameters))]
        return [self._entry(row, values) for row, values in found]

    def systems(self) -> list[tuple[str, int]]:
        """Return the names of the systems and how many boots each has, by name."""
        with _told(self._url), self._engine.connect() as connection:
            return by_name(connection.execute(sa.text(questions.SYSTEMS)))

    def revisions(self, system: str) -> list[str]:
        """Return the revisions of a system in the order in which they were first booted."""
        first = (sa.func.min(BOOTS.c["at"]), sa.func.min(BOOTS.c.id))
        chosen = sa.select(BOOTS.c.revision).where(BOOTS.c.system == system).group_by(BOOTS.c.revision)
        with _told(self._url), self._engine.connect() as connection:
            return [str(row[0]) for row in connection.execute(chosen.order_by(*first))]

    def forget(self, entries: Sequence[HistoryEntry]) -> int:
        """Remove boots; return how many."""
        ids = [entry.id for entry in entries if entry.id is not None]
        gone = 0
        with _told(self._url), self._engine.begin() as connection:
            for start in range(0, len(ids), 500):
                part = ids[start : start + 500]
                connection.execute(sa.delete(VALUES).where(VALUES.c.boot.in_(part)))
                gone += connection.execute(sa.delete(BOOTS).where(BOOTS.c.id.in_(part))).rowcount
        return gone

    def drop_recordings(self, entries: Sequence[HistoryEntry]) -> None:
        """Let the times of boots stay and their recordings go (`Objects.prune` removes the files)."""
        ids = [entry.id for entry in entries if entry.id is not None]
        with _told(self._url), self._engine.begin() as connection:
            for start in range(0, len(ids), 500):
                part = sa.update(BOOTS).where(BOOTS.c.id.in_(ids[start : start + 500]))
                connection.execute(part.values(object=""))

    def objects_named(self) -> set[str]:
        """Return the digests of the recordings that some boot names."""
        with _told(self._url), self._engine.connect() as connection:
            named = sa.select(BOOTS.c.object).where(BOOTS.c.object != "").distinct()
            return {str(row[0]) for row in connection.execute(named)}

    def objects_by_boot(self) -> list[tuple[int, str]]:
        """Return each boot's number and the digest of its recording, of those that name one."""
        with _told(self._url), self._engine.connect() as connection:
            named = sa.select(BOOTS.c.id, BOOTS.c.object).where(BOOTS.c.object != "")
            return [(int(number), str(digest)) for number, digest in connection.execute(named)]

    def _entry(self, row: Row, values: Sequence[Value]) -> HistoryEntry | None:
        """Return the boot of a row; one that is damaged is made again from its recording, or named and left out."""
        if (found := rows.read(row, values)) is not None:
            return found
        where = f"boot {row['id']} of the history {self._url.render_as_string(hide_password=True)}"
        again = rows.healed(row, self.objects)
        if again is None:
            damage.tell_left_out(where)
            return None
        damage.tell_healed(where, "its recording")
        fresh, fresh_values = again
        if not self._read_only:
            with _told(self._url), self._engine.begin() as connection:
                connection.execute(sa.update(BOOTS).where(BOOTS.c.id == row["id"]).values(fresh))
                connection.execute(sa.delete(VALUES).where(VALUES.c.boot == row["id"]))
                _put_values(connection, row["id"], fresh_values)
        return rows.read({**fresh, "id": row["id"]}, fresh_values)

    def _with_object(self, entry: HistoryEntry, *, times_only: bool) -> HistoryEntry:
        entry = msgspec.structs.replace(entry, times=dated(entry.times))
        if times_only or self.objects is None or not entry.times.path or not Path(entry.times.path).is_dir():
            return entry
        return msgspec.structs.replace(entry, object=self.objects.add(Path(entry.times.path)))

    def _insert(self, table: sa.Table) -> Any:
        return (sqlite if self._url.get_backend_name() == "sqlite" else postgresql).insert(table)


def is_made(url: str) -> bool:
    """Tell whether there is a history at a URL, without making one. Raise UserError or EnvironmentFault."""
    parsed = _parsed(url)
    if parsed.get_backend_name() == "sqlite" and not Path(parsed.database or "").is_file():
        return False
    with _told(parsed):
        engine = _engine(parsed, read_only=True)
        try:
            return schema.is_made(engine)
        finally:
            engine.dispose()


def _put_values(connection: sa.Connection, number: int, values: Sequence[Value]) -> None:
    if values:
        named = [dict(zip(VALUE_COLUMNS, value, strict=True)) for value in values]
        connection.execute(sa.insert(VALUES), [value | {"boot": number} for value in named])


@contextlib.contextmanager
def _told(url: sa.URL) -> Iterator[None]:
    """Turn the library's errors into sentences."""
    shown = url.render_as_string(hide_password=True)
    try:
        yield
    except BootlabError:
        raise
    except DBAPIError as fault:
        said = str(fault.orig).strip().splitlines()[0][:300] if fault.orig else str(fault)[:300]
        if isinstance(fault.orig, sqlite3.Error):
            place = Path(url.database or "").parent
            raise cannot_write(f"the history {shown} cannot be used", fault.orig, place) from fault
        raise EnvironmentFault(
            f"the history {shown} cannot be used: {said}", hint="is the server up, and may you connect? psql URL"
        ) from fault
    except (ModuleNotFoundError, NoSuchModuleError) as fault:
        raise UserError(
            f"{shown}: the database driver is missing: {fault}",
            hint="pip install 'bootlab[postgresql]' brings PostgreSQL's",
        ) from fault


def _parsed(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
    except ArgumentError as fault:
        raise UserError(
            f"{url[:100]!r} is not the URL of a database", hint="sqlite:///history.db, or postgresql://USER@HOST/NAME"
        ) from fault
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() not in {"sqlite", "postgresql"}:
        raise UserError(
            f"bootlab cannot use a {parsed.get_backend_name()} database",
            hint="sqlite:///history.db, or postgresql://USER@HOST/NAME",
        )
    return parsed


def _beside(url: sa.URL) -> Path | None:
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    return Path(url.database).parent / "objects"


def _engine(url: sa.URL, *, read_only: bool) -> sa.Engine:
    if url.get_backend_name() != "sqlite":
        options = immutabledict({"postgresql_readonly": True} if read_only else {})
        return sa.create_engine(url, pool_pre_ping=True, execution_options=options)
    if url.database and url.database != ":memory:" and not read_only:
        try:
            Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise cannot_write(f"{url.database} cannot be made", fault, Path(url.database).parent) from fault
    engine = sa.create_engine(url, connect_args={"timeout": _WAITS_S})

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        # Python's own transactions begin late; bootlab's begin with the lock that a writer needs.
        connection.isolation_level = None
        pragmas = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")
        for pragma in ("query_only=ON",) if read_only else pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        # Who only reads needs no writer's lock, and must not keep a writer waiting.
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return engine
