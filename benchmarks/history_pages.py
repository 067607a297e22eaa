#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long each page of `bootlab serve` takes on a history of 10,000 boots, and how many bytes it sends.

Processor time of the server's side; the first request of a page, then a second one. Bytes as a browser gets them,
packed where the server packs. Below, the processor time of `bootlab history show` as a program of its own, the least
of five; its modules are compiled before, as those of an installed package are, whatever PYTHONDONTWRITEBYTECODE says.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

from starlette.applications import Starlette

from bootlab.history.boot_times import BootTimes
from bootlab.history.database import Database
from bootlab.history.entry import HistoryEntry
from bootlab.history.trend import trends
from bootlab.model.recording import Outcome
from bootlab.web.application import make
from bootlab.web.shelf import Shelf
from bootlab.web.tokens import Tokens

SYSTEMS = {"camera": 0.7, "door": 0.2, "gateway": 0.07, "display": 0.03}
STAGES = ("firmware", "kernel set-up", "decompression", "kernel start", "kernel", "user space", "RC scripts", "app")
PAGES = ("", "system?name=camera", "system?name=door", "boot?id=5000", "compare?system=camera&a=rev:v10&b=rev:v20",
         "board?name=camera-1", "api/systems", "api/boards", "api/history?name=camera", "metrics")  # fmt: skip


def boots(count: int) -> Iterator[HistoryEntry]:
    """Give boots of a year: noisy ones of three boards, exact ones of one, steps now and then, one in 50 failed."""
    draw, start = random.Random(1), datetime(2025, 11, 1, tzinfo=UTC)
    level = dict.fromkeys(SYSTEMS, 3000.0)
    for number in range(count):
        system = draw.choices(list(SYSTEMS), list(SYSTEMS.values()))[0]
        if draw.random() < 0.003:
            level[system] *= draw.choice((0.98, 1.02))
        failed, exact = draw.random() < 0.02, system == "display"
        noise = 0.0 if exact else draw.gauss(0, 8)
        shares = (0.01, 0.01, 0.06, 0.01, 0.6, 0.01, 0.2, 0.1)
        values = {
            name: round((level[system] + noise) * share * 1e6) for name, share in zip(STAGES, shares, strict=True)
        }
        values["total"] = sum(values.values())
        at = (start + timedelta(seconds=number * 3153)).isoformat()
        times = BootTimes(
            key=f"{number:032x}",
            outcome=Outcome.HANG if failed else Outcome.GOAL,
            clock="virtual" if exact else "wall",
            exact=exact,
            values={} if failed else values,
            not_measured=dict.fromkeys(values, "the boot ended before") if failed else {},
            facts={"cmdline": f"console=ttyS0 v={number // 100}"}
            | ({} if exact else {"board": f"{system}-{number % 3}"}),
            at=at,
        )
        yield HistoryEntry(system=system, revision=f"v{number // 20}", times=times, host="lab")


async def asked_of(application: Starlette, page: str) -> tuple[int, bytes]:
    """Ask for a page as a browser does; return its status and what came."""
    path, _, query = page.partition("?")
    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": f"/{path}",
        "raw_path": f"/{path}".encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(b"host", b"localhost"), (b"accept-encoding", b"gzip")],
        "client": ("127.0.0.1", 1), "server": ("localhost", 80),
    }  # fmt: skip
    status, sent = 0, b""

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, object]) -> None:
        nonlocal status, sent
        if message["type"] == "http.response.start":
            status = int(str(message["status"]))
        else:
            sent += bytes(message.get("body", b""))  # type: ignore[call-overload]

    await application(scope, receive, send)  # type: ignore[arg-type]
    return status, sent


def steps(application: Starlette) -> Iterator[str]:
    """Give the address of a noisy system's newest change of level, as its page has it, once that page was asked for."""
    _, sent = asyncio.run(asked_of(application, "system?name=camera"))
    yield from re.findall(r'step\?[^"]+', gzip.decompress(sent).decode().replace("\\u0026", "&"))[:1]


def shown_s(url: str, *words: str) -> float:
    """Return the processor seconds that `bootlab history show` takes, the least of five."""
    took = []
    command = [sys.executable, "-m", "bootlab.cli", "history", "show", *words, "--history", url]
    with tempfile.TemporaryDirectory() as compiled:
        names = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        names["PYTHONPYCACHEPREFIX"] = compiled
        for _ in range(6):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, env=names, check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took[1:])


def main() -> None:
    """Make the history once, ask for each page twice, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the history is made, or is already")
    parser.add_argument("--boots", type=int, default=10_000)
    parser.add_argument("--keep", type=Path, help="write the pages here, to be looked at")
    asked = parser.parse_args()
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="bootlab-history-"))
    count = asked.boots
    url = f"sqlite:///{folder / 'history.db'}"
    if not (folder / "history.db").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with Database(url) as history:
            history.add(list(boots(count)), times_only=True)
    application = make(Shelf(folder, url, None), tokens=Tokens(), open_reading=True)
    print(f"{count} boots; processor seconds of the first and the second request, bytes sent")
    for page in chain(PAGES, steps(application)):
        took, sent = [], b""
        for _ in range(2):
            before = time.process_time()
            status, sent = asyncio.run(asked_of(application, page))
            took.append(time.process_time() - before)
        print(f"{took[0]:8.3f} {took[1]:8.3f} {len(sent):10,}  {status}  /{page}")
        if asked.keep is not None:
            asked.keep.mkdir(parents=True, exist_ok=True)
            text = gzip.decompress(sent) if sent.startswith(b"\x1f\x8b") else sent
            (asked.keep / f"{page.partition('?')[0].replace('/', '-') or 'index'}.html").write_bytes(text)
    before = time.process_time()
    with Database(url) as history:
        entries = history.entries(system="camera")
    read = time.process_time() - before
    before = time.process_time()
    trends(entries)
    print(f"{read:8.3f} read, {time.process_time() - before:8.3f} trends of {len(entries)} boots of one system")
    for words in ([], ["camera"], ["display"]):
        print(f"{shown_s(url, *words):8.3f} {' '.join(['history show', *words])}")


if __name__ == "__main__":
    main()
