# SPDX-License-Identifier: MIT
"""`bootlab stack`: put the winners together and hand over the faster system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from bootlab.cli.open_system import opened
from bootlab.cli.options import Option
from bootlab.cli.run_view import show_run
from bootlab.cli.screen import program
from bootlab.cli.session import AllOption, Costed, SystemArgument
from bootlab.cli.try_techniques import AllowOption, AlsoOption, IdsArgument


def stack(
    system_file: SystemArgument,
    ids: IdsArgument = None,
    *,
    allow: AllowOption = None,
    also: AlsoOption = None,
    html: Annotated[Path | None, Option(help="Write the HTML report to this file instead of the run's folder.")] = None,
    everything: AllOption = False,
    asked: Costed,
) -> None:
    """Try every technique, stack the winners, leave each one out once, and write the faster system.

    Ctrl-C ends it with what is proved so far, Ctrl-C twice at once. After an interruption at any moment (Ctrl-C, kill,
    power cut) the same command continues without repeating a boot.

    Example: bootlab stack camera.toml --html report.html
    """
    with opened(system_file, asked) as system:
        results = system.stack(*ids or (), allow=allow or (), also=also or ())
    page = html or results.run.folder / "report.html"
    following = f"next: {program()} boot {results.faster}"
    show_run(results, asked, following, html=page, everything=everything, named=tuple(ids or ()))
