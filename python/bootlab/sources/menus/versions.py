# SPDX-License-Identifier: MIT
"""Names of kernels and entries in the order of the versions in them."""

from __future__ import annotations

import re


def version_of(name: str) -> tuple[list[int], str]:
    """Return what sorts names by the versions in them."""
    return [int(n) for n in re.findall(r"\d{1,9}", name)[:8]], name
