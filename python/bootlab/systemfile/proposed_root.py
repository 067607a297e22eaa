# SPDX-License-Identifier: MIT
"""The root that a system file is to mount."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.model.root import RootMedium


class RootProposal(msgspec.Struct, frozen=True, kw_only=True):
    """Where the root lies: a ready `image` or a `tree` that bootlab packs; on which medium, and why on that one."""

    medium: RootMedium
    reason: str
    image: Path | None = None
    tree: Path | None = None
    partition: int = 0
    file_system: str = "ext4"
    lacking: str = ""
