# SPDX-License-Identifier: MIT
"""`bootlab boot --board` and `bootlab try --board`: real hardware."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.cli.progress import BootProgress
from bootlab.cli.run_view import show_run
from bootlab.cli.screen import out, print_json, program, say
from bootlab.errors import TargetError, UserError

if TYPE_CHECKING:
    from bootlab.api import Boot
    from bootlab.api.on_board import SystemOnBoard
    from bootlab.cli.gate_options import AnswerFiles
    from bootlab.cli.options import Kept


@contextmanager
def opened_board(
    board: Path, system_file: Path | None, asked: Kept, place: str | None = None
) -> Iterator[SystemOnBoard]:
    """Read the files of a board and a system; what is booted inside the block is shown."""
    from bootlab.api.on_board import SystemOnBoard  # noqa: PLC0415 - `--help` must not wait for it

    with BootProgress(quiet=asked.as_json) as progress:
        yield SystemOnBoard.load(board, system_file, store=asked.store, observer=progress, place=place)


def boot_board(board: Path, system_file: Path | None, asked: Kept, *, place: str | None = None) -> int:
    """Boot a board once, show and keep it; return the exit code."""
    with opened_board(board, system_file, asked, place) as there:
        made = there.boot()
    from bootlab.views.run import terminal  # noqa: PLC0415
    from bootlab.views.run.headline import headline  # noqa: PLC0415

    recording = made.recording
    if asked.as_json:
        print_json(
            {
                "run": made.results.id,
                "headline": headline(made.results.data),
                "results": made.results.data,
                "recording": recording.path,
            }
        )
        return recording.meta.outcome.exit_code
    out().print(terminal.results_view(made.results.data))
    if not recording.ok:
        say(f"hint: {made.hint}")
    say(f"recording: {recording.path}")
    say(f"next: {program()} check --board {board} --log {recording.path}/console.log")
    return recording.meta.outcome.exit_code


def repeat_board(board: Path, system_file: Path | None, asked: Kept, *, boots: int, place: str | None = None) -> int:
    """Boot a board so many times, keep every boot, show median, range and each end; return the exit code.

    A board that goes out of reach ends it after the boots that were made are shown.
    """
    made: list[Boot] = []
    with opened_board(board, system_file, asked, place) as there:
        try:
            made.extend(there.boot() for _ in range(boots))
        except TargetError:
            if made:
                _show_boots(there, made, asked)
            raise
        _show_boots(there, made, asked)
    return next((one.recording.meta.outcome.exit_code for one in made if not one.ok), 0)


def _show_boots(there: SystemOnBoard, made: list[Boot], asked: Kept) -> None:
    """Print the stages of all boots, and how each one ended."""
    from bootlab.views.run.ends import ends_text, ends_values  # noqa: PLC0415
    from bootlab.views.table import terminal  # noqa: PLC0415

    stages, recordings = there.stages_of(made), [one.recording for one in made]
    if asked.as_json:
        print_json({"format": "bootlab-boots", "version": 1, "stages": stages, "boots": ends_values(recordings)})
        return
    out().print(terminal.view(stages))
    for line in ends_text(recordings):
        say(line)


def gate_board(
    board: Path,
    system_file: Path | None,
    files: AnswerFiles,
    asked: Kept,
    *,
    boots: int,
    budget: list[str] | None,
    against: str | None,
) -> None:
    """Boot a board so many times, keep every boot, and judge them; end with the gate's exit code."""
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.cli.gate_options import finish  # noqa: PLC0415
    from bootlab.views.table import terminal  # noqa: PLC0415

    if against is not None and against.endswith(".toml"):
        raise UserError(
            f"--against {against}: a board can be judged only against existing boots",
            hint="--against history, a recording's folder, or a folder of recordings",
        )
    base = api.measured(against, store=asked.store) if against is not None else None
    api.check_budgets(budget or ())
    with opened_board(board, system_file, asked) as there:
        made = [there.boot() for _ in range(boots)]
        name = there.board.name
        # Of several boots no single one is shown: its figures would stand beside those that are judged.
        stages = there.stages_of(made)
    if not asked.as_json:
        out().print(terminal.view(stages))
    new = api.side_of(name, [one.recording for one in made])
    found = api.gate(new, base, budget=budget or ())
    finish(found, files, place=str(board), as_json=asked.as_json)


def try_board(
    board: Path,
    system_file: Path | None,
    ids: tuple[str, ...],
    asked: Kept,
    *,
    blocks: int,
    seed: int,
    both: bool,
    html: Path | None,
    everything: bool,
    place: str | None = None,
) -> None:
    """Try techniques on a board, with `both` in QEMU too, and show the verdicts."""
    with opened_board(board, system_file, asked, place) as there:
        made = there.try_both if both else there.try_
        results = made(*ids, blocks=blocks, seed=seed)
    following = f"{program()} report {results.id}{asked.store_words} --html try.html"
    show_run(results, asked, f"results: {results.run.results}", f"next: {following}", html=html, everything=everything)
