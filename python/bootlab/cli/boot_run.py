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

if TYPE_CHECKING:
    from bootlab.analysis.equality import Equality

_WANTED_AT_THE_END = (
    "bootlab.views.run.terminal",
    "bootlab.views.run.initcalls",
    "bootlab.cli.screen",
    "bootlab.targets.failure_hint",
    "importlib.metadata",
    "zipfile",
)


class Request(Booting):
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
    fresh: Annotated[bool, Option(help="Boot again even if the store already has a boot of this system.")] = False
    force: Annotated[
        bool, Option(help="Boot even if the checks before it say that it cannot work (first program, root, console).")
    ] = False
    dry_run: Annotated[bool, Option(help="Print the emulator's command line and stop.")] = False


def plain_request(args: Sequence[str]) -> Request | None:
    """Parse arguments without typer; None for anything but plain calls, which typer then parses or refuses."""
    request = Request()
    words = take(request, args)
    if words is None or len(words) != 1 or words[0].startswith("-"):
        return None
    request.system_file = Path(words[0])
    return request


def run(request: Request) -> int:
    """Boot, show and keep; return the exit code."""
    if request.dry_run:
        return _dry_run(request)
    equality: Equality | None = None
    with opened(request.system_file, request, load_meanwhile=_WANTED_AT_THE_END) as system:
        if request.repeat:
            made, equality = system.repeat(request.repeat, force=request.force)
        elif request.programs:
            made = system.boot_with_programs(fresh=request.fresh, force=request.force)
        else:
            made = system.boot(diagnostic=request.diagnostic, fresh=request.fresh, force=request.force)
    recording, diagnosis, meta = made.recording, made.diagnosis, made.recording.meta
    from bootlab.cli.screen import (  # noqa: PLC0415 - see _WANTED_AT_THE_END
        out,
        print_json,
        say,
    )
    from bootlab.targets.failure_hint import hint_for  # noqa: PLC0415
    from bootlab.views.run import terminal  # noqa: PLC0415
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
        print_json({**document, "diagnosis": diagnosis.initcalls if diagnosis else None})
    else:
        console = out()
        console.print(terminal.results_view(made.results.data))
        if diagnosis:
            console.print(initcall_table(diagnosis.initcalls))
        if equality:
            _say_equality(equality)
        if not recording.ok:
            _say_way_out(meta.last_initcall, hint_for(recording, system.value))
        say(f"recording: {recording.path}")
        say(f"next: bootlab report {made.results.id}{request.store_words} --html boot.html")
    if not recording.ok:
        return meta.outcome.exit_code
    return 5 if equality and not equality.equal else 0


def _dry_run(request: Request) -> int:
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

    from bootlab.cli.screen import (  # noqa: PLC0415
        out,
    )

    console = out()
    if equality.equal:
        said = f"{equality.boots} of {equality.boots} boots equal: console byte for byte, goal to the instruction"
        console.print(Text(said, "green"))
        return
    console.print(Text(f"the boots differ: {equality.difference}", "bold red"))
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
