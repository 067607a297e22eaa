"""`bootlab history add`: put boots into the history."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.gate_options import Measured
from bootlab.cli.session import print_json, say
from bootlab.errors import UserError

ObjectsOption = Annotated[
    Path | None,
    typer.Option(
        "--objects", help="Folder for the recordings. Default: `objects` beside the SQLite file or in the store."
    ),
]


def add(
    things: Annotated[
        list[str],
        typer.Argument(metavar="THING...", help="Runs (`last`), recording folders or boot logs.", show_default=False),
    ],
    *,
    system: Annotated[str, typer.Option("--system", help="The system's name in the history.", show_default=False)],
    revision: Annotated[
        str | None,
        typer.Option(
            "--revision", help="What was booted: a commit, a tag, a date. Default: git's HEAD in this folder."
        ),
    ] = None,
    variant: Annotated[
        str, typer.Option("--variant", help="What else makes these boots differ: a technique, a configuration.")
    ] = "",
    session: Annotated[str, typer.Option("--session", help="A name for boots that were made together.")] = "",
    times_only: Annotated[bool, typer.Option("--times-only", help="Keep only the times, not the recordings.")] = False,
    objects: ObjectsOption = None,
    asked: Measured,
) -> None:
    """Add boots to the history, with the commit that was booted. A boot that is already there is not added again.

    Exit code 0 means that all of them are on the disk.

    Example: bootlab history add last --system camera --revision v1.1
    """
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it

    named = revision if revision is not None else _head()
    boots = asked.side(*things).boots
    with api.open_history(asked.history, store=asked.store, objects=objects) as database:
        added = api.keep(
            database,
            boots,
            system=system,
            revision=named,
            variant=variant,
            session=session,
            times_only=times_only,
        )
    if asked.as_json:
        print_json({"added": added, "known": len(boots) - added, "system": system, "revision": named})
        return
    known = f", {len(boots) - added} known" if added < len(boots) else ""
    say(f"{system} at {named}: {added} added{known}")


def _head() -> str:
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise UserError(f"git cannot say which commit this is: {fault}", hint="--revision NAME") from fault
    if done.returncode:
        raise UserError("this folder is not a git repository, so the commit is unknown", hint="--revision NAME")
    return done.stdout.strip()
