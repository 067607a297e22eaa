#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boots of Linux on several processors: must be equal, and four jobs at once must take a quarter of the time.

Usage: processors.py KERNEL:ARCH|ARCH... [--processors 1,4] [--boots N] [--quanta NS,NS] [--jobs N] [--emulators FOLDER]
                     --out RESULT.json

KERNEL: an image that needs no initramfs of its own (Debian's cloud kernel); ARCH: x86_64, arm64. ARCH alone, also arm
and riscv64: a program without a system (tests/guests/team.c), calm and with each of three windows widened. Every boot
is in the result as soon as it is made, with the load of the host; a second call goes on where the first stopped.
Exit code 1: two boots of the same machine differ.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from kept_rows import add_arguments, opened

from bootlab.builders.cache import Cache
from bootlab.launch import emulator
from bootlab.model.system import Clockwork, SystemDescription
from bootlab.systemfile.loader import load
from bootlab.targets.qemu import QemuTarget

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.bare_guests import TEAM_WIDENED, Guest, build_preload
from tests.bare_guests import boot as boot_program

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


def system_of(kernel: str, arch: str, work: Path) -> SystemDescription:
    program = work / f"jobs-{arch}"
    source = ROOT / "tests" / "guests" / "jobs.c"
    subprocess.run([COMPILERS[arch], "-O1", "-static", "-o", str(program), str(source)], check=True)
    file = work / f"{arch}.toml"
    file.write_text(TOML.format(console=CONSOLES[arch], arch=arch, kernel=Path(kernel).resolve(), program=program))
    return load(file)


def made_of(system: SystemDescription, cpus: int, quantum_ns: int) -> SystemDescription:
    machine = msgspec.structs.replace(system.machine, cpus=cpus)
    clock = msgspec.structs.replace(system.clock, quantum_ns=quantum_ns)
    return msgspec.structs.replace(system, machine=machine, clock=clock)


def once(target: QemuTarget, system: SystemDescription, work: Path) -> dict[str, Any]:
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


def program(arch: str, cpus: int, quantum_ns: int, window: str, work: Path) -> dict[str, Any]:
    guest = Guest(arch, (), cpus)
    with tempfile.TemporaryDirectory(dir=work) as folder:
        made = boot_program(
            arch,
            guest.build(Path(folder)),
            Path(folder) / "boot",
            work / "cache",
            preload=None if window == "calm" else work / "widen.so",
            widened="before the halt" if window == "calm" else window,
            machine=guest.machine,
            clock=Clockwork(quantum_ns=quantum_ns),
        )
    goal_ns, goal_insns = made.stamps.at(len(made.console) - 1)
    lines = dict(line.split() for line in made.console.decode().splitlines()[:-1])
    return {
        "qemu": emulator.find(guest.machine).version,
        "window": window,
        "outcome": "goal",
        "goal_ns": goal_ns,
        "goal_insns": goal_insns,
        "console_sha256": hashlib.sha256(made.console).hexdigest(),
        "job_clock": {"1": int(lines["one"], 16), str(cpus): int(lines["all"], 16)},
        "cpu_s": round(made.cpu_s, 2),
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="+", metavar="KERNEL:ARCH")
    parser.add_argument("--processors", default="1,4")
    parser.add_argument("--boots", type=int, default=50)
    parser.add_argument("--quanta", default="5000")
    add_arguments(parser)
    options = parser.parse_args()
    kept = opened(options)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        target = QemuTarget(Cache(work / "cache"))

        build_preload(work)

        def boot(case: dict[str, Any], system: SystemDescription | None, window: str) -> None:
            if system is None:
                row = case | program(case["arch"], case["cpus"], case["quantum_ns"], window, work)
            else:
                row = case | once(target, system, work)
            kept.add(row)
            print(*row.values(), flush=True)

        wanted = []
        for text in options.kernels:
            kernel, _, arch = text.rpartition(":")
            system = system_of(kernel, arch, work) if kernel else None
            # Two kernels are two systems: Debian's cloud kernel is renewed every few weeks.
            named = {"kernel": Path(kernel).resolve().name} if kernel else {}
            for case in (made | named for made in cases_of(arch, options)):
                made = made_of(system, case["cpus"], case["quantum_ns"]) if system is not None else None
                for window in ("",) if kernel else ("calm", *TEAM_WIDENED):
                    which = case | ({} if kernel else {"window": window})
                    # One boot says how long the jobs take on one processor.
                    wish = options.boots if case["cpus"] > 1 else bool(kernel)
                    wanted += [(case, made, window)] * max(0, wish - kept.count(which))
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda w: boot(*w), wanted))
    return said(kept.rows)


def said(kept: list[dict[str, Any]]) -> int:
    cases: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in kept:
        cases.setdefault((row["arch"], row["cpus"], row["quantum_ns"], row["qemu"], row.get("kernel", "")), []).append(
            row
        )
    differ = 0
    for case, rows in cases.items():
        facts = {(row["outcome"], row["goal_ns"], row["goal_insns"], row["console_sha256"]) for row in rows}
        differ += len(facts) > 1
        jobs = rows[0].get("job_us") or rows[0]["job_clock"]
        print(*case, f"{len(rows)} boots, {len(facts)} different", jobs, rows[0]["goal_ns"])
    return 1 if differ else 0


if __name__ == "__main__":
    raise SystemExit(main())
