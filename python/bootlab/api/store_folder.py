# SPDX-License-Identifier: MIT
"""Where recordings and runs are kept unless something else is said."""

from __future__ import annotations

import os
from pathlib import Path


def default_store() -> Path:
    """Return where recordings and runs are kept unless something else is said: BOOTLAB_STORE, else `.bootlab`."""
    return Path(os.environ.get("BOOTLAB_STORE") or ".bootlab")
