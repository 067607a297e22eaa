# SPDX-License-Identifier: MIT
"""MkDocs hook: links that leave `docs/` lead to the repository, so that the pages' links work there and on the site."""

from __future__ import annotations

import posixpath
import re
from typing import Any

BRANCH = "main"


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Rewrite relative links to files outside of `docs/`."""
    del files
    folder = posixpath.join("docs", posixpath.dirname(page.file.src_uri))

    def outside(match: re.Match[str]) -> str:
        path, hash_mark, anchor = match[1].partition("#")
        target = posixpath.normpath(posixpath.join(folder, path))
        if target.startswith("docs/"):
            return match[0]
        return f"]({config['repo_url'].rstrip('/')}/blob/{BRANCH}/{target}{hash_mark}{anchor})"

    return re.sub(r"\]\((\.\./[^)\s]+)\)", outside, markdown)
