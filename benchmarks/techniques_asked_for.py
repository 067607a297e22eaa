#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Techniques that people ask for, each on a system that has something to save: is its effect shown, what does it save.

    python benchmarks/techniques_asked_for.py FOLDER [ID...]

The systems are those of examples/x86-pc and examples/arm64-virt with a little more in their kernels: some options, a
disk controller that asks for its disks to be started one after the other (QEMU's does not: a patch says so in its
place), and a driver that asks for firmware which nobody has. Needs what building kernels needs, and BOOTLAB_BUSYBOX;
for arm64 BOOTLAB_BUSYBOX_ARM64. Kernels and boots are kept: a second call makes none again.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NamedTuple

from bootlab import System

REPOSITORY = Path(__file__).resolve().parents[1]
PLAIN = """\
CONFIG_BLK_DEV=y
CONFIG_BLK_DEV_LOOP=y
CONFIG_LEGACY_PTYS=y
CONFIG_UEVENT_HELPER=y
CONFIG_UEVENT_HELPER_PATH="/sbin/hotplug"
"""
# lib/test_firmware.c asks for any file that is written to its file in sysfs.
WAITS = """\
CONFIG_FW_LOADER=y
CONFIG_FW_LOADER_USER_HELPER=y
CONFIG_FW_LOADER_USER_HELPER_FALLBACK=y
CONFIG_SCSI=y
CONFIG_ATA=y
CONFIG_SATA_AHCI=y
CONFIG_RUNTIME_TESTING_MENU=y
CONFIG_TEST_FIRMWARE=y
"""
ASK = "echo missing.bin > /sys/devices/virtual/misc/test_firmware/trigger_request\n"


class Case(NamedTuple):
    """A system, and the techniques that are tried on it. `asks`: what its /init does before the application."""

    example: str
    techniques: tuple[str, ...]
    options: str = ""
    patched: bool = False
    asks: str = ""


CASES = {
    "plain": Case("x86-pc", ("loop-devices-none", "uevent-helper-off", "legacy-ptys-off"), PLAIN),
    "waits": Case("x86-pc", ("firmware-helper-off", "ahci-all-at-once"), PLAIN + WAITS, patched=True, asks=ASK),
    "pages": Case("arm64-virt", ("arm64-large-pages",)),
}


def made(folder: Path, name: str, case: Case) -> Path:
    """Write a system into a folder; return its file."""
    source = REPOSITORY / "examples" / case.example
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.config").write_text((source / "kernel.config").read_text())
    (folder / "more.config").write_text(case.options)
    text = (source / "system.toml").read_text().replace(f'name = "{case.example}"', f'name = "asked-{name}"')
    text = text.replace('config = ["kernel.config"]', 'config = ["kernel.config", "more.config"]')
    if case.example == "x86-pc":
        text = text.replace('source = "debian"\n', 'source = "debian"\nform = "vmlinux"\n')
    if case.patched:
        patch = REPOSITORY / "benchmarks" / "asked-for" / "staggered.patch"
        text = text.replace('"more.config"]', f'"more.config"]\npatches = ["{patch}"]')
    # The Cortex-A72 that `virt` has else knows no pages of 16 KiB.
    text = text.replace('type = "virt"\n', 'type = "virt"\ncpu = "max"\n')
    if case.asks:
        text = text.replace('echo "rcS: start"\n', f'{case.asks}echo "rcS: start"\n')
    text += "\n[limits]\nwall_s = 3600.0\nstall_wall_s = 1800.0\nvirtual_s = 240.0\nstall_virtual_s = 120.0\n"
    (folder / "system.toml").write_text(text)
    return folder / "system.toml"


def main() -> int:
    """Try each technique on its system, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="for the systems and their boots; made if it is not there")
    parser.add_argument("ids", nargs="*", help="techniques; none: all")
    asked = parser.parse_args()
    print("| technique | system | base, ms | with it, ms | verdict | proof or reason |\n|---|---|--:|--:|---|---|")
    for name, case in CASES.items():
        ids = [one for one in case.techniques if not asked.ids or one in asked.ids]
        if not ids:
            continue
        if case.example == "arm64-virt":
            os.environ["BOOTLAB_BUSYBOX"] = os.environ["BOOTLAB_BUSYBOX_ARM64"]
        folder = asked.folder.absolute()
        results = System.load(made(folder / name, name, case), store=folder / "store").try_(*ids)
        for trial in results.trials:
            base, got = ("" if ns is None else f"{ns / 1e6:,.3f}" for ns in (trial.base_ns, trial.goal_ns))
            said = trial.reason or (trial.effect.evidence if trial.effect is not None else "")
            cells = (f"`{trial.change.id}`", f"{case.example}, {name}", base, got, trial.verdict.value, said)
            print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
