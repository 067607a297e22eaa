# SPDX-License-Identifier: MIT
"""A history in SQLite, and one in a PostgreSQL server of its own that the tests start and end."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bootlab.history.database import Database

OpenHistory = Callable[[], Database]


def _server_programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    there = shutil.which("initdb")
    return Path(there).resolve().parent if there else None


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """Give the URL of a private server: its own folder, its own socket, an unprivileged user, no network."""
    pytest.importorskip("psycopg", reason="psycopg is not installed (pip install 'bootlab[postgresql]')")
    programs = _server_programs()
    if programs is None:
        pytest.skip("PostgreSQL's server is not installed (scripts/setup-debian.sh databases)")
    as_user: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="bootlab-pg-"))
    if os.getuid() == 0:
        try:
            user = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL refuses to run as root, and there is no user `postgres`")
        os.chown(folder, user.pw_uid, user.pw_gid)
        as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]

    def run(*words: str) -> None:
        done = subprocess.run([*as_user, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr

    data = folder / "data"
    control = str(programs / "pg_ctl")
    run(str(programs / "initdb"), "-D", str(data), "-U", "bootlab", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c port=54399 -c max_connections=60"
    run(control, "-D", str(data), "-l", str(folder / "log"), "-w", "-t", "240", "-o", options, "start")
    try:
        yield f"postgresql://bootlab@/postgres?host={folder}&port=54399"
    finally:
        run(control, "-D", str(data), "-m", "immediate", "-w", "-t", "240", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def history_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of an empty history, in each kind of database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'history.db'}"
    return fresh(request.getfixturevalue("postgresql"))


def fresh(server: str) -> str:
    """Make an empty database on the server."""
    psycopg = pytest.importorskip("psycopg")
    name = f"history_{uuid.uuid4().hex[:12]}"
    plain = server.replace("postgresql://bootlab@/postgres?", "").split("&")
    words = " ".join([*plain, "user=bootlab", "dbname=postgres"])
    with psycopg.connect(words, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture
def history(history_url: str, tmp_path: Path) -> Iterator[Database]:
    """Give an open, empty history."""
    with Database(history_url, tmp_path / "objects") as database:
        yield database
