# SPDX-License-Identifier: MIT
"""MkDocs hook: puts the reader of boot logs into the site, where `make reader` has built it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

READER = Path(__file__).resolve().parents[1] / "target" / "reader" / "read-a-boot-log.html"
PAGE = "how-to/read-a-log-in-the-browser.md"
LINK = '<p><a class="reader" href="../../read-a-boot-log.html"><strong>Open the reader</strong></a></p>'
ABSENT = "!!! This copy of the documentation was built without the reader: run `make reader` before `make docs`."


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put the link to the reader into its page, or say that it is not there."""
    if page.file.src_uri != PAGE:
        return markdown
    return markdown.replace("<!-- reader -->", LINK if READER.exists() else ABSENT.removeprefix("!!! "))


def on_post_build(config: Any) -> None:
    """Copy the reader beside the pages."""
    if READER.exists():
        shutil.copy(READER, Path(config["site_dir"]) / READER.name)
