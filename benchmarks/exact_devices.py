#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which devices boot alike in exact mode: boots a guest that uses each of them, several times, half under load.

Usage: exact_devices.py PACKAGES [--in-step] [--boots N] [--loops N] [--only ID]... [--missing] [--qemu FOLDER]...
                        [--write FILE]

PACKAGES: a folder with the trees amd64, arm64 and armhf as scripts/fetch-packages.sh leaves them, each with Debian's
kernel of that architecture and busybox-static (linux-image-amd64, linux-image-arm64, linux-image-armmp). --qemu: the
folder of a QEMU's programs (scripts/fetch-qemu.sh); without it, that of PATH. --write: the file that keeps what was
seen (python/bootlab/launch/exact_devices.json); a row's entry for the same QEMU is replaced. --in-step: with the
plugin that keeps devices in step with the instructions; without it, as QEMU has them. --missing: only rows that FILE
has no entry of, for this QEMU and with or without the plugin: a call that was broken off goes on.

Other work on the machine makes it slower and spoils nothing: a row counts the boots that had load.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import msgspec
from exact_device_row import Files, Row
from exact_device_rows import DISK_MIB, ROWS

from bootlab.builders.cache import Cache, default_folder
from bootlab.errors import BootlabError
from bootlab.launch import devices, emulator
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.exact_devices import DeviceRow, DeviceTable, SeenBoots
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Recording
from bootlab.model.system import Goal, Initramfs, Kernel, Limits, Machine, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.targets.qemu import QemuTarget

_TREES = {"x86_64": "amd64", "arm64": "arm64", "arm": "armhf"}
_INIT = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
wait_for() {{
n=0; while ! test "$1" "$2"; do n=$((n+1)); [ $n -gt 300 ] && echo "no $2" && break; usleep 10000; done
}}
for module in {modules}; do insmod /modules/$module.ko || echo "insmod $module failed"; done
{script}
echo "device: used, status $?"
sleep 1000
"""
_FASTER = {"x86_64": "lpj=4000000 tsc=reliable"}
_LEASE = """#!/bin/sh
[ "$1" = bound ] && ifconfig $interface $ip netmask $subnet
"""
# Self-tests and drivers that no row needs; what is left of a boot is the device's use.
_QUIET = (
    "cryptomgr.notests audit=0 mitigations=off panic=-1 raid=noautodetect ipv6.disable=1 init_on_alloc=0 rodata=off "
    "initcall_blacklist=ftrace_check_sync,ftrace_check_for_weak_functions,blake2s_mod_init,load_system_certificate_list"
)


def modules_of(tree: Path, names: tuple[str, ...]) -> list[Path]:
    """Return the modules' files, each after what it needs."""
    files = {path.stem.replace("-", "_"): path for path in tree.glob("lib/modules/*/kernel/**/*.ko")}
    built_in = (next(tree.glob("lib/modules/*/modules.builtin"))).read_text().replace("-", "_")
    order: list[Path] = []

    def add(name: str) -> None:
        path = files.get(name.replace("-", "_"))
        if path is None and f"/{name.replace('-', '_')}.ko" not in built_in:
            raise SystemExit(f"{tree}: the kernel has no module {name}")
        if path is None or path in order:
            return
        facts = path.read_bytes()
        at = facts.find(b"\0depends=")
        for needed in facts[at + 9 : facts.index(b"\0", at + 1)].decode().split(","):
            if needed:
                add(needed)
        order.append(path)

    for name in names:
        add(name)
    return order


def system_of(row: Row, packages: Path, files: Files, program: str) -> SystemDescription:
    """Return the row as a system."""
    tree = packages / _TREES[row.arch]
    modules = modules_of(tree, row.modules)
    init = _INIT.format(modules=" ".join(path.stem for path in modules), script=row.script)
    entries = {
        "/init": Entry(kind="file", text=init),
        "/lease": Entry(kind="file", text=_LEASE),
        "/bin/busybox": Entry(kind="file", source=str(tree / "bin/busybox")),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        **{f"/{name}": Entry(kind="dir") for name in ("proc", "sys", "mnt")},
        **{f"/modules/{path.name}": Entry(kind="file", source=str(path)) for path in modules},
    }
    machine = Machine(arch=row.arch, type=row.machine, emulator=program)  # type: ignore[arg-type]
    dtb = next(tree.glob(f"usr/lib/linux-image-*/{row.dtb}")) if row.dtb else None
    machine = msgspec.structs.replace(
        machine, options=row.options, extra=row.words(files), dtb=str(dtb) if dtb else None
    )
    console = row.console or machine.architecture.console
    image = next(tree.glob("boot/vmlinuz-*"))
    return SystemDescription(
        name=row.id,
        kernel=Kernel(image=str(image), form="vmlinux" if row.arch == "x86_64" else "image"),
        goal=Goal(console="device: used, status 0"),
        machine=machine,
        cmdline=CommandLine.parse(f"console={console} {_QUIET} {_FASTER.get(row.arch, '')}".strip()),
        initramfs=Initramfs(tree=FileTree.of(entries), compression="none"),
        limits=Limits(virtual_s=60, stall_virtual_s=20, wall_s=3000, stall_wall_s=600),
    )


def difference(recordings: list[Recording]) -> str:
    """Return in what the boots differ; "" when they are equal to the byte and to the instruction."""
    consoles = {r.console for r in recordings}
    goals = sorted({r.meta.goal_insns or 0 for r in recordings})
    if len(consoles) == 1 and len(goals) == 1:
        return ""
    said = f"{len(goals)} goals in {len(recordings)} boots, {goals[-1] - goals[0]:,} instructions apart"
    return said if len(consoles) == 1 else f"{said}; {len(consoles)} consoles"


def busy() -> bool:
    """Tell whether this machine has more work than cores."""
    return os.getloadavg()[0] > (os.cpu_count() or 1)


def planned(target: QemuTarget, system: SystemDescription, *, in_step: bool) -> BootPlan:
    """Return the plan with its devices in step or not, whatever the table says of them."""
    plan = target.plan(system)
    if plan.launch is None:
        raise SystemExit(f"{system.name}: nothing to launch")
    launch = devices.without_plugin(plan.launch)
    if in_step:
        loaded, reason = devices.prepared(emulator.find(system.machine), default_folder())
        if loaded is None:
            raise SystemExit(reason)
        launch = devices.with_plugin(launch, loaded)
    return msgspec.structs.replace(plan, launch=launch)


def boots(
    row: Row, system: SystemDescription, count: int, work: Path, target: QemuTarget, *, loops: int, in_step: bool
) -> tuple[list[Recording], int, str]:
    """Boot the row, the second half beside busy loops; return them, how many had load, and what went wrong."""
    recordings = []
    with_load = 0
    plan = planned(target, system, in_step=in_step)
    for number in range(count):
        loaded = number >= count - count // 2
        beside = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops if loaded else 0)]
        with_load += bool(beside) or busy()
        try:
            folder = work / f"{row.id.replace(' ', '-')}-{number}"
            shutil.rmtree(folder, ignore_errors=True)
            recordings.append(target.boot(plan, folder, stop=threading.Event()))
        finally:
            for loop in beside:
                loop.kill()
                loop.wait()
        last = recordings[-1]
        if not last.ok:
            return recordings, with_load, f"{last.meta.outcome.value}: {last.meta.reason}"
        if failed := last.find("insmod") or last.find("no /"):
            return recordings, with_load, failed.text
    return recordings, with_load, ""


def prepared(work: Path) -> Files:
    """Make the disk and the served folder, the same bytes each time."""
    folder = work / "folder"
    folder.mkdir()
    served = bytes((n * 7 + n // 251) & 0xFF for n in range(56_000))
    (folder / "served").write_bytes(served)
    (folder / "bank").write_bytes((served * 1300)[: 64 << 20])
    content = work / "content"
    content.mkdir()
    (content / "file").write_bytes(served * 10)
    disk = work / "disk"
    with disk.open("wb") as file:
        file.truncate(DISK_MIB << 20)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", str(content), str(disk)], check=True)
    return Files(disk=disk, folder=folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path)
    parser.add_argument("--in-step", action="store_true")
    parser.add_argument("--boots", type=int, default=4)
    parser.add_argument("--loops", type=int, default=1, help="busy loops beside the second half of the boots")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--qemu", action="append", default=[])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--missing", action="store_true", help="leave out what FILE has an entry of")
    parser.add_argument("--keep", type=Path, help="keep recordings here")
    options = parser.parse_args()
    if options.missing and not options.write:
        parser.error("--missing: of which file? --write names it")
    rows = [row for row in ROWS if not options.only or row.id in options.only]
    target = QemuTarget(Cache(default_folder()))
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        files = prepared(work)
        for folder in options.qemu or [""]:
            for row in rows:
                program = Machine(arch=row.arch).architecture.emulator  # type: ignore[arg-type]
                path = f"{folder}/{program}" if folder else program
                system = system_of(row, options.packages.resolve(), files, path)
                version = emulator.find(system.machine).version.split(" ")[0]
                if options.missing and is_kept(options.write, row, version, in_step=options.in_step):
                    continue
                place = (options.keep or work) / version
                try:
                    recordings, loaded, fault = boots(
                        row, system, options.boots, place, target, loops=options.loops, in_step=options.in_step
                    )
                except BootlabError as refused:
                    recordings, loaded, fault = [], 0, refused.message
                apart = difference(recordings) if not fault else ""
                wall = sum(r.meta.wall_s for r in recordings)
                verdict = f"NOT BOOTED: {fault}" if fault else (apart or "exact")
                insns = recordings[0].meta.goal_insns if recordings else 0
                print(f"{version} {row.id}: {verdict} ({insns or 0:,} instructions, {wall:.1f} s)", flush=True)
                shutil.rmtree(place, ignore_errors=True) if not options.keep else None
                if options.write and not fault:
                    seen = SeenBoots(
                        qemu=version,
                        boots=len(recordings),
                        loaded=loaded,
                        exact=not apart,
                        apart=apart,
                        in_step=options.in_step,
                        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
                    )
                    keep(options.write, row, seen)
    return 0


def kept(path: Path | None) -> dict[str, DeviceRow]:
    """Return the rows that the file has, by name."""
    if path is None or not path.exists():
        return {}
    return {row.id: row for row in msgspec.json.decode(path.read_bytes(), type=DeviceTable).rows}


def is_kept(path: Path | None, row: Row, version: str, *, in_step: bool) -> bool:
    """Tell whether the file has an entry of this row for a QEMU, with or without the plugin."""
    there = kept(path).get(row.id)
    return there is not None and any((s.qemu, s.in_step) == (version, in_step) for s in there.seen)


def keep(path: Path, row: Row, seen: SeenBoots) -> None:
    """Put one entry into the file, in the order of the rows."""
    rows = kept(path)
    before = rows[row.id].seen if row.id in rows else ()
    now = tuple(
        sorted(
            (*(s for s in before if (s.qemu, s.in_step) != (seen.qemu, seen.in_step)), seen),
            key=lambda s: s.qemu,
            reverse=True,
        )
    )
    machine = f"{row.arch} {row.machine}"
    rows[row.id] = DeviceRow(id=row.id, models=row.models, machine=machine, use=row.use, seen=now)
    order = [r.id for r in ROWS]
    table = DeviceTable(rows=tuple(sorted(rows.values(), key=lambda r: order.index(r.id) if r.id in order else 999)))
    path.write_bytes(msgspec.json.format(msgspec.json.encode(table), indent=1) + b"\n")


if __name__ == "__main__":
    raise SystemExit(main())
