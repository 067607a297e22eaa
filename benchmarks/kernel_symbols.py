#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Symbols that bootlab reads out of kernel images, against those that each kernel itself lists when it runs.

Usage: kernel_symbols.py [--suites NAME,...] [--archs NAME,...] [--kernels FOLDER] [--jobs N] [--emulators FOLDER]
                         --out RESULT.json

Takes the newest kernel of each of Debian's suites and architectures (scripts/fetch-kernel.sh), boots it in exact mode
with tests/guests/kallsyms.c as its first program, and compares address, kind and name of every row of the guest's
/proc/kallsyms with what was read from the image. The guest also prints a hash of its list, which is computed here from
the image's.
`--kernels`: where the kernels are kept; without it they are fetched into a temporary folder, one at a time.
A kernel that the archive does not have is a row with the reason. Exit code 1: a list differs, or a boot failed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from kept_rows import KeptRows, add_arguments, opened

from bootlab import _core
from bootlab.builders.cache import Cache
from bootlab.systemfile.loader import load
from bootlab.targets.qemu import QemuTarget

ROOT = Path(__file__).resolve().parents[1]
SUITES = "bullseye,bookworm,bookworm-backports,trixie,trixie-backports,sid"
# The names of fetch-kernel.sh: system file's name, compiler, console, digits of an address.
ARCHITECTURES = {
    "amd64": ("x86_64", "x86_64-linux-gnu-gcc", "ttyS0", 16),
    "arm64": ("arm64", "aarch64-linux-gnu-gcc", "ttyAMA0", 16),
    "arm": ("arm", "arm-linux-gnueabihf-gcc", "ttyAMA0", 8),
    "riscv64": ("riscv64", "riscv64-linux-gnu-gcc", "ttyS0", 16),
}
TOML = """
name = "kallsyms"
cmdline = "console={console} quiet panic=-1"
[machine]
arch = "{arch}"
memory_mib = 1024
{machine}
[kernel]
image = "{kernel}"
[initramfs.files]
"/init" = {{ source = "{program}", mode = "0755" }}
"/expected" = {{ source = "{expected}", mode = "0644" }}
"/proc" = {{ dir = true }}
"/dev/console" = {{ char = [5, 1], mode = "0600" }}
[goal]
console = 'kallsyms: [0-9]+ rows, .* missing'
[limits]
virtual_s = 600
wall_s = 3600
stall_wall_s = 900
"""
FNV_START, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


def fetch(suite: str, arch: str, folder: Path) -> str:
    """Fetch a kernel into a folder; return why it cannot be had, or nothing."""
    if (folder / "vmlinuz").exists():
        return ""
    command = [str(ROOT / "scripts" / "fetch-kernel.sh"), str(folder), "", arch]
    done = subprocess.run(command, env=os.environ | {"SUITE": suite}, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1][-200:]


def listed(table: list[tuple[int, str, str]], digits: int) -> str:
    """Return symbols as /proc/kallsyms lists them."""
    return "".join(f"{address:0{digits}x} {kind} {name}\n" for address, kind, name in table)


def fnv(text: str) -> str:
    """Return the hash that the guest prints of such a list."""
    value = FNV_START
    for byte in text.encode():
        value = (value ^ byte) * FNV_PRIME & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def compared(image: Path, arch: str, work: Path) -> dict[str, Any]:
    """Boot a kernel and return what its list and the image's come to."""
    name, compiler, console, digits = ARCHITECTURES[arch]
    program = work / f"kallsyms-{arch}"
    source = ROOT / "tests" / "guests" / "kallsyms.c"
    subprocess.run([compiler, "-O2", "-static", "-o", str(program), str(source)], check=True)
    kernel = image.resolve()
    table = _core.kernel_symbol_table(kernel.read_bytes())
    text = listed(table, digits)
    expected = work / "expected"
    expected.write_text(text)
    file = work / "system.toml"
    machine = 'type = "virt"' if arch == "arm" else ""
    words = {"arch": name, "console": console, "kernel": kernel, "program": program, "expected": expected}
    file.write_text(TOML.format(machine=machine, **words))
    target = QemuTarget(Cache(work / "cache"))
    recording = target.boot(target.plan(load(file)), work / "boot", stop=threading.Event())
    said = re.search(
        r"kallsyms: (\d+) rows, ([0-9a-f]{16}), (\d+) different, (\d+) missing",
        console_text := recording.console.decode(errors="replace"),
    )
    row = {
        "release": re.sub(r"^vmlinu[xz]-", "", kernel.name) if "-" in kernel.name else kernel.parent.name,
        "emulator": recording.meta.emulator_version,
        "outcome": recording.meta.outcome.value,
        "goal_ns": recording.meta.goal_ns,
        "read": len(table),
        "functions": sum(kind in "tTwW" for _, kind, _ in table),
        "marks": sorted(mark.name for mark in recording.marks),
    }
    if said is None:
        return row | {"equal": False, "why": console_text[-300:]}
    rows, hashed, different, missing = said.groups()
    equal = (int(rows), hashed, int(different), int(missing)) == (len(table), fnv(text), 0, 0)
    differences = [line for line in console_text.splitlines() if re.match(r"kallsyms: (kernel|image): ", line)]
    return row | {
        "listed": int(rows),
        "different": int(different),
        "missing": int(missing),
        "equal": equal,
        "differences": differences[:10],
    }


def one(suite: str, arch: str, options: argparse.Namespace, kept: KeptRows) -> None:
    case = {"suite": suite, "arch": arch}
    if kept.count(case):
        return
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        folder = options.kernels / f"{suite}-{arch}" if options.kernels else work / "kernel"
        try:
            why = fetch(suite, arch, folder)
            kept.add(case | ({"absent": why} if why else compared(folder / "vmlinuz", arch, work)))
        except (OSError, ValueError, RuntimeError) as error:
            kept.add(case | {"equal": False, "why": f"{type(error).__name__}: {error}"})
    print(*kept.rows[-1].values(), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", default=SUITES)
    parser.add_argument("--archs", default=",".join(ARCHITECTURES))
    parser.add_argument("--kernels", type=Path)
    add_arguments(parser)
    options = parser.parse_args()
    kept = opened(options)
    wanted = [(suite, arch) for suite in options.suites.split(",") for arch in options.archs.split(",")]
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda case: one(*case, options, kept), wanted))
    equal = [row for row in kept.rows if row.get("equal")]
    booted = [row for row in kept.rows if "absent" not in row]
    print(f"{len(equal)} of {len(booted)} kernels list what was read; {len(kept.rows) - len(booted)} cannot be had")
    return 0 if len(equal) == len(booted) else 1


if __name__ == "__main__":
    sys.exit(main())
