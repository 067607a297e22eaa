#!/usr/bin/env python3
"""Boots that must be equal: programs that halt, with and without widened windows, a Linux that sleeps, whole systems.

Usage: exactness.py [--boots N] [--halts N] [--jobs N] [--load N] [--emulators FOLDER] [--sleeps N]
                    [--system SYSTEM.toml:N]... [--out RESULT.json]

`--boots`: of each program, and as many for each widened window (tests/guests/widen.c). `--sleeps`: boots of
$BOOTLAB_KERNEL with 300 sleeps of a second. One line a case; the exit code is 1 when one differs. The cost of the cure
is the median ratio of processor times with it and without, of five pairs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.bare_guests import SOURCES, WIDENED, BareBoot, Guest, boot, build_preload

ROOT = SOURCES.parents[1]
KINDS = (
    ("x86_64", ()),
    ("x86_64", ("HPET",)),
    ("arm", ()),
    ("arm", ("PERIODIC",)),
    ("arm64", ()),
    ("riscv64", ()),
)
PAIRS = 5
SLEEPS_TOML = """
name = "sleeps"
cmdline = "console=ttyS0 quiet"
[kernel]
image = "$BOOTLAB_KERNEL"
[initramfs.files]
"/init" = {{ source = "{program}", mode = "0755" }}
"/dev/console" = {{ char = [5, 1], mode = "0600" }}
[goal]
console = 'sleeps: done [0-9a-f]{{16}}'
[limits]
virtual_s = 1000
stall_virtual_s = 900
wall_s = 3600
"""


def programs(options: argparse.Namespace, work: Path) -> Iterator[dict[str, object]]:
    preload = build_preload(work)
    for arch, defines in KINDS:
        guest = Guest(arch, (f"HALTS={options.halts}", *defines))
        if guest.compiler:
            yield program(guest, guest.build(work), preload, options, work)


def program(guest: Guest, image: Path, preload: Path, options: argparse.Namespace, work: Path) -> dict[str, object]:
    def once(kind: str, number: int) -> BareBoot:
        return boot(
            guest.arch,
            image,
            work / f"{image.name}-{kind}-{number}",
            work,
            cured=kind != "without the cure",
            preload=preload if kind in WIDENED else None,
            widened=kind if kind in WIDENED else "behind the halt",
            emulators=options.emulators,
        )

    once("first", 0)  # builds the plugin
    wanted = [(kind, n) for n in range(options.boots) for kind in ("calm", *WIDENED)]
    with ThreadPoolExecutor(options.jobs) as pool:
        boots = list(pool.map(lambda w: once(*w), wanted))
    seen = {
        kind: Counter(str(b.facts) for (k, _), b in zip(wanted, boots, strict=True) if k == kind) for kind, _ in wanted
    }
    ratios = [once("cured", n).cpu_s / once("without the cure", n).cpu_s for n in range(min(PAIRS, options.boots))]
    name = "-".join((guest.arch, *guest.defines))
    facts = {"case": name, "boots": len(boots), "cpu_ratio": statistics.median(ratios), "seen": seen}
    return facts | {"equal": len({fact for of_kind in seen.values() for fact in of_kind}) == 1}


def system(path: Path, boots: int, options: argparse.Namespace, work: Path) -> dict[str, object]:
    environment = dict(os.environ) | {"PYTHONPATH": str(ROOT / "python")}
    if options.emulators:
        environment["PATH"] = f"{options.emulators}:{environment['PATH']}"
    command = [sys.executable, "-m", "bootlab.cli", "boot", str(path), "--repeat", str(boots), "--jobs", "2", "--json"]
    command += ["--store", str(work / "store")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    name = path.stem if path.stem != "system" else path.parent.name
    equal = done.returncode == 0
    return {"case": name, "boots": boots, "equal": equal, "exit_code": done.returncode, "said": done.stderr[-2000:]}


def sleeps(options: argparse.Namespace, work: Path) -> dict[str, object]:
    made = work / "sleeps"
    subprocess.run(["cc", "-O2", "-static", "-o", str(made), str(SOURCES / "sleeps.c")], check=True)
    file = work / "sleeps.toml"
    file.write_text(SLEEPS_TOML.format(program=made))
    return system(file, options.sleeps, options, work)


def cases(options: argparse.Namespace, work: Path) -> Iterator[dict[str, object]]:
    if options.boots:
        yield from programs(options, work)
    if options.sleeps:
        yield sleeps(options, work)
    for wanted in options.system:
        path, _, boots = wanted.rpartition(":")
        yield system(Path(path), int(boots), options, work)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boots", type=int, default=3)
    parser.add_argument("--halts", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=4, help="programs at a time")
    parser.add_argument("--load", type=int, default=0, help="busy loops beside the boots")
    parser.add_argument("--emulators", default="", help="folder with QEMU's programs")
    parser.add_argument("--sleeps", type=int, default=0)
    parser.add_argument("--system", action="append", default=[], metavar="SYSTEM.toml:N")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.load)]
    results: list[dict[str, object]] = []
    try:
        with tempfile.TemporaryDirectory() as work:
            for facts in cases(options, Path(work)):
                results.append(facts)
                print(f"{facts['case']}: {facts['boots']} boots {'equal' if facts['equal'] else 'DIFFER'}", flush=True)
                if options.out:
                    options.out.write_text(json.dumps(results, indent=1))
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    return 0 if all(r["equal"] for r in results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
