# SPDX-License-Identifier: MIT
"""What the application reads and adds to: the history, opened when there is one, and the runs of the store."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from bootlab.api import traces
from bootlab.api.history import history_url, keep
from bootlab.api.kept_history import tell_step
from bootlab.api.recorded_log import analyze_recording
from bootlab.errors import BootlabError, UserError
from bootlab.history.boot_times import BootTimes, Side
from bootlab.history.database import Database, is_made
from bootlab.history.entry import HistoryEntry
from bootlab.history.of_recording import of_recording
from bootlab.history.selection import times_of_run
from bootlab.history.step import LevelStep
from bootlab.history.traced_step import TracedStep, nearest_to_the_cause, traced_sides
from bootlab.logs.compared import LogComparison
from bootlab.logs.comparison import compare
from bootlab.model.recording import Recording
from bootlab.recordings import recording_dir
from bootlab.results import file as results_file
from bootlab.results.document import RunDocument
from bootlab.store import runs
from bootlab.store.runs import Run
from bootlab.views.history.text import revision_words

T = TypeVar("T")


class Shelf:
    """Reads through a connection that cannot write; writes through one that is opened for the first write."""

    def __init__(self, store: Path, url: str | None, objects: Path | None, *, webhook: str = "") -> None:
        """Take places; nothing is opened or made. `url` None: BOOTLAB_HISTORY, or SQLite's file in the store.

        `webhook`: the address that hears of changes of level.
        """
        self._webhook = webhook
        self.store = store
        self._url = history_url(url, store=store)
        self._objects = objects or (None if self._url.startswith("sqlite") else store / "objects")
        self._lock = threading.Lock()
        self._compared: dict[tuple[str, str], TracedStep] = {}
        self._reading: Database | None = None
        self._writing: Database | None = None

    def close(self) -> None:
        """Close every connection."""
        for database in (self._reading, self._writing):
            if database is not None:
                database.close()

    def _open(self) -> Database:
        """Return the history, for writing; it is opened, or made, for the first write."""
        with self._lock:
            if self._writing is None:
                self._writing = Database(self._url, self._objects)
            return self._writing

    @property
    def history(self) -> Database | None:
        """The history, read-only; None as long as nobody has made it. Raise BootlabError."""
        with self._lock:
            if self._reading is None and is_made(self._url):
                self._reading = Database(self._url, self._objects, read_only=True)
            return self._reading

    def add(self, times: BootTimes, named: dict[str, str]) -> int:
        """Keep a boot under the names that `bootlab.api.history.keep` takes; return 1, or 0 where it is known.

        Raise BootlabError.
        """
        return keep(
            self._open(),
            [times],
            system=named["system"],
            revision=named["revision"],
            variant=named.get("variant", ""),
            session=named.get("session", ""),
            author=named.get("author", ""),
            subject=named.get("subject", ""),
        )

    def tell_step(self, system: str, added: int) -> None:
        """Tell the webhook of the change of level that added boots made, and the server's log what became of it."""
        if self._webhook and (said := tell_step(self._open(), system, added, self._webhook)):
            logging.getLogger("bootlab").warning("%s", said)

    def forget(self, entry: HistoryEntry) -> int:
        """Remove a boot; return 1, or 0 where somebody else did. Raise BootlabError."""
        return self._open().forget([entry])

    def entry(self, number: int) -> HistoryEntry:
        """Return a boot by its number. Raise UserError."""
        history = self.history
        found = history.entry(number) if history is not None else None
        if found is None:
            raise UserError(f"the history has no boot {number}")
        return found

    def runs(self) -> tuple[str, ...]:
        """Return the names of the runs, the newest first."""
        return tuple(run.id for run in reversed(runs.all_runs(self.store)))

    def results(self, name: str) -> RunDocument:
        """Return what a run found. Raise UserError."""
        return results_file.load(self._run(name).results)

    def side(self, word: str, system: str) -> Side:
        """Return the boots that a word names: `rev:REVISION`, `boot:NUMBER`, `run:NAME`. Raise UserError.

        Never a path: the words come from the network.
        """
        kind, _, name = word.partition(":")
        if kind == "run":
            return Side(name=name, boots=(times_of_run(self._run(name), self.store),))
        if kind == "boot" and name.isdecimal() and len(name) < 19:
            found = self.entry(int(name))
            return Side(name=f"{found.system} {revision_words(found)} (boot {name})", boots=(found.times,))
        entries: Sequence[HistoryEntry] = ()
        if kind == "rev" and self.history is not None:
            entries = self.history.entries(system=system, revision=name, newest=_MOST_OF_A_SIDE)
        if not entries:
            raise UserError(f"{word[:100]!r} names no boot of {system[:100]!r}")
        return Side(name=f"{system} {revision_words(entries[-1])}", boots=tuple(entry.times for entry in entries))

    def keeps(self, entry: HistoryEntry) -> bool:
        """Tell whether the recording of a boot is kept here."""
        objects = self.history.objects if self.history is not None else None
        return bool(entry.object) and objects is not None and objects.path(entry.object).is_file()

    def consoles_compared(self, before: HistoryEntry, after: HistoryEntry) -> LogComparison | None:
        """Compare the consoles of two boots; None where not both recordings are kept."""
        if not (self.keeps(before) and self.keeps(after)):
            return None
        base, new = (
            self.with_recording(entry, lambda recording: analyze_recording(recording, name=recording.meta.system_name))
            for entry in (before, after)
        )
        return compare([base[0]], [new[0]])

    def functions_compared(self, step: LevelStep) -> TracedStep:
        """Compare the traces of the boots nearest to a change of level that carry one."""
        before, after = traced_sides(step, self._is_traced)
        if before is None or after is None:
            return TracedStep(before=before, after=after)
        pair = (before.object, after.object)
        if pair not in self._compared:
            self._compared[pair] = self._moved(before, after)
            # Recordings by content never change; a page that is loaded again needs the same, and few are.
            for oldest in list(self._compared)[:-_MOST_COMPARED]:
                self._compared.pop(oldest, None)
        return msgspec.structs.replace(self._compared[pair], before=before, after=after)

    def _is_traced(self, entry: HistoryEntry) -> bool:
        objects = self.history.objects if self.history is not None else None
        return objects is not None and objects.names(entry.object).issuperset(traces.MADE_OF)

    def _moved(self, before: HistoryEntry, after: HistoryEntry) -> TracedStep:
        """Compare the traces of two boots; where that cannot be, say why."""

        def paths(recording: Recording) -> traces.CallForest:
            return traces.paths(traces.of_recording(Path(recording.path or ".")))

        try:
            both = [self.with_recording(entry, paths) for entry in (before, after)]
            return TracedStep(functions=nearest_to_the_cause(traces.compare(*both).functions))
        except BootlabError as fault:
            return TracedStep(unlike=fault.message)

    def with_recording(self, entry: HistoryEntry, made: Callable[[Recording], T]) -> T:
        """Unpack a boot's recording for as long as something is made of it. Raise UserError where none is kept."""
        history = self.history
        if history is None or history.objects is None or not entry.object:
            raise UserError("no recording of this boot is kept here")
        with tempfile.TemporaryDirectory(prefix="bootlab-serve-") as folder:
            return made(recording_dir.load(history.objects.extract(entry.object, Path(folder))))

    def _run(self, name: str) -> Run:
        found = next((run for run in runs.all_runs(self.store) if run.id == name), None)
        if found is None:
            raise UserError(f"{name[:100]!r} is not a run of this store")
        return found


_MOST_OF_A_SIDE = 1000
_MOST_COMPARED = 16


def times_of(recording: Path) -> BootTimes:
    """Return the times of a recording's folder. Raise UserError where it is none, is damaged, or holds more."""
    times = of_recording(recording_dir.load(recording, whole=True))
    if foreign := recording_dir.foreign(recording):
        raise UserError(f"the archive holds {foreign[:80]!r}, which is no part of the recording")
    return times
