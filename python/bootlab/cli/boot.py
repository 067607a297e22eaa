# SPDX-License-Identifier: MIT
"""`bootlab boot`: boot a system once, show its stages, keep the recording."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import msgspec

from bootlab.cli.boot_run import BootRequest, run
from bootlab.cli.gate_options import AnswerFiles, BudgetOption
from bootlab.cli.options import Option
from bootlab.cli.session import BoardOption, OptionalSystemArgument, PlaceOption, system_required
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.api.values import Experiment


def boot(
    system_file: OptionalSystemArgument = None,
    *,
    board: BoardOption = None,
    place: PlaceOption = None,
    quantum: Annotated[
        str | None,
        Option(
            metavar="NS,NS,…",
            help="Several processors: boot once with each quantum, and with shared time, and print the goals.",
        ),
    ] = None,
    again: Annotated[
        int | None,
        Option(
            metavar="N",
            least=1,
            most=9,
            help="Boot N times more, each from what the boot before it left on its disks, and compare all of them by "
            "stage and unit. Exact mode.",
        ),
    ] = None,
    budget: BudgetOption = None,
    against: Annotated[
        str | None,
        Option(
            metavar="BASE",
            help="Fail when the boot is slower than this: a system file, a recording, a run, `history`, `rev:COMMIT`.",
        ),
    ] = None,
    files: AnswerFiles,
    asked: BootRequest,
) -> None:
    """Boot a system and show where its time goes, from power-on to the goal. With --board, on real hardware.

    With --budget or --against it is also a gate: exit code 11 if a budget is exceeded or the boot is slower, 14 if
    that stays undecided. A board's times are noisy: give it --repeat 5 or more. Without a budget, --repeat shows
    a board's median, range and every end. `bootlab gate` has more options.

    Example: bootlab boot camera.toml --repeat 5
    """
    gated = bool(budget or against)
    asked_files = (files.junit, files.annotate, files.markdown, files.badge, files.comment)
    if any(asked_files) and not gated:
        raise UserError(
            "--junit, --annotate and comments need something to judge by", hint="--budget total=3s, or --against BASE"
        )
    if board is not None:
        from bootlab.cli.board_boot import boot_board, gate_board, repeat_board  # noqa: PLC0415 - a plain boot does without
        from bootlab.cli.board_places import boot_places, places_of  # noqa: PLC0415

        if asked.diagnostic or quantum or again or asked.dry_run:
            raise UserError("--diagnostic, --quantum, --again and --dry-run are for QEMU", hint="bootlab board --help")
        if gated and place:
            raise UserError("a gate judges the boots of one board", hint="the place in the board's file, not --place")
        places = places_of(board, place)
        if len(places) > 1:
            raise SystemExit(boot_places(board, system_file, asked, places, boots=asked.repeat))
        one = places[0] if places else None
        if gated:
            gate_board(board, system_file, files, asked, boots=asked.repeat or 1, budget=budget, against=against)
            return
        if asked.repeat:
            raise SystemExit(repeat_board(board, system_file, asked, boots=asked.repeat, place=one))
        raise SystemExit(boot_board(board, system_file, asked, place=one))
    if place:
        raise UserError("--place is of a board's labgrid", hint="--board BOARD.toml --place NAME")
    asked.system_file = system_required(system_file)
    if again is not None:
        from bootlab.api.comparisons import Again  # noqa: PLC0415

        _compared(asked, Again(again))
        return
    if quantum is not None:
        _quanta(quantum, asked)
        return
    if code := run(asked):
        raise SystemExit(code)
    if gated and not asked.dry_run:
        from bootlab.cli.gate import Gated, GateFiles, gate  # noqa: PLC0415 - a plain boot does without
        from bootlab.cli.gate_command import TellingCommand  # noqa: PLC0415

        gate(
            [str(system_file)],
            against=[against] if against else None,
            budget=budget,
            files=GateFiles(**msgspec.structs.asdict(files)),
            telling=TellingCommand(),
            asked=Gated(
                history=os.environ.get("BOOTLAB_HISTORY"), jobs=asked.jobs, store=asked.store, as_json=asked.as_json
            ),
        )


def _quanta(text: str, asked: BootRequest) -> None:
    from bootlab.api.comparisons import Quanta  # noqa: PLC0415

    words = text.split(",")
    if not all(word.strip().isdecimal() for word in words):
        raise UserError(f"--quantum {text}: not numbers", hint="nanoseconds with commas: --quantum 2000,5000,20000")
    _compared(asked, Quanta(*(int(word) for word in words)))


def _compared(asked: BootRequest, experiment: Experiment) -> None:
    from bootlab.cli.comparison import TableFiles, compare, end  # noqa: PLC0415 - a plain boot does without

    end(compare(asked.system_file, experiment, TableFiles(), asked))
