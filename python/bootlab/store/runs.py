# SPDX-License-Identifier: MIT
"""Runs as folders: `STORE/runs/ID/results.json` and what belongs to it."""

from __future__ import annotations

import contextlib
import re
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bootlab.errors import UserError, cannot_write
from bootlab.recordings import lock, sealed
from bootlab.recordings.lock import Lock

RESULTS_FILE = "results.json"

_LOOKED_AT = 50

CAMPAIGN_FILE = "unfinished"
"""Stands in the folder of a campaign that has not ended: the digest of what it does."""


class Run(msgspec.Struct, frozen=True):
    """One run's name and folder."""

    id: str
    folder: Path

    @property
    def results(self) -> Path:
        """Return the results file, written anew after each step."""
        return self.folder / RESULTS_FILE


def now() -> str:
    """Return the host's time as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def create(store: Path, kind: str, system_name: str) -> Run:
    """Make the folder of a new run, named by time, kind and system."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", system_name).strip("-.")[:40] or "system"
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    for number in range(1, 1000):
        name = f"{stamp}-{kind}-{safe}" + (f"-{number}" if number > 1 else "")
        folder = store / "runs" / name
        try:
            folder.mkdir(parents=True, exist_ok=False)
        except FileExistsError:
            continue
        except OSError as fault:
            raise cannot_write(
                f"{folder} cannot be made", fault, store, besides="--store takes another folder"
            ) from fault
        return Run(name, folder)
    raise UserError(f"cannot make a folder for a new run in {store / 'runs'}", hint="give another --store")


def resumed(store: Path, kind: str, system_name: str, digest: str) -> tuple[Run, Lock | None]:
    """Return the unfinished run of the same campaign, which then goes on in its folder, or make a new one.

    One that another command works on is left to it. Keep the lock for as long as the run is worked on.
    `digest`: of everything that decides what the campaign does.
    """
    for note in sorted((store / "runs").glob(f"*-{kind}-*/{CAMPAIGN_FILE}"), reverse=True):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if _noted(note) == [digest] and (mine := lock.take(note, stays=True)) is not None:
                if _noted(note) == [digest]:
                    return Run(note.parent.name, note.parent), mine
                # It was finished while it was looked at, and taking its lock made the file again.
                note.unlink()
                mine.release()
    run = create(store, kind, system_name)
    try:
        mine = lock.take(run.folder / CAMPAIGN_FILE, stays=True)
        (run.folder / CAMPAIGN_FILE).write_text(f"{digest}\n", encoding="utf-8")
    except OSError as fault:
        raise cannot_write(f"{run.folder} cannot be written", fault, store) from fault
    return run, mine


def _noted(note: Path) -> list[str]:
    return note.read_text(encoding="utf-8").split()


def finish(run: Run) -> None:
    """Note that a campaign is done: the same command then makes a new run."""
    with contextlib.suppress(OSError):
        (run.folder / CAMPAIGN_FILE).unlink()


def all_runs(store: Path) -> tuple[Run, ...]:
    """Return every run that has results, the oldest first."""
    found = sorted((store / "runs").glob(f"*/{RESULTS_FILE}"))
    return tuple(Run(path.parent.name, path.parent) for path in found)


def _newest(runs: tuple[Run, ...]) -> set[Run]:
    """Return the runs among which the last one is: many results take long to check."""
    by_change = sorted(runs, key=lambda run: _changed_ns(run.results))
    return {*by_change[-_LOOKED_AT:], *runs[-_LOOKED_AT:]}


def _when(run: Run) -> tuple[float, int, str]:
    """Return when a run ended: as its results say, or when they were written where they are damaged or say nothing."""
    changed_ns = _changed_ns(run.results)
    with contextlib.suppress(OSError, ValueError):
        values = sealed.intact(run.results.read_bytes())
        ended = datetime.fromisoformat(str(values.get("finished")))
        return ended.timestamp(), changed_ns, run.id
    return changed_ns // 10**9, changed_ns, run.id


def _changed_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def find(store: Path, name: str) -> Run:
    """Return a run by id, by an unmistakable beginning of it, by its folder or results file, or `last`."""
    path = Path(name)
    # A name may be too long for a file.
    with contextlib.suppress(OSError):
        if path.is_file():
            return Run(path.resolve().parent.name, path.parent)
        if name and (path / RESULTS_FILE).is_file():
            return Run(path.resolve().name, path)
    runs = all_runs(store)
    if name == "last" and runs:
        return max(_newest(runs), key=_when)
    hits = [r for r in runs if r.id == name] or [r for r in runs if r.id.startswith(name) or name in r.id]
    if len(hits) == 1:
        return hits[0]
    if not runs:
        raise UserError(f"there is no run in {store}", hint="make one: bootlab boot SYSTEM.toml   (or give --store)")
    listed = ", ".join(r.id for r in (hits or runs)[-5:])
    what = "is not one run but several" if hits else "is not a run"
    raise UserError(f"{name[:100]!r} {what} in {store}", hint=f"the newest: {listed}   (`last` takes the newest)")
