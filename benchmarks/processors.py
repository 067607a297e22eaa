#!/usr/bin/env python3
"""Boots of Linux on several processors: must be equal, and four jobs at once must take a quarter of the time.

Usage: processors.py KERNEL:ARCH [--processors 1,4] [--boots N] [--quanta NS,NS] [--jobs N] [--emulators FOLDER]
                     --out RESULT.json

KERNEL: an image that needs no initramfs of its own (Debian's cloud kernel); ARCH: x86_64, arm64. Every boot is in the
result as soon as it is made, with the host's load then; a second call goes on where the first stopped. The exit code
is 1 when two boots of the same machine differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from bootlab.builders.cache import Cache
from bootlab.model.system import System
from bootlab.systemfile.loader import load
from bootlab.targets.qemu import QemuTarget

ROOT = Path(__file__).resolve().parents[1]
COMPILERS = {"x86_64": "gcc", "arm64": "aarch64-linux-gnu-gcc"}
CONSOLES = {"x86_64": "ttyS0", "arm64": "ttyAMA0"}
TOML = """
name = "jobs"
cmdline = "console={console} quiet panic=-1"
[machine]
arch = "{arch}"
memory_mib = 256
[kernel]
image = "{kernel}"
[initramfs.files]
"/init" = {{ source = "{program}", mode = "0755" }}
"/dev/console" = {{ char = [5, 1], mode = "0600" }}
[goal]
console = 'jobs: done on [0-9]+ processors'
[limits]
wall_s = 3600
stall_wall_s = 900
"""


def system_of(kernel: str, arch: str, work: Path) -> System:
    program = work / f"jobs-{arch}"
    source = ROOT / "tests" / "guests" / "jobs.c"
    subprocess.run([COMPILERS[arch], "-O1", "-static", "-o", str(program), str(source)], check=True)
    file = work / f"{arch}.toml"
    file.write_text(TOML.format(console=CONSOLES[arch], arch=arch, kernel=Path(kernel).resolve(), program=program))
    return load(file)


def made_of(system: System, cpus: int, quantum_ns: int) -> System:
    machine = msgspec.structs.replace(system.machine, cpus=cpus)
    clock = msgspec.structs.replace(system.clock, quantum_ns=quantum_ns)
    return msgspec.structs.replace(system, machine=machine, clock=clock)


def once(target: QemuTarget, system: System, work: Path) -> dict[str, Any]:
    started = time.monotonic()
    plan = target.plan(system)
    with tempfile.TemporaryDirectory(dir=work) as folder:
        recording = target.boot(plan, Path(folder) / "boot", stop=threading.Event())
    meta, text = recording.meta, recording.console.decode(errors="replace")
    return {
        "qemu": meta.emulator_version,
        "processors": meta.processors.text or "1 processor",
        "outcome": meta.outcome.value,
        "goal_ns": meta.goal_ns,
        "goal_insns": meta.goal_insns,
        "console_sha256": hashlib.sha256(recording.console).hexdigest(),
        "job_us": {n: int(us) for n, us in re.findall(r"jobs: (\d) take (\d+) us", text)},
        "sleep_us": next((int(us) for us in re.findall(r"100000 us takes (\d+) us", text)), None),
        "wall_s": round(time.monotonic() - started, 1),
        "load": round(os.getloadavg()[0], 1),
    }


def cases_of(arch: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    quanta = [int(n) for n in options.quanta.split(",")]
    return [
        {"arch": arch, "cpus": cpus, "quantum_ns": quantum_ns}
        for cpus in (int(n) for n in options.processors.split(","))
        for quantum_ns in (quanta if cpus > 1 else quanta[:1])
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="+", metavar="KERNEL:ARCH")
    parser.add_argument("--processors", default="1,4")
    parser.add_argument("--boots", type=int, default=50)
    parser.add_argument("--quanta", default="5000")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--emulators", default="")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.emulators:
        os.environ["PATH"] = f"{options.emulators}:{os.environ['PATH']}"
    kept: list[dict[str, Any]] = json.loads(options.out.read_text()) if options.out.exists() else []
    lock = threading.Lock()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        target = QemuTarget(Cache(work / "cache"))

        def boot(case: dict[str, Any], system: System) -> None:
            found = case | once(target, system, work)
            with lock:
                kept.append(found)
                options.out.write_text(json.dumps(kept, indent=1) + "\n")
                print(*found.values(), flush=True)

        wanted = [
            (case, made_of(system, case["cpus"], case["quantum_ns"]))
            for text in options.kernels
            for system in [system_of(*text.rsplit(":", 1), work)]
            for case in cases_of(text.rsplit(":", 1)[1], options)
            # One boot says how long the jobs take on one processor.
            for _ in range(
                (options.boots if case["cpus"] > 1 else 1) - sum(case.items() <= row.items() for row in kept)
            )
        ]
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda w: boot(*w), wanted))
    return said(kept)


def said(kept: list[dict[str, Any]]) -> int:
    cases: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in kept:
        cases.setdefault((row["arch"], row["cpus"], row["quantum_ns"], row["qemu"]), []).append(row)
    differ = 0
    for case, rows in cases.items():
        facts = {(row["outcome"], row["goal_ns"], row["goal_insns"], row["console_sha256"]) for row in rows}
        differ += len(facts) > 1
        print(*case, f"{len(rows)} boots, {len(facts)} different", rows[0]["job_us"], rows[0]["goal_ns"])
    return 1 if differ else 0


if __name__ == "__main__":
    raise SystemExit(main())
