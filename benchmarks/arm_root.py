#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bootlab itself inside an arm64 root: are three systems equal to the same systems on an x86-64 host?

Usage: arm_root.py make LAB --kernel FOLDER --busybox FILE
       arm_root.py boot LAB --out ROWS.json [--boots N] [--only NAME] [--python PROGRAM]
       arm_root.py said ROWS.json

`make` writes three systems into LAB, which holds all that they need: one processor; a virtio disk that is read and
written; two processors. FOLDER: as `scripts/fetch-kernel.sh FOLDER "" arm64` leaves it; FILE: as
`scripts/fetch-busybox.sh arm64` does. `boot` runs `python3 -m bootlab boot --fresh` there, on whatever machine this is,
with the QEMU of its PATH; rows of several hosts go into one file (benchmarks/arm_root.sh runs it in an arm64 root). It
needs nothing but Python's own library. `said` exits with 1 where two boots of a system differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from kept_rows import KeptRows

# Self-tests that no system here needs: what is left of the boot is what the row is about.
CMDLINE = (
    "console=ttyAMA0 cryptomgr.notests audit=0 raid=noautodetect ipv6.disable=1 init_on_alloc=0 rodata=off panic=-1"
)
MODULES = ("virtio", "virtio_ring", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk")
SYSTEM = """
name = "{name}"
cmdline = "{cmdline}"
[machine]
arch = "arm64"
memory_mib = 256
cpus = {cpus}
{disks}
[kernel]
image = "vmlinuz"
[initramfs]
compression = "none"
[initramfs.files]
"/bin/busybox" = {{ source = "busybox", mode = "0755" }}
"/dev/console" = {{ char = [5, 1], mode = "0600" }}
"/proc" = {{ dir = true }}
{modules}
"/init" = {{ mode = "0755", text = '''
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
{script}
echo "used, status $?"
/bin/busybox sleep 100000
''' }}
[goal]
console = 'used, status 0'
[limits]
wall_s = 7200
stall_wall_s = 1800
"""
READ = "/bin/busybox dd if=/dev/vda bs=4k count=64 skip={0} 2>/dev/null | /bin/busybox md5sum"
WRITE = "/bin/busybox dd if=/bin/busybox of=/dev/vda bs=64k seek=64 count=4 conv=fsync 2>/dev/null"
SUM = "/bin/busybox md5sum /bin/busybox"
SYSTEMS = {
    "plain": (1, False, f"/bin/busybox sleep 1; {SUM}"),
    "disk": (1, True, "; ".join((READ.format(0), READ.format(1024), WRITE, READ.format(1024)))),
    "two-processors": (2, False, f"({SUM}) & {SUM}; wait; /bin/busybox grep -c ^processor /proc/cpuinfo"),
}
EQUAL = ("goal_ns", "goal_insns", "console_sha256")


def make(lab: Path, kernel: Path, busybox: Path) -> None:
    """Write the systems and all their files."""
    lab.mkdir(parents=True, exist_ok=True)
    shutil.copy(kernel / "vmlinuz", lab / "vmlinuz")
    shutil.copy(busybox, lab / "busybox")
    (lab / "disk.img").write_bytes(bytes((n * 7 + n // 251) & 0xFF for n in range(1 << 20)) * 8)
    for path in (kernel / "unpacked").glob("lib/modules/*/kernel/drivers/**/virtio*.ko"):
        shutil.copy(path, lab / path.name)
    there = [name for name in MODULES if (lab / f"{name}.ko").exists()]
    for name, (cpus, disk, script) in SYSTEMS.items():
        inserted = "".join(f"/bin/busybox insmod /{module}.ko\n" for module in there) if disk else ""
        files = "\n".join(f'"/{module}.ko" = {{ source = "{module}.ko" }}' for module in there) if disk else ""
        text = SYSTEM.format(
            name=name,
            cmdline=CMDLINE,
            cpus=cpus,
            disks='disks = ["disk.img"]' if disk else "",
            modules=files,
            script=inserted + script,
        )
        place_of(lab, name).write_text(text)


def place_of(lab: Path, name: str) -> Path:
    """Return the file of a system."""
    return lab / f"{name}.toml"


def booted(lab: Path, name: str, python: str) -> dict[str, Any]:
    """Boot a system by the command line, and return what must be equal, or what was said."""
    started = time.monotonic()
    words = [*python.split(), "-m", "bootlab", "boot", str(place_of(lab, name)), "--fresh", "--json"]
    done = subprocess.run(words, cwd=lab, capture_output=True, text=True, check=False)
    facts: dict[str, Any] = {"host": os.uname().machine, "exit_code": done.returncode}
    try:
        facts |= facts_of(lab, json.loads(done.stdout))
    except (ValueError, KeyError) as missing:
        facts |= {"said": f"{missing!r}: {done.stdout[-400:]}{done.stderr[-800:]}"}
    return facts | {"wall_s": round(time.monotonic() - started, 1)}


def facts_of(lab: Path, document: dict[str, Any]) -> dict[str, Any]:
    """Return what must be equal, of what `bootlab boot --json` printed and kept."""
    base, folder = document["results"]["base"], lab / document["recording"]
    return {
        "qemu": json.loads((folder / "recording.json").read_text())["meta"]["emulator_version"],
        "outcome": base["outcome"],
        "goal_ns": base["goal_ns"],
        "goal_insns": base["goal_insns"],
        "console_sha256": hashlib.sha256((folder / "console.log").read_bytes()).hexdigest(),
    }


def said(rows: list[dict[str, Any]]) -> int:
    """Print a line for each system; return the exit code."""
    differ = 0
    for name in dict.fromkeys(row["system"] for row in rows):
        those = [row for row in rows if row["system"] == name]
        facts = {tuple(row.get(key) for key in ("qemu", "outcome", *EQUAL)) for row in those}
        hosts = ", ".join(
            f"{sum(r['host'] == host for r in those)} {host}" for host in sorted({r["host"] for r in those})
        )
        equal = len(facts) == 1 and those[0].get("outcome") == "goal"
        differ += not equal
        print(f"{name}: {hosts}: {'equal' if equal else 'DIFFER'}, {those[0].get('goal_ns')} ns")
    return 1 if differ else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("make", "boot", "said"))
    parser.add_argument("place", type=Path)
    parser.add_argument("--kernel", type=Path)
    parser.add_argument("--busybox", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--boots", type=int, default=2)
    parser.add_argument("--only", default="", help="of the systems, those whose name has this")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    if options.verb == "said":
        return said(KeptRows(options.place).rows)
    if options.verb == "make":
        make(options.place, options.kernel, options.busybox)
        return 0
    kept = KeptRows(options.out)
    for name in SYSTEMS:
        case = {"system": name, "host": os.uname().machine}
        for _ in range(options.boots - kept.count(case) if options.only in name else 0):
            kept.add(case | booted(options.place.resolve(), name, options.python))
            print(*kept.rows[-1].values(), flush=True)
    return said(kept.rows)


if __name__ == "__main__":
    sys.exit(main())
