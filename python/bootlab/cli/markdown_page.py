# SPDX-License-Identifier: MIT
"""Writes a Markdown table into a file: into its section, where a page has one, else as the whole file."""

from __future__ import annotations

import sys
from pathlib import Path

from bootlab.errors import UserError


def put(path: Path, section: str, text: str) -> None:
    """Replace what stands between `<!-- SECTION -->` and `<!-- /SECTION -->` of a page; without them write the file.

    Raise UserError when the file cannot be read or written, or the section does not end.
    """
    begin, end = f"<!-- {section} -->", f"<!-- /{section} -->"
    try:
        page = path.read_text(encoding="utf-8") if path.exists() else ""
        if begin in page:
            before, _, rest = page.partition(begin)
            _, closed, after = rest.partition(end)
            if not closed:
                raise UserError(f"{path}: the section {begin} has no end", hint=f"add {end} after it")
            text = f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}"
        path.write_text(text, encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise UserError(f"{path} is not a text file: {fault.reason}", hint="name another file") from fault
    except OSError as fault:
        raise UserError(f"cannot write {path}: {fault.strerror}", hint=f"ls -ld {path.parent}") from fault
    sys.stderr.write(f"wrote {path}\n")
