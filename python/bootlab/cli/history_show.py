# SPDX-License-Identifier: MIT
"""`bootlab history show`: how a system's boot went over time."""

from __future__ import annotations

from typing import Annotated

from bootlab.cli.history_request import ShowRequest, run
from bootlab.cli.options import Argument


def show(
    system: Annotated[
        str | None,
        Argument(help="The system's name in the history. Default: list all systems.", show_default=False),
    ] = None,
    *,
    asked: ShowRequest,
) -> None:
    """Show how each stage developed over the revisions, where its time changed, and what else changed there.

    Example: bootlab history show camera --stage kernel
    """
    asked.system = system
    run(asked)
