"""`bootlab boot`: boot a system once, show its stages, keep the recording."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.boot_run import MOST_REPEATS, Request, run
from bootlab.cli.gate_options import AnnotateOption, BudgetOption, JunitOption
from bootlab.cli.session import (
    DEFAULT_STORE,
    BoardOption,
    JobsOption,
    JsonOption,
    OptionalSystemArgument,
    StoreOption,
    system_required,
)
from bootlab.errors import UserError


def boot(
    system_file: OptionalSystemArgument = None,
    *,
    board: BoardOption = None,
    repeat: Annotated[
        int | None,
        typer.Option(
            "--repeat",
            min=2,
            max=MOST_REPEATS,
            help="Boot N times: in QEMU check that all boots are equal, on a board judge them all together.",
        ),
    ] = None,
    diagnostic: Annotated[
        bool,
        typer.Option(
            "--diagnostic", help="Boot once more with initcall_debug and the agent, and list the longest initcalls."
        ),
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Boot again even if the store already has a boot of this system.")
    ] = False,
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
    junit: JunitOption = None,
    annotate: AnnotateOption = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Boot even if the checks before it say that it cannot work (first program, root, console)."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the emulator's command line and stop.")] = False,
    jobs: JobsOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Boot a system and show where its time goes, from power-on to the goal. With --board, on real hardware.

    With --budget or --against it is a gate besides: exit code 11 when a budget is broken or the boot is slower, 14 when
    that stays undecided. A board's times are noisy: give it --repeat 5 or more. `bootlab gate` has more options.

    Example: bootlab boot camera.toml --repeat 5
    """
    gated = bool(budget or against)
    if (junit or annotate) and not gated:
        raise UserError(
            "--junit and --annotate need something to judge by", hint="--budget total=3s, or --against BASE"
        )
    if board is not None:
        from bootlab.cli.board_boot import boot_board, gate_board  # noqa: PLC0415 - a plain boot does without

        if diagnostic or quantum or dry_run:
            raise typer.BadParameter("--diagnostic, --quantum and --dry-run are for QEMU: use bootlab board")
        if gated:
            gate_board(
                board,
                system_file,
                boots=repeat or 1,
                budget=budget,
                against=against,
                junit=junit,
                annotate=annotate,
                store=store,
                as_json=as_json,
            )
            return
        if repeat:
            raise UserError(
                "--repeat on a board needs a budget or a base",
                hint=f"--budget total=3s; to see several boots: bootlab board compare {board} --boots {repeat}",
            )
        raise typer.Exit(boot_board(board, system_file, store=store, as_json=as_json))
    system_file = system_required(system_file)
    if quantum is not None:
        _quanta(system_file, quantum, jobs=jobs, store=store, as_json=as_json)
        return
    code = run(
        Request(
            system_file=system_file,
            repeat=repeat,
            diagnostic=diagnostic,
            fresh=fresh,
            force=force,
            dry_run=dry_run,
            jobs=jobs,
            store=store,
            as_json=as_json,
        )
    )
    if code:
        raise typer.Exit(code)
    if gated and not dry_run:
        from bootlab.cli.gate import gate  # noqa: PLC0415 - a plain boot does without

        gate(
            [str(system_file)],
            against=[against] if against else None,
            budget=budget,
            junit=junit,
            annotate=annotate,
            history=os.environ.get("BOOTLAB_HISTORY"),
            jobs=jobs,
            store=store,
            as_json=as_json,
        )


def _quanta(system_file: Path, text: str, *, jobs: int | None, store: Path, as_json: bool) -> None:
    from bootlab.cli.comparison import show  # noqa: PLC0415 - a plain boot does without
    from bootlab.cli.open_system import opened  # noqa: PLC0415
    from bootlab.errors import TargetError  # noqa: PLC0415
    from bootlab.experiments.quanta import Quanta  # noqa: PLC0415

    words = text.split(",")
    if not all(word.strip().isdecimal() for word in words):
        raise UserError(f"--quantum {text}: not numbers", hint="nanoseconds with commas: --quantum 2000,5000,20000")
    experiment = Quanta(*(int(word) for word in words))
    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        results = system.compare(experiment)
    found = results.comparison
    show(found, results, as_json=as_json)
    if not all(row.ok for row in found.rows):
        raise typer.Exit(TargetError.exit_code)
