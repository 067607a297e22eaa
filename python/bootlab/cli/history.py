# SPDX-License-Identifier: MIT
"""`bootlab history`: boots over months."""

from __future__ import annotations

from bootlab.cli.history_add import add
from bootlab.cli.history_keep import export, prune
from bootlab.cli.history_show import show
from bootlab.cli.verbs import Verbs

history = Verbs(
    "Keep boots over months: add runs, recordings and logs with their commit, show how each stage developed "
    "and where it changed, export boots, remove old ones.\n\n"
    "Example: bootlab history add last --system camera --revision v1.1",
    add=add,
    show=show,
    export=export,
    prune=prune,
)
