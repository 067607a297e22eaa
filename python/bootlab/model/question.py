# SPDX-License-Identifier: MIT
"""What a search asks a boot beside its trials and steps: whether the system still works."""

from __future__ import annotations

import msgspec


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One system that was booted for its function alone. `broken`: why it does not work, ""; `key`: its recording."""

    what: str
    broken: str = ""
    key: str = ""
