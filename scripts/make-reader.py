#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the reader of boot logs for a browser: target/reader/read-a-boot-log.html, one file that loads nothing.

Needs a Rust compiler with the standard library of wasm32-unknown-unknown. With rustup this script adds it; Debian 13
has it as libstd-rust-dev-wasm32. Exit code 3: there is none, and nothing was built.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bootlab.views.log.reader import render

ROOT = Path(__file__).resolve().parents[1]
TARGET = "wasm32-unknown-unknown"
PAGE = ROOT / "target" / "reader" / "read-a-boot-log.html"
EXAMPLE = ROOT / "crates" / "boottrace" / "tests" / "golden" / "grabserial" / "sysvinit.log"
_HINT = f"rustup target add {TARGET}, or on Debian 13: ./scripts/setup-debian.sh reader"


def has_library() -> bool:
    """Tell whether the compiler has the standard library of the target; add it where rustup is there."""
    asked = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", TARGET], capture_output=True, text=True, check=False
    )
    if asked.returncode == 0 and any(Path(asked.stdout.strip()).glob("libstd-*.rlib")):
        return True
    try:
        added = subprocess.run(["rustup", "target", "add", TARGET], timeout=60, capture_output=True, check=False)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return False
    return added.returncode == 0


def main() -> int:
    """Compile the core, and put it into the page."""
    if not has_library():
        sys.stderr.write(f"make-reader: no standard library for {TARGET}: {_HINT}\n")
        return 3
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    command = ["cargo", "build", "--quiet", "--locked", "--profile", "browser", "--target", TARGET]
    # The settings of a developer's release build would make it larger.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CARGO_PROFILE_")}
    if code := subprocess.run([*command, "-p", "boottrace-wasm"], cwd=ROOT, env=kept, check=False).returncode:
        return code
    core = (folder / TARGET / "browser" / "boottrace_wasm.wasm").read_bytes()
    page = render(core, EXAMPLE.read_text(encoding="utf-8"))
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page, encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}: {len(page.encode())} bytes; the core has {len(core)}, unpacked\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
