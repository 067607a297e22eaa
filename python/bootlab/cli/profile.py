# SPDX-License-Identifier: MIT
"""`bootlab profile`: what an application does from its start to the goal, by its system calls."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from bootlab.cli.files import write_files
from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, Option, RowsOption
from bootlab.cli.session import Kept, out, print_json, say
from bootlab.errors import UserError


def profile(
    what: Annotated[
        Path,
        Argument(
            metavar="LOG|SYSTEM.toml",
            help="A log of strace, compressed or not (`-` reads standard input), or a system file to boot and trace.",
            show_default=False,
        ),
    ],
    *,
    goal: Annotated[
        str | None,
        Option(help="Stop reading the log at the first line that contains this text.", show_default=False),
    ] = None,
    rows: RowsOption = 15,
    html: Annotated[
        Path | None, Option(help="Write one self-contained HTML page. For logs only.", show_default=False)
    ] = None,
    asked: Kept,
) -> None:
    """Show what an application waits for, searches, reads and starts until its goal, with advice for each.

    To make a log on a board: strace -f -tt -T -o app.strace camera. All time stamps of strace are understood (-r, -t,
    -tt, -ttt, -T). Given a system file, the emulator records every system call without adding anything to the guest.

    Example: bootlab profile app.strace --goal "first frame"
    """
    from bootlab.api import logs  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.log import application_text  # noqa: PLC0415
    from bootlab.views.log import page as analysis_html  # noqa: PLC0415

    if what.suffix == ".toml":
        if goal is not None or html is not None:
            raise UserError("--goal and --html are for logs", hint="the goal of a system is set in its file")
        with opened(what, asked) as system:
            made = system.profile()
        part, where = made.profile, made.recording.path or ""
    else:
        found, part = logs.application(what, goal)
        write_files((html, lambda: analysis_html.render(found)))
        where = str(what)
    if asked.as_json:
        advice = logs.advise(part)
        print_json({"format": "bootlab-profile", "version": 1, "of": where, "profile": part, "advice": advice})
        return
    out().print(application_text.profile_view(part, rows))
    if what.suffix == ".toml":
        say(f"recording: {where}")
