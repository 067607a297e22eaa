#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes man pages of the program and of each verb, from what `--help` says."""

from __future__ import annotations

import argparse
from importlib.metadata import version
from pathlib import Path

from reference_pages.man_page import pages


def main(arguments: list[str] | None = None) -> int:
    """Write the pages; return the exit code. `arguments`: those of the command line unless given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where they go; made when it is not there")
    folder = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(version("bootlab")).items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
