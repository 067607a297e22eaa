#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wall time of `bootlab boot` against the bare QEMU command that it runs, up to the same console line, in turn.

With --vmlinux the same system is measured once more with its kernel unpacked (`form = "vmlinux"`), some fifty
megabytes that are loaded, digested and checked. Both start from a warm cache of artefacts; bootlab's time is that of
the whole process, start of Python included. Its modules are compiled before, as those of an installed package are,
whatever PYTHONDONTWRITEBYTECODE says.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bootlab import systemfile


def bare(command: list[str], goal: str, folder: Path) -> float:
    folder.mkdir()
    pattern = re.compile(goal.encode())
    started = time.monotonic()
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        console = folder / "console.log"
        while process.poll() is None:
            if console.exists() and pattern.search(console.read_bytes()):
                break
            time.sleep(0.004)
        process.kill()
    return time.monotonic() - started


def series(path: str, pairs: int) -> float:
    """Boot in turn; return the median of what bootlab takes longer, the first pair left out."""
    goal = systemfile.load(path).goal.console
    bootlab = [sys.executable, "-m", "bootlab.cli", "boot", path]
    printed = subprocess.run([*bootlab, "--dry-run"], capture_output=True, text=True, check=True)
    command = shlex.split(printed.stdout)
    print(f"{path}: -kernel of {Path(command[command.index('-kernel') + 1]).stat().st_size / 1e6:.0f} MB", flush=True)
    more = []
    with tempfile.TemporaryDirectory() as work:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(work) / "compiled")
        for number in range(pairs + 1):
            without = bare(command, goal, Path(work) / f"bare-{number}")
            started = time.monotonic()
            subprocess.run(
                [*bootlab, "--fresh", "--store", str(Path(work) / "store")],
                env=environment,
                check=True,
                capture_output=True,
            )
            with_bootlab = time.monotonic() - started
            if number:
                more.append(with_bootlab - without)
            print(
                f"{'warm-up' if not number else f'pair {number}'}: bare {without:.2f} s, bootlab {with_bootlab:.2f} s,"
                f" {with_bootlab - without:+.3f} s, ratio {with_bootlab / without:.3f}",
                flush=True,
            )
    print(f"median {statistics.median(more):+.3f} s over {pairs} pairs", flush=True)
    return statistics.median(more)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", metavar="SYSTEM.toml", type=Path)
    parser.add_argument("pairs", metavar="PAIRS", type=int, nargs="?", default=5)
    parser.add_argument("--vmlinux", action="store_true", help="measure it once more with its kernel unpacked")
    asked = parser.parse_args()
    path, pairs = asked.system, asked.pairs
    series(str(path), pairs)
    if asked.vmlinux:
        # Beside the original: the paths in it are relative.
        copy = path.with_name(f".{path.stem}-vmlinux.toml")
        copy.write_text(path.read_text().replace("[kernel]\n", '[kernel]\nform = "vmlinux"\n', 1))
        try:
            series(str(copy), pairs)
        finally:
            copy.unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
