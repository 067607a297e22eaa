# SPDX-License-Identifier: MIT
"""`bootlab history add`: put boots into the history."""

from __future__ import annotations

import os
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

WebhookOption = Annotated[
    str | None,
    Option(
        metavar="URL",
        help="Tell this address, as JSON, when added boots change the level of the whole boot; its `text` is what chat "
        "servers show. Default: BOOTLAB_WEBHOOK.",
        show_default=False,
    ),
]


def add(
    things: Annotated[
        list[str],
        Argument(
            metavar="THING...",
            help="Runs (`last`), recordings, boot logs, KCIDB reports (JSON), LAVA's results (CSV), system files.",
            show_default=False,
        ),
    ],
    *,
    system: Annotated[str, Option(help="The system's name in the history.", show_default=False)],
    revision: Annotated[
        str | None,
        Option(
            help="What was booted: a commit, a tag, a date. Default: what a KCIDB report says, else git's HEAD in this "
            "folder."
        ),
    ] = None,
    commit: Annotated[
        str | None,
        Option(
            metavar="REV",
            help="The commit that was booted: git in this folder gives the revision, its author and its subject.",
        ),
    ] = None,
    author: Annotated[str, Option(help="Who made the commit that was booted.")] = "",
    subject: Annotated[str, Option(help="What the commit says of itself, one line.")] = "",
    variant: Annotated[str, Option(help="What else makes these boots differ: a technique, a configuration.")] = "",
    session: Annotated[str, Option(help="A name for boots that were made together.")] = "",
    times_only: Annotated[bool, Option(help="Keep only the times, not the recordings.")] = False,
    webhook: WebhookOption = None,
    objects: ObjectsOption = None,
    asked: Measured,
) -> None:
    """Add boots to the history, with the commit that was booted. A boot that is already there is not added again.

    An exact system file is booted under five dithers, which tell a later `bootlab gate --against history` how far
    changes that mean nothing move the goal. Exit code 0 means that all of them are on the disk.

    Example: bootlab history add last --system camera --revision v1.1
    """
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.api.kept_history import tell_step  # noqa: PLC0415

    if commit is not None:
        found = _git("log", "-1", "--format=%H%x00%an%x00%s", "--end-of-options", commit).split("\0")
        revision, author, subject = (
            given or said for given, said in zip((revision, author, subject), found, strict=True)
        )
    systems = [thing for thing in things if thing.endswith(".toml")]
    boots = tuple(boot for thing in systems for boot in _booted(Path(thing), asked))
    if others := [thing for thing in things if thing not in systems]:
        boots += asked.side(*others).boots
    named = revision if revision is not None else "" if api.name_revisions(boots) else _git("rev-parse", "HEAD")
    with api.open_history(asked.history, store=asked.store, objects=objects) as database:
        added = api.keep(
            database,
            boots,
            system=system,
            revision=named,
            variant=variant,
            session=session,
            author=author,
            subject=subject,
            times_only=times_only,
        )
        address = webhook or os.environ.get("BOOTLAB_WEBHOOK", "")
        posted = tell_step(database, system, added, address) if address else ""
    if asked.as_json:
        print_json({"added": added, "known": len(boots) - added, "system": system, "revision": named or None})
        return
    known = f", {len(boots) - added} known" if added < len(boots) else ""
    say(f"{system} at {named or 'the revisions of the reports'}: {added} added{known}")
    if posted:
        say(posted)


def _booted(system_file: Path, asked: Measured) -> tuple[BootTimes, ...]:
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it

    with opened(system_file, asked) as system:
        return api.dithered(system).boots


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise UserError(f"git cannot say which commit this is: {fault}", hint="--revision NAME") from fault
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise UserError(f"git does not know the commit: {said[-1] if said else words[0]}", hint="--revision NAME")
    return done.stdout.strip()
