# SPDX-License-Identifier: MIT
"""The work of `bootlab boot`, apart from its command line.

Importing typer and what it checks options with takes a third of the time that passes before QEMU starts.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bootlab.cli.open_system import opened
from bootlab.cli.options import Booting, Option, take
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.api.values import Equality
    from bootlab.model.costing import Costing

_WANTED_AT_THE_END = (
    "bootlab.api.kept_run",
    "bootlab.views.run.terminal",
    "bootlab.views.run.initcalls",
    "bootlab.cli.screen",
    "importlib.metadata",
    "zipfile",
)


class BootRequest(Booting):
    """What was asked for, one field an option."""

    system_file: Path = Path()
    repeat: Annotated[
        int | None,
        Option(
            least=2,
            most=1000,
            help="Boot N times: in QEMU check that all boots are equal, on a board judge them all together.",
        ),
    ] = None
    diagnostic: Annotated[
        bool, Option(help="Boot once more with initcall_debug and the agent, and list the longest initcalls.")
    ] = False
    programs: Annotated[
        bool,
        Option(
            help="Boot once more with a plugin that sees each program start, and take from there the stages of user "
            "space that the console does not show. Exact mode."
        ),
    ] = False
    costing: Annotated[
        str | None,
        Option(
            metavar="CORE|FILE",
            help="Boot once more with a plugin that models a processor, and forecast what each stage takes on it: "
            "`cortex-a53`, `cortex-a8@1GHz`, or a file of `bootlab board calibrate`. Exact mode.",
        ),
    ] = None
    initcalls: Annotated[
        bool,
        Option(
            help="With --costing: trace the kernel's functions in one boot more, and forecast each long initcall too."
        ),
    ] = False
    fresh: Annotated[bool, Option(help="Boot again even if the store already has a boot of this system.")] = False
    force: Annotated[
        bool, Option(help="Boot even if the checks before it say that it cannot work (first program, root, console).")
    ] = False
    dry_run: Annotated[bool, Option(help="Print the emulator's command line and stop.")] = False


def plain_request(args: Sequence[str]) -> BootRequest | None:
    """Parse arguments without typer; None for anything but plain calls, which typer then parses or refuses."""
    request = BootRequest()
    words = take(request, args)
    if words is None or len(words) != 1 or words[0].startswith("-"):
        return None
    request.system_file = Path(words[0])
    return request


def run(request: BootRequest) -> int:
    """Boot, show and keep; return the exit code."""
    if request.dry_run:
        return _dry_run(request)
    if request.initcalls and request.costing is None:
        raise UserError("--initcalls is a part of a forecast", hint="--costing CORE --initcalls")
    equality: Equality | None = None
    costing: Costing | None = None
    with opened(request.system_file, request, load_meanwhile=_WANTED_AT_THE_END) as system:
        if request.repeat:
            made, equality = system.repeat(request.repeat, force=request.force)
        elif request.costing is not None:
            made, costing = system.boot_costed(
                request.costing,
                programs=request.programs,
                initcalls=request.initcalls,
                fresh=request.fresh,
                force=request.force,
            )
        elif request.programs:
            made = system.boot_with_programs(fresh=request.fresh, force=request.force)
        else:
            made = system.boot(diagnostic=request.diagnostic, fresh=request.fresh, force=request.force)
    recording, diagnosis, meta = made.recording, made.diagnosis, made.recording.meta
    from bootlab.cli.screen import (  # noqa: PLC0415 - see _WANTED_AT_THE_END
        out,
        print_json,
        program,
        say,
    )
    from bootlab.views.run import terminal  # noqa: PLC0415
    from bootlab.views.run.costing import (  # noqa: PLC0415
        costing_document,
        costing_line,
        costing_table,
        long_initcalls_table,
    )
    from bootlab.views.run.headline import headline  # noqa: PLC0415
    from bootlab.views.run.initcalls import initcall_table  # noqa: PLC0415

    if request.as_json:
        document = {
            "run": made.results.id,
            "headline": headline(made.results.data),
            "results": made.results.data,
            "equality": equality,
            "recording": recording.path,
        }
        if request.costing is not None:
            document["costing"] = costing_document(costing)
        print_json({**document, "diagnosis": diagnosis.initcalls if diagnosis else None})
    else:
        console = out()
        console.print(terminal.results_view(made.results.data))
        if diagnosis:
            console.print(initcall_table(diagnosis.initcalls))
        if costing is not None:
            console.print(costing_table(costing))
            if costing.initcalls:
                console.print(long_initcalls_table(costing))
            console.print(costing_line(costing))
        if equality:
            _say_equality(equality)
        if not recording.ok:
            _say_way_out(meta.last_initcall, made.hint)
        say(f"recording: {recording.path}")
        say(f"next: {program()} report {made.results.id}{request.store_words} --html boot.html")
    if not recording.ok:
        return meta.outcome.exit_code
    return 0 if equality is None or (equality.equal and equality.ran == equality.boots) else 5


def _dry_run(request: BootRequest) -> int:
    from bootlab.api import System  # noqa: PLC0415
    from bootlab.cli.screen import (  # noqa: PLC0415
        print_json,
        put_line,
        say,
    )

    plan = System.load(request.system_file).plan()
    if request.as_json:
        print_json({"command": plan.command, "key": plan.key, "lacks": plan.lacks, "notes": plan.notes})
        return 0
    put_line(shlex.join(plan.command))
    for lack in plan.lacks:
        say(f"not recorded: {lack}")
    for note in plan.notes:
        say(f"note: {note}")
    return 0


def _say_equality(equality: Equality) -> None:
    from rich.text import Text  # noqa: PLC0415

    from bootlab.cli.screen import out  # noqa: PLC0415
    from bootlab.views.run.equality_text import sentence  # noqa: PLC0415

    console = out()
    whole = equality.equal and equality.ran == equality.boots
    style = "bold red" if equality.equal is False else "green" if whole else "bold yellow"
    console.print(Text(sentence(equality), style))
    if equality.equal is not False:
        return
    for cause in equality.causes:
        console.print(Text(f"likely cause: {cause}"))
    if not equality.causes:
        console.print(Text("none of the known causes is present; please report this system"))


def _say_way_out(last_initcall: str, hint: str) -> None:
    from rich.text import Text  # noqa: PLC0415

    from bootlab.cli.screen import (  # noqa: PLC0415
        err,
    )
    from bootlab.views.shown_text import one_line  # noqa: PLC0415

    console = err()
    if last_initcall:
        console.print(Text(f"last initcall called and not returned: {one_line(last_initcall)}"), soft_wrap=True)
    console.print(Text(f"hint: {hint}"), soft_wrap=True)
