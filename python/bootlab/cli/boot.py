"""`bootlab boot`: boot a system once, show its stages, keep the recording."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from bootlab.cli.open_system import opened
from bootlab.cli.session import (
    DEFAULT_STORE,
    JobsOption,
    JsonOption,
    StoreOption,
    SystemArgument,
    err,
    out,
    print_json,
)

if TYPE_CHECKING:
    from bootlab.analysis.equality import Equality


def boot(
    system_file: SystemArgument,
    *,
    repeat: Annotated[
        int | None, typer.Option("--repeat", min=2, max=1000, help="Boot N times and check that all boots are equal.")
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
    """Boot a system and show where its time goes, from power-on to the goal.

    Example: bootlab boot camera.toml --repeat 5
    """
    if dry_run:
        _dry_run(system_file, as_json=as_json)
        return
    from bootlab.targets.failure_hint import hint_for  # noqa: PLC0415
    from bootlab.views.run import terminal  # noqa: PLC0415 - loaded only where something is shown
    from bootlab.views.run.headline import headline  # noqa: PLC0415
    from bootlab.views.run.initcalls import initcall_table  # noqa: PLC0415

    equality: Equality | None = None
    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        if repeat:
            made, equality = system.repeat(repeat, force=force)
        else:
            made = system.boot(diagnostic=diagnostic, fresh=fresh, force=force)
    recording, diagnosis, meta = made.recording, made.diagnosis, made.recording.meta
    if as_json:
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
        if diagnosis:
            console.print(initcall_table(diagnosis.initcalls))
        console.print(terminal.results_view(made.results.data))
        if equality:
            _say_equality(equality.equal, equality.boots, equality.difference, equality.causes)
        if not recording.ok:
            hint = hint_for(recording, system.value)
            _say_way_out(meta.last_initcall, hint)
        err().print(f"recording: {recording.path}", markup=False, soft_wrap=True)
        err().print(f"next: bootlab report {made.results.id} --html boot.html", markup=False, soft_wrap=True)
    if not recording.ok:
        raise typer.Exit(meta.outcome.exit_code)
    if equality and not equality.equal:
        raise typer.Exit(5)


def _dry_run(system_file: SystemArgument, *, as_json: bool) -> None:
    from bootlab.api import System  # noqa: PLC0415

    plan = System.load(system_file).plan()
    if as_json:
        print_json({"command": plan.command, "key": plan.key, "lacks": plan.lacks, "notes": plan.notes})
    else:
        out().print(shlex.join(plan.command), markup=False, soft_wrap=True)
        for lack in plan.lacks:
            err().print(f"not recorded: {lack}", markup=False, soft_wrap=True)
        for note in plan.notes:
            err().print(f"note: {note}", markup=False, soft_wrap=True)


def _say_equality(equal: bool, boots: int, difference: str, causes: tuple[str, ...]) -> None:
    console = out()
    if equal:
        console.print(Text(f"{boots} of {boots} boots equal: console byte for byte, goal to the instruction", "green"))
        return
    console.print(Text(f"the boots differ: {difference}", "bold red"))
    for cause in causes:
        console.print(Text(f"likely cause: {cause}"))
    if not causes:
        console.print(Text("none of the known causes is present; please report this system"))


def _say_way_out(last_initcall: str, hint: str) -> None:
    from bootlab.views.shown_text import one_line  # noqa: PLC0415

    console = err()
    if last_initcall:
        console.print(Text(f"last initcall called and not returned: {one_line(last_initcall)}"), soft_wrap=True)
    console.print(Text(f"hint: {hint}"), soft_wrap=True)
