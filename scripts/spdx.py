#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds the line that names the licence to each source file that lacks it. With --check: says which lack it, and fails.

Sources are what git knows with a suffix of `COMMENTS`, Makefiles and scripts without a suffix. What a system boots
(root trees and scripts of the examples) and seeds of fuzzing stay byte for byte, and so do empty files.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
COMMENTS = {
    ".py": "# {}", ".pyi": "# {}", ".sh": "# {}", "Makefile": "# {}",
    ".c": "// {}", ".h": "// {}", ".S": "// {}", ".rs": "// {}", ".js": "// {}",
    ".css": "/* {} */",
}  # fmt: skip
NAME = "SPDX-License-Identifier: "
WITHIN_LINES = 3
"""How far down the line may stand: behind `#!` and a coding."""


def comment_of(path: Path, beginning: bytes) -> str:
    """Return how the file writes a comment, or "" when it is no source."""
    known = COMMENTS.get(path.suffix) or COMMENTS.get(path.name)
    return known or (COMMENTS[".sh"] if not path.suffix and beginning.startswith(b"#!") else "")


def licence_of(path: Path) -> str:
    """Return the licence of a path of the repository."""
    return "GPL-2.0-or-later" if path.parts[0] == "qemu-plugin" else "MIT"


def sources(root: Path = REPOSITORY) -> list[Path]:
    """Return the sources that git knows, relative to `root`."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    paths = [Path(name) for name in listed.split("\0") if name]
    return [path for path in paths if _is_source(root / path, path)]


def _is_source(file: Path, path: Path) -> bool:
    booted = "rootfs" in path.parts or (path.parts[0] == "examples" and not path.suffix and path.name != "Makefile")
    if booted or "seeds" in path.parts or file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as opened:
        beginning = opened.read(2)
    return bool(beginning) and bool(comment_of(path, beginning))


def has_line(text: str) -> bool:
    """Say whether a text names its licence at its top."""
    return any(NAME in line for line in text.splitlines()[:WITHIN_LINES])


def with_line(path: Path, text: str) -> str:
    """Return the text with the licence of `path` at its top, behind `#!`."""
    line = comment_of(path, text[:2].encode()).format(NAME + licence_of(path)) + "\n"
    if not text.startswith("#!"):
        return line + text
    first, _, rest = text.partition("\n")
    return f"{first}\n{line}{rest}"


def main(arguments: list[str] | None = None) -> int:
    """Write or check every source; return the exit code. `arguments`: those of the command line unless given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file lacks the line")
    check = parser.parse_args(arguments).check
    lacking = []
    for path in sources():
        text = (REPOSITORY / path).read_text(encoding="utf-8")
        if has_line(text):
            continue
        lacking.append(path)
        if not check:
            (REPOSITORY / path).write_text(with_line(path, text), encoding="utf-8")
    for path in lacking:
        sys.stdout.write(f"{'lacks' if check else 'wrote'} the line of its licence: {path}\n")
    if check and lacking:
        sys.stdout.write("add it: python3 scripts/spdx.py\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
