# SPDX-License-Identifier: MIT
"""Which files of a root tree were used: by the access times of a mounted one, and as lists that are kept."""

from __future__ import annotations

from bootlab.collectors.access_times import mark, read
from bootlab.store.accesses_file import load, text_of

__all__ = ["load", "mark", "read", "text_of"]
