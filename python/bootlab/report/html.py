"""One self-contained HTML page of a run: no network, no eval, data as JSON, every text put in as text.

The page's policy allows exactly one script and one style sheet, by their hashes: markup that slipped in through a log
could not run even then.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from bootlab.model.recording import Recording
from bootlab.report.page_data import page_data
from bootlab.report.results import Results
from bootlab.report.results_file import write_atomically
from bootlab.report.shown_text import one_line

SCRIPTS = ("dom.js", "figures.js", "tables.js", "stages.js", "stack.js", "trials.js", "plot.js", "timeline.js",
           "console.js", "page.js")  # fmt: skip
STYLES = ("page.css", "sections.css")

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render(results: Results, recordings: Mapping[str, Recording] | None = None) -> str:
    """Make the page. `recordings` (by key) add the console logs of the base, the stack and the trials."""
    script = "'use strict';(() => {\n" + "\n".join(_part(name) for name in SCRIPTS) + "\n})();"
    style = "\n".join(_part(name) for name in STYLES)
    environment = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    return environment.from_string(_part("report.html.j2")).render(
        title=f"{one_line(results.system_name, 120)} · bootlab {results.kind}",
        policy=f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'",
        # Our own files and JSON without a single `<`: nothing here comes from outside unescaped.
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        data=Markup(script_json(page_data(results, recordings or {}))),  # noqa: S704
    )


def write(results: Results, path: Path, recordings: Mapping[str, Recording] | None = None) -> None:
    """Write the page to a file, whole or not at all."""
    write_atomically(path, render(results, recordings).encode("utf-8", "replace"))


def script_json(value: Any) -> str:
    """Encode a value as JSON that can stand inside a `<script>`: no text in it can end the element."""
    text = msgspec.json.encode(value).decode()
    for char, escape in _ESCAPES.items():
        text = text.replace(char, escape)
    return text


def _part(name: str) -> str:
    return resources.files("bootlab.report").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
