# SPDX-License-Identifier: MIT
"""`bootlab history add`: put boots into the history."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bootlab.cli.gate_options import Measured
from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, Option
from bootlab.cli.session import print_json, say
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.api.values import BootTimes

ObjectsOption = Annotated[
    Path | None,
    Option(
        names=("--objects",),
        help="Folder for the recordings. Default: `objects` beside the SQLite file or in the store.",
    ),
]


def add(
    things: Annotated[
        list[str],
        Argument(
            metavar="THING...", help="Runs (`last`), recording folders, boot logs, or system files.", show_default=False
        ),
    ],
    *,
    system: Annotated[str, Option(help="The system's name in the history.", show_default=False)],
    revision: Annotated[
        str | None,
        Option(help="What was booted: a commit, a tag, a date. Default: git's HEAD in this folder."),
    ] = None,
    variant: Annotated[str, Option(help="What else makes these boots differ: a technique, a configuration.")] = "",
    session: Annotated[str, Option(help="A name for boots that were made together.")] = "",
    times_only: Annotated[bool, Option(help="Keep only the times, not the recordings.")] = False,
    objects: ObjectsOption = None,
    asked: Measured,
) -> None:
    """Add boots to the history, with the commit that was booted. A boot that is already there is not added again.

    An exact system file is booted under five dithers, which tell a later `bootlab gate --against history` how far
    changes that mean nothing move the goal. Exit code 0 means that all of them are on the disk.

    Example: bootlab history add last --system camera --revision v1.1
    """
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it

    named = revision if revision is not None else _head()
    systems = [thing for thing in things if thing.endswith(".toml")]
    boots = tuple(boot for thing in systems for boot in _booted(Path(thing), asked))
    if others := [thing for thing in things if thing not in systems]:
        boots += asked.side(*others).boots
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


def _booted(system_file: Path, asked: Measured) -> tuple[BootTimes, ...]:
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it

    with opened(system_file, asked) as system:
        return api.dithered(system).boots


def _head() -> str:
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise UserError(f"git cannot say which commit this is: {fault}", hint="--revision NAME") from fault
    if done.returncode:
        raise UserError("this folder is not a git repository, so the commit is unknown", hint="--revision NAME")
    return done.stdout.strip()
