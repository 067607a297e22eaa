# SPDX-License-Identifier: MIT
"""Expirations counted by bootlab's timerstress, by cyclictest and by stress-ng, of timers of the same interval.

FOLDER holds unpacked packages (dpkg -x rt-tests_*.deb FOLDER); without it the programs are looked for on PATH.
A peer that is not there is left out, with the reason.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from bootlab.timers.here import stress_here
from bootlab.timers.request import StressRequest


def peer(name: str, folder: Path | None) -> tuple[str, dict[str, str]] | None:
    found = shutil.which(name, path=f"{folder}/usr/bin:{folder}/usr/sbin" if folder else None)
    if found is None:
        return None
    libraries = {"LD_LIBRARY_PATH": f"{folder}/usr/lib/{platform.machine()}-linux-gnu"} if folder else {}
    return found, {**os.environ, **libraries}


def run(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def ours(interval_us: int, seconds: int) -> str:
    request = StressRequest(
        populations=(1,), seconds=seconds, interval_s=(interval_us / 1e6, 0), absolute=True, late_s=1.0
    )
    row = stress_here(request).rows[0]
    return f"{row.expirations} of {row.due_most}: {row.deliveries} deliveries, {row.overruns} overruns, {row.lost} lost"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", metavar="SECONDS", type=int, nargs="?", default=3)
    parser.add_argument("folder", metavar="FOLDER", type=Path, nargs="?")
    asked = parser.parse_args()
    seconds, folder = asked.seconds, asked.folder.resolve() if asked.folder is not None else None
    print(f"{platform.release()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {seconds} s")
    cyclictest = peer("cyclictest", folder)
    print(f"1 kHz    bootlab     {ours(1000, seconds)}")
    if cyclictest is None:
        print("1 kHz    cyclictest  left out: not installed (Debian: rt-tests)")
    else:
        text = run([cyclictest[0], "-q", "-x", "-i1000", "-D", str(seconds)], cyclictest[1])
        cycles = re.search(r"C:\s*(\d+)", text)
        said = (
            f"{cycles[1]} of about {seconds * 1000}: periods that it skipped are not counted" if cycles else text[:200]
        )
        print(f"1 kHz    cyclictest  {said}")
    stress_ng = peer("stress-ng", folder)
    for hertz in (20_000, 100_000):
        print(f"{hertz // 1000} kHz   bootlab     {ours(1_000_000 // hertz, seconds)}")
        if stress_ng is None:
            print(f"{hertz // 1000} kHz   stress-ng   left out: not installed (Debian: stress-ng)")
            continue
        words = ["--timer", "1", "--timer-freq", str(hertz), "-t", str(seconds), "--metrics", "-v"]
        text = run([stress_ng[0], *words], stress_ng[1])
        overruns = re.search(r"(\d+) timer overruns", text)
        signals = re.search(r"metrc: \[\d+\] timer\s+(\d+)", text)
        if overruns and signals:
            total = int(overruns[1]) + int(signals[1])
            said = f"{total} of about {seconds * hertz}: {signals[1]} signals, {overruns[1]} overruns"
        else:
            said = text.strip().splitlines()[-1][:200] if text.strip() else "no output"
        print(f"{hertz // 1000} kHz   stress-ng   {said}")


if __name__ == "__main__":
    main()
