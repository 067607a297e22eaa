# SPDX-License-Identifier: MIT
"""`bootlab verify`: is what was handed over in the new build, and did the gain arrive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from bootlab.cli.options import Argument, Option
from bootlab.cli.session import Kept, print_json, say
from bootlab.errors import Found


def verify(
    build: Annotated[
        list[Path],
        Argument(
            metavar="BUILD...",
            help="The new build: what `bootlab new --from` takes: Buildroot's output folder, Yocto's deploy folder, an "
            "image, a kernel, a root tree. Of several, later ones override.",
            show_default=False,
        ),
    ],
    *,
    hand_over: Annotated[
        Path,
        Option(
            metavar="FOLDER",
            help="The hand-over: optimized/ or faster/ of a run, or build-system/ in it.",
            show_default=False,
        ),
    ],
    log: Annotated[
        Path | None, Option(metavar="FILE", help="A boot log of the build: take the command line from it.")
    ] = None,
    entry: Annotated[
        str, Option(metavar="TITLE", help="Of an image with several boot entries: this one, by title or number.")
    ] = "",
    boot: Annotated[bool, Option(help="Also boot the build, and say how much of the gain arrived.")] = False,
    asked: Kept,
) -> None:
    """Look for each change of a hand-over in a new build: found, missing, or unknown.

    Exit code 0: all changes are found; 12: at least one is missing; 14: none is missing, and the build's files do not
    tell of all of them.

    Example: bootlab verify output --hand-over optimized
    """
    from bootlab.api.deliver import verify as verified  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.cli.progress import BootProgress  # noqa: PLC0415
    from bootlab.views import verify_text  # noqa: PLC0415

    with BootProgress(quiet=asked.as_json) as progress:
        found = verified(build, hand_over, log=log, entry=entry, boot=boot, store=asked.store, observer=progress)
    if asked.as_json:
        print_json({"format": "bootlab-verify", "version": 1, "verified": found})
    else:
        for line in verify_text.lines(found):
            say(line)
    if found.of("missing"):
        raise SystemExit(Found.NOT_SO)
    if found.of("unknown"):
        raise SystemExit(Found.UNDECIDED)
