# SPDX-License-Identifier: MIT
"""Rows of a benchmark in a JSON file, written as soon as each is known: a second call goes on where one stopped."""

from __future__ import annotations

import argparse
import json
import os
import threading
from pathlib import Path
from typing import Any


class KeptRows:
    """The rows of one file; several threads may add to it."""

    def __init__(self, path: Path) -> None:
        """Read what an earlier run kept."""
        self.path = path
        self.rows: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
        self._lock = threading.Lock()

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row. The file is never half written."""
        with self._lock:
            self.rows.append(row)
            half = self.path.with_name(f"{self.path.name}.new")
            half.write_text(json.dumps(self.rows, indent=1) + "\n")
            half.replace(self.path)

    def count(self, facts: dict[str, Any]) -> int:
        """Return how many rows have all of these facts."""
        return sum(facts.items() <= row.items() for row in self.rows)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what every series of boots asks for: how many at a time, with which QEMU, and where the rows go."""
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--emulators", default="")
    parser.add_argument("--out", type=Path, required=True)


def opened(options: argparse.Namespace) -> KeptRows:
    """Return the rows that are kept; from now on the emulators that were asked for come first."""
    if options.emulators:
        os.environ["PATH"] = f"{options.emulators}:{os.environ['PATH']}"
    return KeptRows(options.out)
