#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a history takes: boots a second with one writer and with several, bytes for 1000 boots.

Usage: history_load.py FOLDER OUT.json [--url postgresql://…] [--boots 500] [--writers 8] [--recordings FOLDER]

Each writer is a program of its own that adds boots one at a time, as CI does, each with a recording; the boots are
those of `tests/replay/fixture` in turn, each made another one by its key. Written for both databases: SQLite in FOLDER,
and PostgreSQL where URLs of empty databases are given (one for one writer, one for several). The machine's load is in
the result: a wall time of a busy machine says little, CPU time and bytes do not depend on it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa

from bootlab.history.database import Database
from bootlab.history.entry import HistoryEntry
from bootlab.history.of_recording import of_recording
from bootlab.recordings import recording_dir

RECORDINGS = Path(__file__).resolve().parents[1] / "tests" / "replay" / "fixture"


def write(url: str, objects: Path, recordings: Path, folder: Path, name: str, count: int) -> None:
    """Add boots; print the CPU seconds that they took."""
    sources = sorted(path.parent for path in recordings.glob("*/recording.json"))
    began = time.process_time()
    with Database(url, objects) as database:
        for number in range(count):
            source = sources[number % len(sources)]
            own = folder / f"{name}-{number}"
            own.mkdir(parents=True)
            for file in source.iterdir():
                (own / file.name).write_bytes(file.read_bytes())
            # Another boot of the same system: only what makes it another one differs.
            (own / "number").write_text(f"{name} {number}\n", encoding="utf-8")
            times = of_recording(recording_dir.load(source))
            times = msgspec.structs.replace(times, key=f"{times.key}-{name}-{number}", path=str(own))
            entry = HistoryEntry(system=f"board-{number % 20}", revision=f"r{number // 20}", host=name, times=times)
            assert database.add([entry]) == 1
    print(time.process_time() - began)


def bytes_of(url: str, objects: Path) -> tuple[int, int]:
    """Return the bytes of the database, and of the recordings."""
    kept = sum(path.stat().st_size for path in objects.rglob("*.tar.xz"))
    if url.startswith("sqlite"):
        return sum(
            path.stat().st_size for path in Path(url.removeprefix("sqlite:///")).parent.glob("history.db*")
        ), kept
    # Its size is no question of bootlab's.
    with Database(url, objects) as database, database._engine.connect() as connection:  # noqa: SLF001
        found = connection.execute(sa.text("SELECT pg_database_size(current_database())")).scalar_one()
    return int(found), kept


def measure(url: str, folder: Path, recordings: Path, boots: int, writers: int) -> dict[str, Any]:
    objects = folder / "objects"
    folder.mkdir(parents=True)
    with Database(url, objects):
        pass
    empty, _ = bytes_of(url, objects)
    words = [sys.executable, __file__, "--write", url, str(objects), str(recordings), str(folder / "made")]
    began = time.monotonic()
    running = [
        subprocess.Popen([*words, f"w{number}", str(boots // writers)], stdout=subprocess.PIPE, text=True)
        for number in range(writers)
    ]
    cpu_s = sum(float(process.communicate()[0]) for process in running)
    wall_s = time.monotonic() - began
    assert all(process.returncode == 0 for process in running)
    with Database(url, objects) as database:
        kept = len(database.entries())
        began = time.process_time()
        asked = len(database.entries(system="board-3", newest=500))
        ask_s = time.process_time() - began
        values = sum(len(entry.times.values) for entry in database.entries())
    size, recordings_bytes = bytes_of(url, objects)
    return {
        "database": url.partition(":")[0],
        "writers": writers,
        "boots": kept,
        "lost": boots // writers * writers - kept,
        "wall_s": round(wall_s, 2),
        "boots_per_s": round(kept / wall_s, 1),
        "cpu_ms_per_boot": round(1000 * cpu_s / kept, 2),
        "rows": kept + values,
        "rows_per_s": round((kept + values) / wall_s, 1),
        "database_bytes_per_1000_boots": round(1000 * (size - empty) / kept),
        "recording_bytes_per_1000_boots": round(1000 * recordings_bytes / kept),
        "ask_cpu_ms": round(1000 * ask_s, 1),
        "asked_boots": asked,
    }


def main() -> None:
    if sys.argv[1:2] == ["--write"]:
        url, objects, recordings, folder, name, count = sys.argv[2:]
        write(url, Path(objects), Path(recordings), Path(folder), name, int(count))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--url", action="append", default=[])
    parser.add_argument("--boots", type=int, default=500)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--recordings", type=Path, default=RECORDINGS)
    options = parser.parse_args()
    load = os.getloadavg()[0]
    rows = []
    for writers in (1, options.writers):
        place = options.folder / f"sqlite-{writers}"
        rows.append(measure(f"sqlite:///{place / 'history.db'}", place, options.recordings, options.boots, writers))
    for writers, url in zip((1, options.writers), options.url, strict=False):
        rows.append(measure(url, options.folder / f"pg-{writers}", options.recordings, options.boots, writers))
    for row in rows:
        print(json.dumps(row))
    found = {
        "format": "history-load",
        "version": 1,
        "load_before": round(load, 1),
        "load_after": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
        "peak_kib": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
        "rows": rows,
    }
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
