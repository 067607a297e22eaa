#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same systems on QEMU for an AArch64 host and on QEMU for this x86-64 host: equal to the instruction?

Usage: arm_host.py --arm FOLDER --user QEMU-AARCH64 [--emulators FOLDER] [--boots N] [--linux KERNEL:ARCH]...
                   [--only WORDS] --out RESULT.json

FOLDER: an arm64 root with QEMU (`SUITE=trixie-backports scripts/fetch-packages.sh arm64 FOLDER qemu-system-x86
qemu-system-arm qemu-system-misc qemu-system-riscv? seabios qemu-system-data`). `--user`: the user-mode emulator that
runs it (Debian's qemu-user). On an AArch64 machine leave both out, and the machine's own QEMU is booted.
`--emulators`: the same version of QEMU for x86-64. Debian's cross compiler builds the plugins of the arm64 QEMU.

Programs without a system (tests/guests): one that halts on four architectures, one that reads a disk (IDE on x86-64,
virtio on AArch64), one on two processors on four architectures. `--linux`: a kernel, booted to the end of
tests/guests/jobs.c. Every boot is kept as soon as it is made. Exit code 1: two boots of one system differ.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kept_rows import KeptRows
from processors import once, system_of

from bootlab.builders.cache import Cache
from bootlab.launch import emulator
from bootlab.targets.qemu import QemuTarget

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.bare_guests import DISKS, Guest, boot, with_disk

ARCHITECTURES = ("x86_64", "arm64", "arm", "riscv64")
PROGRAM = """#!/bin/sh
# What is preloaded is for the QEMU inside, not for what runs it.
preloaded="${{LD_PRELOAD:-}}"
unset LD_PRELOAD
exec '{user}' -L '{root}' ${{preloaded:+-E "LD_PRELOAD=$preloaded"}} \\
    -E QEMU_MODULE_DIR='{root}/usr/lib/aarch64-linux-gnu/qemu' '{root}/usr/bin/{name}' \\
    -L '{root}/usr/share/qemu' -L '{root}/usr/share/seabios' "$@"
"""
COMPILER = '#!/bin/sh\nexec aarch64-linux-gnu-gcc "$@"\n'
LIMIT_S = 1800

System = tuple[str, Callable[[Path, Path, str], dict[str, Any]]]


def arm_programs(root: Path, user: Path, folder: Path) -> Path:
    """Write programs that start the arm64 QEMU, and the compiler for its plugins; return their folder."""
    folder.mkdir()
    loader = root / "lib"
    if not loader.exists():  # unpacked packages lack the links of a merged /usr
        loader.symlink_to("usr/lib")
    for program in sorted((root / "usr" / "bin").glob("qemu-system-*")):
        place = folder / program.name
        place.write_text(PROGRAM.format(user=user.resolve(), root=root.resolve(), name=program.name))
        place.chmod(0o755)
    (folder / "cc").write_text(COMPILER)
    (folder / "cc").chmod(0o755)
    return folder


def programs() -> Iterator[System]:
    """Return the programs without a system, by name."""
    for arch in ARCHITECTURES:
        yield (
            f"halts {arch}",
            lambda work, cache, folder, a=arch: bare(Guest(a, ("HALTS=100",)), None, work, cache, folder),
        )
    for kind, guest in DISKS.items():
        yield f"disk {kind}", lambda work, cache, folder, g=guest, k=kind: bare(g, k, work, cache, folder)
    for arch in ARCHITECTURES:
        yield (
            f"two processors {arch}",
            lambda work, cache, folder, a=arch: bare(Guest(a, (), 2), None, work, cache, folder),
        )


def bare(guest: Guest, disk: str | None, work: Path, cache: Path, folder: str) -> dict[str, Any]:
    """Boot a program and return what must be equal."""
    machine = with_disk(disk, work / "disk.img") if disk else guest.machine
    image = guest.build(work)
    made = boot(guest.arch, image, work / "boot", cache, machine=machine, emulators=folder, limit_s=LIMIT_S)
    ns, instructions = made.stamps.at(len(made.console) - 1) or (None, None)
    return {
        "qemu": emulator.find(guest.machine).version,
        "console_sha256": hashlib.sha256(made.console).hexdigest(),
        "goal_ns": ns,
        "goal_insns": instructions,
        "cpu_s": round(made.cpu_s, 1),
    }


def linux(text: str) -> System:
    """Return a kernel that runs jobs.c."""
    kernel, _, arch = text.rpartition(":")

    def run(work: Path, cache: Path, folder: str) -> dict[str, Any]:
        del folder
        row = once(QemuTarget(Cache(cache)), system_of(kernel, arch, work), work)
        return {key: row[key] for key in ("qemu", "outcome", "console_sha256", "goal_ns", "goal_insns")}

    return f"{Path(kernel).resolve().name} {arch}", run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arm", type=Path)
    parser.add_argument("--user", type=Path)
    parser.add_argument("--emulators", default="")
    parser.add_argument("--boots", type=int, default=2)
    parser.add_argument("--linux", action="append", default=[], metavar="KERNEL:ARCH")
    parser.add_argument("--only", default="", help="of the systems, those whose name has this")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    kept = KeptRows(options.out)
    path = os.environ["PATH"]
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        hosts = {os.uname().machine: options.emulators}
        if options.arm:
            hosts["aarch64"] = str(arm_programs(options.arm, options.user, work / "arm"))
        for name, run in (*programs(), *(linux(text) for text in options.linux)):
            if options.only not in name:
                continue
            for host, folder in hosts.items():
                os.environ["PATH"] = f"{folder}:{path}" if folder else path
                case = {"system": name, "host": host}
                for _ in range(options.boots - kept.count(case)):
                    started = time.monotonic()
                    with tempfile.TemporaryDirectory(dir=work) as inner:
                        row = run(Path(inner), work / f"cache-{host}", folder)
                    kept.add(case | row | {"wall_s": round(time.monotonic() - started, 1)})
                    print(*kept.rows[-1].values(), flush=True)
    return said(kept.rows)


def said(rows: list[dict[str, Any]]) -> int:
    """Print a line for each system; return the exit code."""
    differ = 0
    for name in dict.fromkeys(row["system"] for row in rows):
        those = [row for row in rows if row["system"] == name]
        facts = {(row["qemu"].split()[0], row["goal_ns"], row["goal_insns"], row["console_sha256"]) for row in those}
        hosts = ", ".join(
            f"{sum(row['host'] == host for row in those)} {host}" for host in sorted({r["host"] for r in those})
        )
        differ += len(facts) > 1
        print(f"{name}: {hosts}: {'equal' if len(facts) == 1 else 'DIFFER'}, {those[0]['goal_ns']} ns")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
