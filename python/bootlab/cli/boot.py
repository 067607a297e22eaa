"""`bootlab boot`: boot a system once, show its stages, keep the recording."""

from __future__ import annotations

from typing import Annotated

import typer

from bootlab.cli.boot_run import MOST_REPEATS, Request, run
from bootlab.cli.session import DEFAULT_STORE, JobsOption, JsonOption, StoreOption, SystemArgument


def boot(
    system_file: SystemArgument,
    *,
    repeat: Annotated[
        int | None,
        typer.Option("--repeat", min=2, max=MOST_REPEATS, help="Boot N times and check that all boots are equal."),
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
