#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How large the reader in a browser is, and how long it reads logs in Chromium.

Limits: 2 MB; a dmesg of 340 kB in 0.5 s.

Needs the page (make reader), Chromium and playwright. Without files it reads a dmesg of 340 kB that it makes itself.
"""

from __future__ import annotations

import argparse
import base64
import statistics
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PAGE = Path(__file__).resolve().parents[1] / "target" / "reader" / "read-a-boot-log.html"
LARGEST_BYTES = 2_000_000
LONGEST_MS = 500
READ = """async ([name, text]) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const begun = performance.now();
  await readBootLog(name, bytes);
  return performance.now() - begun;
}"""


def dmesg() -> bytes:
    """Make a dmesg of 340 kB with initcalls."""
    lines = ["[    0.000000] Linux version 6.6.0 (me@here) (gcc 13) #1 SMP"]
    at = 0
    while at < 2400:
        ns = at * 1500
        lines.append(f"[{ns / 1e6:12.6f}] calling  driver_number_{at}_init+0x0/0x40 @ 1")
        lines.append(f"[{(ns + 900) / 1e6:12.6f}] initcall driver_number_{at}_init+0x0/0x40 returned 0 after 900 usecs")
        at += 1
    lines.append("[    9.000000] Run /sbin/init as init process")
    return "\n".join(lines).encode()


def main() -> int:
    """Read each log several times, and print how long that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    size = PAGE.stat().st_size
    print(f"{PAGE.name}: {size} bytes")
    logs = [(file.name, file.read_bytes()) for file in given.files] or [("made.log", dmesg())]
    kept = size <= LARGEST_BYTES
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(PAGE.as_uri())
        print(f"Chromium {browser.version}")
        for name, data in logs:
            text = base64.b64encode(data).decode()
            took = [page.evaluate(READ, [name, text]) for _ in range(given.rounds)]
            middle = statistics.median(took)
            print(f"{name}: {len(data)} bytes: median {middle:.0f} ms of {', '.join(f'{ms:.0f}' for ms in took)}")
            kept = kept and (bool(given.files) or middle <= LONGEST_MS)
        browser.close()
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
