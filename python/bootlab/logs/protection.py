# SPDX-License-Identifier: MIT
"""What a kernel says of its protections.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

import msgspec


class Protection(msgspec.Struct, frozen=True, kw_only=True):
    """One such message."""

    says: str
    """What the kernel says of it."""
    subject: str
    """What it is about: `Spectre V2`, `security modules`, `W+X mappings`."""
