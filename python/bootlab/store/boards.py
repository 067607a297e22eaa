# SPDX-License-Identifier: MIT
"""Kept boots of real boards."""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError
from bootlab.recordings import recording_dir
from bootlab.recordings.files import CONSOLE_FILE, PACKED_CONSOLE_FILE, RECORDING_FILE


def newest_boot(store: Path, board: str) -> Path | None:
    """Return the console of a board's newest boot that reached its goal; None where none is kept."""
    folders = [path.parent for path in (store / "boots").glob(f"*/{RECORDING_FILE}")]
    for folder in sorted(folders, key=lambda f: f.stat().st_mtime_ns, reverse=True):
        try:
            recording = recording_dir.load(folder)
        except UserError:
            continue
        if recording.meta.board == board and recording.ok:
            return next(
                (folder / name for name in (CONSOLE_FILE, PACKED_CONSOLE_FILE) if (folder / name).is_file()), None
            )
    return None
