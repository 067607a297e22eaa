# SPDX-License-Identifier: MIT
"""A system with the costs of a board: those of its file, or others given for a run."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.costs.named import costs_of, known_on
from bootlab.errors import UserError
from bootlab.model.system import SystemDescription
from bootlab.systemfile.loader import load


def load_with(path: Path, given: str | None = None) -> SystemDescription:
    """Read a system file with the costs that its boots are judged by. `given`: instead of those of the file.

    Raise UserError for costs that cannot be read, or beside a clock that holds such costs already.
    """
    system = load(path)
    costs = costs_of(given) if given is not None else system.costs
    if costs is None:
        return system
    if system.clock.mode != "exact" or system.board is not None:
        raise UserError(
            "a board's costs are added to exact boots; the host's clock and a real board's hold their own",
            hint='clock.mode = "exact", or leave the costs out',
        )
    return msgspec.structs.replace(system, costs=known_on(costs, system.cmdline))
