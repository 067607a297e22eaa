# SPDX-License-Identifier: MIT
"""A running server on a free port of the loopback address, over a history in each kind of database."""

from __future__ import annotations

import asyncio
import base64
import http.client
import io
import json
import socket
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("starlette", reason="Starlette is not installed (pip install 'bootlab[serve]')")
uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed (pip install 'bootlab[serve]')")

from bootlab.history.database import Database  # noqa: E402
from bootlab.web.application import make  # noqa: E402
from bootlab.web.shelf import Shelf  # noqa: E402
from bootlab.web.tokens import Tokens  # noqa: E402
from tests.conftest import REPLAYED  # noqa: E402
from tests.history.boots import entry  # noqa: E402
from tests.history.conftest import history_url, postgresql  # noqa: E402, F401

TOKEN = "correct-horse-battery-staple"
HOSTILE = "</script><b>&\u202e"
RECORDINGS = sorted(path.parent for path in REPLAYED.parent.glob("fixture/*/recording.json"))


class Served:
    """A server and the shelf behind it."""

    def __init__(self, shelf: Shelf, port: int) -> None:
        self.shelf, self.port = shelf, port
        self.url = f"http://127.0.0.1:{port}/"

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """Send exactly this path; return status, text and headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), {k.lower(): v for k, v in answer.getheaders()}
        finally:
            connection.close()

    def post(self, body: bytes, asked: str = "?system=board&revision=v1", **headers: str) -> tuple[int, dict[str, Any]]:
        status, text, _ = self.ask(f"/api/boots{asked}", "POST", body, **headers)
        return status, json.loads(text) if text.startswith("{") else {"error": text}


class QuickServer(uvicorn.Server):  # type: ignore[misc, name-defined]
    """Looks for its end more often than ten times a second, which is what a test would wait for most."""

    async def main_loop(self) -> None:
        await self.on_tick(0)
        while not self.should_exit:
            await asyncio.sleep(0.002)


Serve = Callable[..., Served]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start servers; they end with the test."""
    ends: list[Callable[[], None]] = []

    def start(
        url: str | None = None, *, token: str | None = None, tokens: Path | None = None, open_reading: bool = True
    ) -> Served:
        shelf = Shelf(tmp_path / "store", url, tmp_path / "objects" if url else None)
        listening = socket.create_server(("127.0.0.1", 0))
        application = make(shelf, tokens=Tokens(tokens, token=token), open_reading=open_reading)
        server = QuickServer(uvicorn.Config(application, log_level="error", access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()

        def end() -> None:
            server.should_exit = True
            thread.join()
            listening.close()
            shelf.close()

        ends.append(end)
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        return Served(shelf, listening.getsockname()[1])

    yield start
    for end in ends:
        end()


@pytest.fixture
def filled(history_url: str, tmp_path: Path) -> str:  # noqa: F811
    """Give the URL of a history: 24 exact boots that became slower, and a system with a hostile name."""
    made = []
    for number in range(24):
        one = entry(3000 + (60 if number >= 11 else 0), number=number, system="demo", revision=f"r{number}")
        times = msgspec.structs.replace(
            one.times, exact=True, clock="virtual", facts={"cmdline": "quiet" if number < 11 else HOSTILE}
        )
        made.append(msgspec.structs.replace(one, times=times))
    made += [
        entry(None if n == 3 else 900 + n % 5, number=n, system=HOSTILE, revision=f"{HOSTILE}{n // 5}")
        for n in range(10)
    ]
    with Database(history_url, tmp_path / "objects") as database:
        database.add(made)
    return history_url


def packed(folder: Path, mode: str = "w:xz") -> bytes:
    """Return a recording as `tar -C FOLDER -cJf - .` makes it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        archive.add(folder, arcname=".")
    return buffer.getvalue()


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"me:{password}".encode()).decode()
