#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boots with a disk that QEMU serves at the host's pace: equal with bootlab's plugin, different without it.

Usage: disks_in_step.py [--boots N] [--load N] [--emulators FOLDER] [--out RESULT.json]

Two programs without a system (tests/guests/disk.c) read 200 blocks of an IDE disk (x86-64) and of a virtio disk
(AArch64), and print how often they had to look for each. `--boots`: of each program, as many for each widened window
(tests/guests/widen.c), and as many without the plugin. `--load`: busy loops beside them. The exit code is 1 when two
boots with the plugin differ.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.bare_guests import DISK_WIDENED, DISKS, boot, build_preload, with_disk

from bootlab.launch import emulator

_LOOP = "while True: pass"
WITHOUT = "without the plugin"


def program(kind: str, options: argparse.Namespace, work: Path) -> dict[str, object]:
    """Boot one program in each way; return how many different results each way gave."""
    guest = DISKS[kind]
    folder = work / kind
    folder.mkdir()
    machine = with_disk(kind, folder / "disk.img")
    image, preload = guest.build(folder), build_preload(folder)
    seen: dict[str, Counter[str]] = {}
    costs: dict[str, list[float]] = {"calm": [], WITHOUT: []}
    for number in range(options.boots):
        for way in ("calm", *DISK_WIDENED, WITHOUT):
            made = boot(
                guest.arch,
                image,
                folder / f"{way}-{number}",
                work,
                machine=machine,
                in_step=way != WITHOUT,
                preload=preload if way in DISK_WIDENED else None,
                widened=way if way in DISK_WIDENED else "behind the halt",
                emulators=options.emulators,
            )
            seen.setdefault(way, Counter())[str(made.facts)] += 1
            if way in costs:
                costs[way].append(made.cpu_s)
    kept = {fact for way, facts in seen.items() if way != WITHOUT for fact in facts}
    ratio = statistics.median(a / b for a, b in zip(costs["calm"], costs[WITHOUT], strict=True))
    return {
        "disk": kind,
        "boots": {way: facts.total() for way, facts in seen.items()},
        "different": {way: len(facts) for way, facts in seen.items()},
        "equal": len(kept) == 1,
        "cpu_ratio": round(ratio, 3),
    }


def version(emulators: str) -> str:
    """Return the version of the QEMU that booted."""
    machine = DISKS["ide"].machine
    if emulators:
        machine = msgspec.structs.replace(machine, emulator=f"{emulators}/{machine.architecture.emulator}")
    return emulator.find(machine).version.partition(" ")[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boots", type=int, default=10)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--emulators", default="")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    beside = [subprocess.Popen([sys.executable, "-c", _LOOP]) for _ in range(options.load)]
    rows = []
    try:
        with tempfile.TemporaryDirectory() as name:
            for kind, guest in DISKS.items():
                if not guest.compiler:
                    continue
                rows.append(program(kind, options, Path(name)))
                print(json.dumps(rows[-1]), flush=True)
    finally:
        for loop in beside:
            loop.kill()
            loop.wait()
    if options.out:
        document = {"qemu": version(options.emulators), "load": options.load, "programs": rows}
        options.out.write_text(json.dumps(document, indent=1) + "\n")
    return 0 if all(row["equal"] for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
