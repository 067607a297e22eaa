# SPDX-License-Identifier: MIT
"""Firecracker's public guest kernel from its entry to init's first instruction, as it is and after `bootlab stack`.

The configurations are Firecracker's (Apache-2.0) and no part of bootlab: take microvm-kernel-ci-x86_64-6.1.config and
ci.config from the folder resources/guest_configs of github.com/firecracker-microvm/firecracker. They are joined in the
order in which they are named, as Firecracker's CI does. The source is Debian's linux-source-6.1 (not Amazon's, which
Firecracker builds), the machine QEMU's `microvm`, init one system call in assembly. Needs scripts/setup-debian.sh
kernels. The first build takes 10 to 15 minutes on two processors, each further one a few.

    .venv/bin/python benchmarks/firecracker_guest.py FOLDER --config FILE --config FILE [--also ID,ID] [ID…]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import bootlab

# Says that it runs, and waits: no library, two system calls (write, pause).
INIT = r"""
__asm__(".globl _start\n_start:\n\tmov $1,%eax\n\tmov $1,%edi\n\tlea text(%rip),%rsi\n\tmov $28,%edx\n\tsyscall\n"
        "1:\tmov $34,%eax\n\tsyscall\n\tjmp 1b\n"
        "\t.section .rodata\ntext:\t.ascii \"init: first instruction ran\\n\"\n");
"""
SYSTEM = """\
name = "firecracker-guest"
# Firecracker's own, without 8250.nr_uarts=0, which takes the console away that bootlab reads.
cmdline = "console=ttyS0 reboot=k panic=1 nomodule i8042.noaux i8042.nomux i8042.dumbkbd swiotlb=noforce"
application = "/init"

[machine]
type = "microvm"
options = ["rtc=on"]
memory_mib = 128

[clock]
mode = "exact"
shift = 1
rtc_base = "2026-01-01T00:00:00"

[kernel]
source = "debian-6.1"
defconfig = "./guest.config"
form = "vmlinux"
modules = false

[initramfs]
compression = "none"

[initramfs.files]
"/init" = { source = "init", mode = "0755" }
"/dev" = { dir = true }
"/dev/console" = { char = [5, 1], mode = "0600" }

[goal]
console = 'init: first instruction ran'
name = "init"

[limits]
wall_s = 1800.0
stall_wall_s = 900.0
"""


def made(folder: Path, configs: list[Path]) -> Path:
    """Write the system into a folder; return its file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "guest.config").write_text("".join(path.read_text() for path in configs))
    (folder / "init.c").write_text(INIT)
    words = ["gcc", "-static", "-nostdlib", "-s", "-Wl,--build-id=none", "-o", "init", "init.c"]
    subprocess.run(words, cwd=folder, check=True)
    (folder / "system.toml").write_text(SYSTEM)
    return folder / "system.toml"


def row(name: str, boot: bootlab.Boot) -> str:
    """Return a boot's line: from the kernel's entry to init's line, and the stages."""
    if boot.goal_ms is None:
        return f"| {name} | {boot.outcome.value} | {boot.recording.meta.reason} |"
    entry = next(mark.ns for mark in boot.marks if mark.name == "kernel-entry")
    stages = ", ".join(f"{stage.name} {stage.duration_ms:.3f}" for stage in boot.stages)
    return f"| {name} | {boot.goal_ms - entry / 1e6:.3f} | {stages} |"


def main() -> int:
    """Boot the guest, stack the techniques that are named on it, and boot the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="for the system and its runs; made if it is not there")
    parser.add_argument("--config", type=Path, action="append", required=True, help="more than once: joined in order")
    parser.add_argument("--also", default="", help="techniques that cost something, with commas")
    parser.add_argument("ids", nargs="*", help="techniques; none: the guest as it is alone")
    asked = parser.parse_args()
    folder = asked.folder.absolute()
    system = bootlab.System.load(made(folder, asked.config), store=folder / "store")
    print("| guest | entry to init, ms | stages, ms |\n|---|---:|---|")
    print(row("as it is", system.boot()), flush=True)
    if asked.ids:
        also = [one for one in asked.also.split(",") if one]
        stacked = system.stack(*asked.ids, *also, also=also)
        if stacked.faster is not None:
            faster = bootlab.System.load(stacked.faster, store=folder / "store")
            print(row(f"with {', '.join(stacked.stacked)}", faster.boot()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
