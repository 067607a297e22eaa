# SPDX-License-Identifier: MIT
"""A run that is kept: what it found, and the forms in which it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from bootlab.api import plain_rows
from bootlab.api.store_folder import default_store
from bootlab.errors import UserError
from bootlab.store import runs

if TYPE_CHECKING:
    from bootlab.model.comparison import Comparison
    from bootlab.model.verdict import Trial
    from bootlab.results.document import BootSummary
    from bootlab.results.document import RunDocument as ResultsValue


class Results:
    """What a run found, and where it is kept. `data` is the whole document that `results.json` holds."""

    def __init__(self, run: runs.Run, data: ResultsValue) -> None:
        """Join a run and its document."""
        self.run = run
        self.data = data

    @classmethod
    def open(cls, name: str = "last", *, store: Path | str | None = None) -> Self:
        """Read a run that was made before: by id, by its beginning, by its folder, or `last`. Raise UserError."""
        from bootlab.results import file as results_file

        run = runs.find(default_store() if store is None else Path(store), name)
        return cls(run, results_file.load(run.results))

    def __repr__(self) -> str:
        """Name the run."""
        return f"<bootlab.Results {self.id}>"

    @property
    def id(self) -> str:
        """The run's name, as `bootlab report` takes it."""
        return self.run.id

    @property
    def base(self) -> BootSummary:
        """The boot that everything was compared with."""
        return self.data.base

    @property
    def final(self) -> BootSummary | None:
        """The stacked boot; None for `try_` and `boot`."""
        return self.data.final

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every variant against the base, most time saved first."""
        return self.data.trials_by_saved()

    def rows(self) -> list[plain_rows.PlainRow]:
        """Return plain rows for a data frame: one for each trial; of a run without trials one for each stage."""
        return plain_rows.of_trials(self.trials) or plain_rows.of_stages(self.base.stages, self.base.clock)

    def _repr_html_(self) -> str:
        """Show the rows as a table, in a notebook."""
        return plain_rows.as_html(repr(self).strip("<>"), self.rows())

    @property
    def comparison(self) -> Comparison:
        """The rows of a comparison. Raise UserError for a run that is none."""
        if self.data.comparison is None:
            raise UserError(f"{self.id} is not a comparison", hint="bootlab report shows what it is")
        return self.data.comparison

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each variant, by the change's id."""
        return {t.change.id: t.verdict.value for t in self.trials}

    @property
    def stacked(self) -> tuple[str, ...]:
        """Ids of the changes that stand at the end, in the order in which they were taken; empty without a stack."""
        if self.data.stack is None:
            return ()
        if self.data.stack.changes:
            return tuple(change.id for change in self.data.stack.changes)
        gone = {row.change_id for row in self.data.stack.leave_one_out if not row.kept}
        taken = [one for step in self.data.stack.steps for one in step.members or (step.change_id,)]
        return tuple(one for one in dict.fromkeys(taken) if one not in gone)

    @property
    def faster(self) -> Path | None:
        """The system file of the faster system that `stack` handed over."""
        path = self.data.stack.system.system_path if self.data.stack else None
        return Path(path) if path else None

    def html(self, path: Path | str) -> Path:
        """Write one self-contained page. Return its path."""
        return self._write("html", path)

    def markdown(self, path: Path | str) -> Path:
        """Write the hand-over text. Return its path."""
        return self._write("markdown", path)

    def csv(self, path: Path | str) -> Path:
        """Write the rows of a comparison as CSV, with plain numbers. Return its path."""
        return self._write("csv", path)

    def perfetto(self, path: Path | str) -> Path:
        """Write a Perfetto trace of the run's last boot. Return its path."""
        return self._write("perfetto", path)

    def chrome(self, path: Path | str) -> Path:
        """Write a Chrome-JSON trace of the run's last boot. Return its path."""
        return self._write("chrome", path)

    def form(self, name: str) -> bytes:
        """Return what the method of that name writes."""
        from bootlab.views import publish

        return publish.FORMS[name](self.data)

    def _write(self, name: str, path: Path | str) -> Path:
        from bootlab.results import file as results_file

        results_file.write_atomically(Path(path), self.form(name))
        return Path(path)
