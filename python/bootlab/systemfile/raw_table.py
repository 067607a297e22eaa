# SPDX-License-Identifier: MIT
"""What all tables of a system file have in common."""

from __future__ import annotations

import msgspec


class RawTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the tables: a key that nobody knows is an error."""
