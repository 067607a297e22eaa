# SPDX-License-Identifier: MIT
"""Debian's tar, for trees of a kernel's size."""

from __future__ import annotations

import subprocess


def tar(*words: str) -> str:
    """Run tar; return all that it complains about, "" when it did what was asked."""
    done = subprocess.run(["tar", *words], capture_output=True, text=True, errors="replace", check=False)
    return (done.stderr.strip() or f"tar ended with {done.returncode}") if done.returncode else ""
