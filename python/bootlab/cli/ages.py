# SPDX-License-Identifier: MIT
"""Ages as people write them on the command line, and what is only told, not done."""

from __future__ import annotations

from typing import Annotated

from bootlab.cli.options import Option
from bootlab.errors import UserError
from bootlab.model.duration import age_s

DryRunOption = Annotated[bool, Option(names=("--dry-run",), help="Remove nothing; say what would go.")]


def seconds_of(text: str) -> float:
    """Return an age in seconds. Raise UserError."""
    seconds = age_s(text)
    if seconds is None:
        raise UserError(f"{text!r} is no age", hint="90d, 6 weeks, 1 year; a number alone is days")
    return seconds
