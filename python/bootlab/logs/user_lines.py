# SPDX-License-Identifier: MIT
"""What programs of user space printed, as the core reads it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab import _core
from bootlab.logs.user import UserLine


def of_console(lines: Sequence[str]) -> tuple[UserLine, ...]:
    """Return the lines of a console that programs printed, without what the kernel wrote into them."""
    return msgspec.json.decode(_core.user_lines(lines), type=tuple[UserLine, ...])
