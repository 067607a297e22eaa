# SPDX-License-Identifier: MIT
"""The frame of every HTML page: no network, no eval, data as JSON, every text put in as text.

The page's policy allows exactly one script and one style sheet, by their hashes: markup that slipped in through a log
could not run even then.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Sequence
from importlib import resources
from string import Template
from typing import Any

import msgspec

STYLES = ("page.css", "sections.css", "calls.css", "reader.css")

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def page(title: str, scripts: Sequence[str], data: Any, *, compiles: bool = False) -> str:
    """Make a page out of the named scripts and the data they draw. `compiles`: WebAssembly that is in its data."""
    script = "'use strict';(() => {\n" + "\n".join(_part(name) for name in scripts) + "\n})();"
    style = "\n".join(_part(name) for name in STYLES)
    core = " 'wasm-unsafe-eval'" if compiles else ""
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'{core}; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(_part("report.html")).substitute(
        title=html.escape(title),
        policy=html.escape(policy),
        # Our own files and JSON without a single `<`: nothing here comes from outside unescaped.
        style=style,
        script=script,
        data=script_json(data),
    )


def script_json(value: Any) -> str:
    """Encode a value as JSON that can stand inside a `<script>`: no text in it can end the element."""
    text = msgspec.json.encode(value).decode()
    for char, escape in _ESCAPES.items():
        text = text.replace(char, escape)
    return text


def _part(name: str) -> str:
    return resources.files("bootlab.views").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
