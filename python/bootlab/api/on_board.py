# SPDX-License-Identifier: MIT
"""A system on a real board, and beside it the same system in QEMU."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bootlab.api.boot import Boot
from bootlab.api.places import at_place
from bootlab.api.results import Results
from bootlab.api.system import System
from bootlab.errors import UserError
from bootlab.results import journal
from bootlab.systemfile import load
from bootlab.systemfile.board import BoardFile, load_board

if TYPE_CHECKING:
    from bootlab.experiments.bench import Observer
    from bootlab.model.comparison import Comparison
    from bootlab.model.costing import Costing
    from bootlab.model.recording import Recording


class SystemOnBoard:
    """A board with a system: what is installed on it, or the one that a system file describes."""

    def __init__(self, file: BoardFile, board: System, exact: System | None) -> None:
        """Join the board's file, the system as it boots there, and as it boots in QEMU (None: no system file)."""
        self.file = file
        self.board = board
        self.exact = exact

    @classmethod
    def load(
        cls,
        board_file: Path | str,
        system_file: Path | str | None = None,
        *,
        store: Path | str | None = None,
        cache: Path | str | None = None,
        jobs: int | None = None,
        observer: Observer | None = None,
        place: str | None = None,
    ) -> Self:
        """Read a board's file, and a system's where there is one. Raise SystemFileError.

        `place`: of labgrid, instead of the one in the board's file.
        """
        file = load_board(board_file)
        file = file if place is None else at_place(file, place)
        value = load(Path(system_file)) if system_file is not None else None
        given = {"store": store, "cache": cache, "observer": observer}
        exact = System(value, jobs=jobs, **given) if value is not None else None  # type: ignore[arg-type]
        return cls(file, System(file.system(value), jobs=1, **given), exact)  # type: ignore[arg-type]

    def boot(self) -> Boot:
        """Boot the board once, anew. A failed boot is a result: look at `ok`. Raise TargetError: it is out of reach."""
        return self.board.boot(fresh=True)

    def try_(self, *ids: str, blocks: int = 7, seed: int = 1) -> Results:
        """Try techniques on the board in randomised blocks. Raise as `System.try_` does.

        Where nothing says what the kernel's command line is, one boot is made to read it.
        """
        return self._with_cmdline().try_(*ids, blocks=blocks, seed=seed)

    def stages(self, *, boots: int = 5, costing: str | None = None, initcalls: bool = False) -> Results:
        """Boot the board several times and the system once in QEMU; return the stages of both side by side.

        `costing`: a core or a file of costs, by which the boot is forecast before the board is switched on;
        `initcalls`: its initcalls too, beside those that the board's console tells of (`initcall_debug`). Raise
        UserError where there is no exact boot to forecast.
        """
        from bootlab.experiments.beside import board_boots, compare_stages

        exact: Recording | None = None
        forecast: Costing | None = None
        if self.exact is not None and self.exact.value.clock.mode == "exact":
            made, forecast = (
                (self.exact.boot(), None) if costing is None else self.exact.boot_costed(costing, initcalls=initcalls)
            )
            exact = made.recording
        elif costing is not None:
            raise UserError(
                "a forecast is made of an exact boot, and there is none",
                hint="bootlab board compare BOARD.toml SYSTEM.toml --costing FILE",
            )
        with self.board.bench(jobs=1) as bench:
            found = compare_stages(self.board.value, exact, board_boots(bench, self.board.value, boots), forecast)
        return self._kept(found)

    def stages_of(self, boots: Sequence[Boot]) -> Comparison:
        """Return the stages of boots that were made: each one's median, earliest and latest."""
        from bootlab.experiments.beside import compare_stages

        return compare_stages(self.board.value, None, tuple(boot.recording for boot in boots))

    def try_both(self, *ids: str, blocks: int = 7, seed: int = 1) -> Results:
        """Try techniques in QEMU and on the board; return both verdicts of each side by side."""
        from bootlab.experiments.beside import compare_trials

        if self.exact is None:
            raise UserError(
                "there is nothing to boot in QEMU: no system file is given",
                hint="bootlab try SYSTEM.toml --board board.toml --both",
            )
        exact = self.exact.try_(*ids)
        tried = self.try_(*ids, blocks=blocks, seed=seed)
        return self._kept(compare_trials(self.board.value, exact.trials, tried.trials))

    def _with_cmdline(self) -> System:
        import msgspec

        from bootlab.model.cmdline import CommandLine

        value = self.board.value
        if value.cmdline.params or "cmdline" not in dict(self.file.board.install.parts):
            return self.board
        printed = self.boot().recording.meta.cmdline
        return self.board.like(msgspec.structs.replace(value, cmdline=CommandLine.parse(printed)))

    def _kept(self, found: Comparison) -> Results:
        rows = journal.ComparisonJournal(self.board.store, self.board.value, "board")
        return Results(rows.run, rows.write(found))
