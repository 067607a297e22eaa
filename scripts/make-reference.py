#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the generated pages of docs/reference. With --check: says which are stale, and fails when one is."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from reference_pages import (
    cli_page,
    exact_device_page,
    exit_code_page,
    format_page,
    json_schema,
    system_file_page,
    technique_page,
)

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
PAGES = {
    "cli.md": cli_page.render,
    "exact-devices.md": exact_device_page.render,
    "exit-codes.md": exit_code_page.render,
    "formats.md": format_page.render,
    "system-file.md": system_file_page.render,
    "techniques.md": technique_page.render,
    "system-file.schema.json": json_schema.system_file,
    "board-file.schema.json": json_schema.board_file,
}
_HEAD = "<!-- Written by scripts/make-reference.py (`make reference`). Do not edit. -->\n\n"


def main(arguments: list[str] | None = None) -> int:
    """Write or check every page; return the exit code. `arguments`: those of the command line unless given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a page is stale")
    parser.add_argument("--folder", type=Path, default=REFERENCE, help="where the pages stand")
    options = parser.parse_args(arguments)
    check = options.check
    stale = []
    for name, render in PAGES.items():
        path = options.folder / name
        # JSON has no comments.
        text = render() if name.endswith(".json") else _HEAD + render()
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path)
        if not check:
            path.write_text(text, encoding="utf-8")
    for path in stale:
        sys.stdout.write(f"{'stale' if check else 'wrote'}: {path}\n")
    if check and stale:
        sys.stdout.write("write them again: make reference\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
