"""`bootlab boot`: boot a system once, show its stages, keep the recording."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from bootlab.cli.boot_run import Request, run
from bootlab.cli.gate_options import AnswerFiles, BudgetOption
from bootlab.cli.session import BoardOption, OptionalSystemArgument, system_required
from bootlab.errors import UserError


def boot(
    system_file: OptionalSystemArgument = None,
    *,
    board: BoardOption = None,
    quantum: Annotated[
        str | None,
        typer.Option(
            "--quantum",
            metavar="NS,NS,…",
            help="Several processors: boot once with each quantum, and with shared time, and print the goals.",
        ),
    ] = None,
    budget: BudgetOption = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="BASE",
            help="Fail when the boot is slower than this: a system file, a recording, a run, `history`, `rev:COMMIT`.",
        ),
    ] = None,
    files: AnswerFiles,
    asked: Request,
) -> None:
    """Boot a system and show where its time goes, from power-on to the goal. With --board, on real hardware.

    With --budget or --against it is also a gate: exit code 11 if a budget is exceeded or the boot is slower, 14 if
    that stays undecided. A board's times are noisy: give it --repeat 5 or more. `bootlab gate` has more options.

    Example: bootlab boot camera.toml --repeat 5
    """
    gated = bool(budget or against)
    if (files.junit or files.annotate) and not gated:
        raise UserError(
            "--junit and --annotate need something to judge by", hint="--budget total=3s, or --against BASE"
        )
    if board is not None:
        from bootlab.cli.board_boot import boot_board, gate_board  # noqa: PLC0415 - a plain boot does without

        if asked.diagnostic or quantum or asked.dry_run:
            raise typer.BadParameter("--diagnostic, --quantum and --dry-run are for QEMU: use bootlab board")
        if gated:
            gate_board(board, system_file, files, asked, boots=asked.repeat or 1, budget=budget, against=against)
            return
        if asked.repeat:
            raise UserError(
                "--repeat on a board needs a budget or a base",
                hint=f"--budget total=3s; to see several boots: bootlab board compare {board} --boots {asked.repeat}",
            )
        raise typer.Exit(boot_board(board, system_file, asked))
    asked.system_file = system_required(system_file)
    if quantum is not None:
        _quanta(quantum, asked)
        return
    if code := run(asked):
        raise typer.Exit(code)
    if gated and not asked.dry_run:
        from bootlab.cli.gate import Gated, GateFiles, gate  # noqa: PLC0415 - a plain boot does without

        gate(
            [str(system_file)],
            against=[against] if against else None,
            budget=budget,
            files=GateFiles(junit=files.junit, annotate=files.annotate),
            asked=Gated(
                history=os.environ.get("BOOTLAB_HISTORY"), jobs=asked.jobs, store=asked.store, as_json=asked.as_json
            ),
        )


def _quanta(text: str, asked: Request) -> None:
    from bootlab.cli.comparison import TableFiles, compare, end  # noqa: PLC0415 - a plain boot does without
    from bootlab.experiments.quanta import Quanta  # noqa: PLC0415

    words = text.split(",")
    if not all(word.strip().isdecimal() for word in words):
        raise UserError(f"--quantum {text}: not numbers", hint="nanoseconds with commas: --quantum 2000,5000,20000")
    experiment = Quanta(*(int(word) for word in words))
    end(compare(asked.system_file, experiment, TableFiles(), asked))
