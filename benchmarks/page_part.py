# SPDX-License-Identifier: MIT
"""The part of a documentation page that a benchmark writes: what stands between two marks."""

from __future__ import annotations

from pathlib import Path


def put(page: Path, marks: tuple[str, str], text: str) -> None:
    """Write a text between the marks of a page; both are whole lines of it."""
    before, _, rest = page.read_text(encoding="utf-8").partition(marks[0])
    page.write_text(before + marks[0] + text + marks[1] + rest.partition(marks[1])[2], encoding="utf-8")


def put_or_print(page: Path | None, marks: tuple[str, str], text: str) -> None:
    """Write a text between the marks of a page, or on standard output where no page is given."""
    if page is None:
        print(text, end="")
    else:
        put(page, marks, text)
