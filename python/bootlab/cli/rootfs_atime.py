# SPDX-License-Identifier: MIT
"""`bootlab rootfs atime`: which files of a board's root were used, by their access times."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated

from bootlab.cli.files import write_files
from bootlab.cli.options import Argument, Option
from bootlab.cli.screen import program
from bootlab.cli.session import JsonOption, print_json, put_line, say
from bootlab.errors import UserError


def atime(
    tree: Annotated[Path, Argument(metavar="TREE", help="The folder where the board's root file system is mounted.")],
    *,
    mark: Annotated[bool, Option(help="Mark every file as unused. Do this before the boot.")] = False,
    newer: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="Count files as used if they were read after FILE (a path in TREE) was written. For boards whose "
            "clock is wrong.",
        ),
    ] = None,
    since: Annotated[
        str | None,
        Option(
            metavar="TIME",
            help="Count files as used if they were read after TIME (UTC). For boards whose clock is right.",
        ),
    ] = None,
    output: Annotated[
        Path | None, Option(help="Write the list of used files, for `bootlab rootfs trim --accesses`.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the files that a board's boot used, judging by their access times.

    With --mark before the boot, the board needs no clock. Otherwise, if the board's clock is wrong, let it write a
    marker file first thing (`touch /marker`) and give --newer; if it is right, give --since. Both need a mount with
    strictatime.

    Example: bootlab rootfs atime /mnt/card --mark; boot the board; bootlab rootfs atime /mnt/card --output used.json
    """
    from bootlab.api import root_files  # noqa: PLC0415
    from bootlab.model import figures  # noqa: PLC0415
    from bootlab.views.shown_text import one_line  # noqa: PLC0415

    if sum((mark, newer is not None, since is not None)) > 1:
        raise UserError("--mark, --newer and --since exclude each other", hint="bootlab rootfs atime --help")
    if mark:
        marked = root_files.mark(tree)
        if as_json:
            print_json(marked)
            return
        put_line(f"{marked.names} names are marked as not used")
        if marked.refused:
            say(f"{marked.refused} could not be: {one_line(marked.reason)}")
        say(f"next: boot the board from it, not mounted with noatime; use it; then: {program()} rootfs atime TREE")
        return
    found = root_files.read(tree, newer=newer, since_ns=_time_ns(since) if since is not None else None)
    write_files((output, lambda: root_files.text_of(found.accesses)))
    if as_json:
        print_json(found)
        return
    for access in found.accesses.seen:
        put_line(f"{access.kind:<9} {one_line(access.path)}")
    for warning in found.warnings:
        say(f"warning: {warning}")
    say(
        f"{len(found.accesses.seen)} of {found.names} names were used; {found.unused_files} files "
        f"({figures.size(found.unused_bytes)}) were not"
    )


def _time_ns(text: str) -> int:
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError as fault:
        raise UserError(f"{text!r} is not a time", hint="write it like 2026-01-31T12:00:00") from fault
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return int(moment.timestamp() * 1_000_000_000)
