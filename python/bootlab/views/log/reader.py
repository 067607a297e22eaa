# SPDX-License-Identifier: MIT
"""The reader of boot logs in a browser: one file that holds the core as WebAssembly and loads nothing."""

from __future__ import annotations

import base64
import gzip
from typing import get_args

from bootlab.logs.costs import CostKind
from bootlab.techniques.remedies import remedy
from bootlab.views import html_frame, page_parts

SCRIPTS = (*page_parts.SCRIPTS, "reader.js")


def known_remedies() -> dict[str, dict[str, str]]:
    """Return what helps against each kind of cost: its name, and the command or the place to try it."""
    return {kind: {"name": remedy(kind).name, "way": remedy(kind).way()} for kind in get_args(CostKind)}


def render(core: bytes, example: str) -> str:
    """Make the page. `core`: crates/boottrace-wasm as compiled; `example`: a log that a visitor can try."""
    packed = gzip.compress(core, 9, mtime=0)
    data = {"core": base64.b64encode(packed).decode(), "remedies": known_remedies(), "example": example}
    return html_frame.page("Read a boot log · bootlab", SCRIPTS, data, compiles=True)
