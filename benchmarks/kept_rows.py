"""Rows of a benchmark in a JSON file, written as soon as each is known: a second call goes on where one stopped."""

from __future__ import annotations

import json
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
