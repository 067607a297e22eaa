"""`bootlab boot --board` and `bootlab try --board`: real hardware."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.cli.progress import BootProgress
from bootlab.cli.run_view import show_run
from bootlab.cli.screen import out, print_json, say
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.api.on_board import OnBoard
    from bootlab.cli.gate_options import AnswerFiles
    from bootlab.cli.options import Kept


@contextmanager
def opened_board(board: Path, system_file: Path | None, asked: Kept) -> Iterator[OnBoard]:
    """Read the files of a board and a system; what is booted inside the block is shown."""
    from bootlab.api.on_board import OnBoard  # noqa: PLC0415 - `--help` must not wait for it

    with BootProgress(jobs=1, quiet=asked.as_json) as progress:
        yield OnBoard.load(board, system_file, store=asked.store, observer=progress)


def boot_board(board: Path, system_file: Path | None, asked: Kept) -> int:
    """Boot a board once, show and keep it; return the exit code."""
    with opened_board(board, system_file, asked) as there:
        made = there.boot()
        system = there.board.value
    from bootlab.targets.failure_hint import hint_for  # noqa: PLC0415
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
        say(f"hint: {hint_for(recording, system)}")
    say(f"recording: {recording.path}")
    say(f"next: bootlab check --board {board} --log {recording.path}/console.log")
    return recording.meta.outcome.exit_code


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
    from bootlab.history.of_recording import side_of  # noqa: PLC0415
    from bootlab.views.run import terminal  # noqa: PLC0415

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
    if not asked.as_json:
        out().print(terminal.results_view(made[-1].results.data))
    new = side_of(name, [one.recording for one in made])
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
) -> None:
    """Try techniques on a board, with `both` in QEMU too, and show the verdicts."""
    with opened_board(board, system_file, asked) as there:
        made = there.try_both if both else there.try_
        results = made(*ids, blocks=blocks, seed=seed)
    following = f"bootlab report {results.id}{asked.store_words} --html try.html"
    show_run(results, asked, f"results: {results.run.results}", f"next: {following}", html=html, everything=everything)
