# SPDX-License-Identifier: MIT
"""A program that writes boots to a history, and says of each one when it was acknowledged: test_database.py kills it.

Usage: writer.py URL OBJECTS RECORDING NAME COUNT
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from bootlab.history.database import Database
from bootlab.history.entry import HistoryEntry
from tests.history.boots import times


def main() -> None:
    url, objects, recording, name, count = sys.argv[1:]
    with Database(url, Path(objects)) as database:
        for number in range(int(count)):
            folder = Path(recording) / f"{name}-{number}"
            folder.mkdir(parents=True)
            (folder / "console.log").write_text(f"boot {number} of {name}\n" * 50, encoding="utf-8")
            boot = times(1000 + number, key=f"{name}-{number}", kernel=500.0)
            boot = msgspec.structs.replace(boot, path=str(folder))
            assert database.add([HistoryEntry(system="camera", revision=name, times=boot)]) == 1
            sys.stdout.write(f"{name}-{number}\n")
            sys.stdout.flush()


main()
