# SPDX-License-Identifier: MIT
"""Paths as boot loaders write them."""

from __future__ import annotations

import posixpath
import re


def below_root(text: str) -> str:
    """Return a path of a loader from its file system's root: `(hd0,gpt2)` is cut off."""
    text = re.sub(r"^\([^)]*\)", "", text)
    return posixpath.normpath("/" + text.lstrip("/")) if text else ""


def below(folder: str, path: str) -> str:
    """Return a path that may be relative to a folder; "" for none."""
    return posixpath.normpath(posixpath.join(folder, path)) if path else ""
