# SPDX-License-Identifier: MIT
"""When is each mistake that people make named: `bootlab boot` on wrong systems, as a user calls it.

Prints, for each, the host's and the processors' seconds until the first sentence that names it, and the sentence. Where
only a machine shows it, its boot is nearly all of them.

    .venv/bin/python benchmarks/mistakes.py [ID…]
    BOOTLAB_ARMHF_PACKAGES=FOLDER …     also those of an ARM board (scripts/fetch-packages.sh armhf FOLDER …)
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from tests.integration.wrong_systems import WRONG, Wrong, armhf_packages  # noqa: E402

LIMIT_S = 900
# What is said while a machine runs: whoever reads it ends the boot.
READING_S = 5


class Named(NamedTuple):
    """When a mistake was named, in seconds of the host and of processors; and how."""

    wall_s: float
    processor_s: float
    sentence: str


def processor_s(pid: int) -> float:
    """Return what a process, those that it started and those that they started have used."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = [int(n) for path in Path(f"/proc/{pid}/task").glob("*/children") for n in path.read_text().split()]
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(processor_s, children))


def measure(wrong: Wrong, folder: Path) -> tuple[Named | None, str]:
    """Boot; return when and how the mistake was named, and else what was said."""
    (folder / "system.toml").write_text(wrong.make(folder), encoding="utf-8")
    began = time.monotonic()
    command = [sys.executable, "-m", "bootlab.cli", "boot", "system.toml"]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env={**os.environ, "COLUMNS": "1000"},
    )  # fmt: skip
    assert process.stdout is not None
    named, other = None, ""
    limit = threading.Timer(LIMIT_S, process.send_signal, [signal.SIGINT])
    limit.start()
    for line in process.stdout:
        if named is None and (wrong.said in line or (wrong.expected and wrong.expected in line)):
            named = Named(time.monotonic() - began, processor_s(process.pid), line.strip())
            threading.Timer(READING_S, process.send_signal, [signal.SIGINT]).start()
        elif named is None and line.startswith(("error:", "hint:")):
            other = f"{other} {line.strip()}".strip()
    process.wait()
    limit.cancel()
    return named, other


def main() -> None:
    """Measure those that were asked for, else all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", metavar="ID", nargs="*", help="mistakes; all where none is named")
    asked = parser.parse_args().ids
    print(f"{'mistake':<16} {'arch':<7} {'host':>8} {'processor':>9}")
    lacking = 0
    for wrong in WRONG:
        if (asked and wrong.id not in asked) or (wrong.arch == "arm" and armhf_packages() is None):
            continue
        with tempfile.TemporaryDirectory() as name:
            named, other = measure(wrong, Path(name))
        lacking += named is None
        times = f"{named.wall_s:>6.1f} s {named.processor_s:>7.1f} s" if named else f"{'never':>8} {'':>9}"
        print(f"{wrong.id:<16} {wrong.arch:<7} {times}  {named.sentence if named else other}", flush=True)
    sys.exit(1 if lacking else 0)


if __name__ == "__main__":
    main()
