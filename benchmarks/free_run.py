#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""The console's and the medium's term of a board's time, against QEMU in free run with a slow line and a slow medium.

    BOOTLAB_KERNEL=... python benchmarks/free_run.py --rounds 5 --keep benchmarks/published/free-run.json
    python benchmarks/free_run.py --show benchmarks/published/free-run.json --page docs/explanation/board-time.md

A small system boots on the host's clock. Its console is a pipe that is read no faster than a line of that rate
(bootlab.launch.paced_console); its medium is an NVMe disk that QEMU's throttle gives no more than so many bytes a
second. Once user space runs, it reads 32 MB of it, as a loader reads images. The rounds have each board once, in random
order. The forecast is the median boot without either, the median count of characters, and the bytes, by the model of
`bootlab.costs`; the rates are what the script asked for. Needs a kernel with NVMe built in, a static busybox and cpio.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import page_part

from bootlab.costs.prices import board_row
from bootlab.launch.paced_console import PacedConsole
from bootlab.model.costs import LINE_TIMES, READ_TIMES, Amounts, Between, BoardConsole, BoardMedium, Costs

MEGABYTES = 32
IMAGE_BYTES = MEGABYTES << 20
BEGIN, READY = b"user space: begins", b"user space: ready"
LATEST_S = 300
AHEAD = 10
"""The reader of the line goes before the emulator: on a busy host a reader that is late is a slower line."""
BOARDS = ((0, 0), (9600, 0), (115200, 0), (0, 4), (0, 20), (9600, 4), (115200, 20))
"""Baud and MB/s; 0: as fast as the emulator goes."""
INIT = f"""#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
echo "user space: begins"
/bin/busybox dd if=/dev/nvme0n1 of=/dev/null bs=1M count={MEGABYTES} 2>/dev/null
echo "user space: ready"
exec /bin/busybox sleep 100000
"""
MARKS = ("<!-- free run -->\n", "<!-- end of free run -->\n")


class Boot(msgspec.Struct, frozen=True):
    """One boot: what the board was, how long it took, how long of that it read, how much it printed."""

    baud: int
    megabytes_per_s: int
    wall_ns: int
    read_ns: int
    characters: int


def initramfs(folder: Path, busybox: Path) -> Path:
    root, packed = folder / "root", folder / "initramfs.cpio"
    for name in ("bin", "dev"):
        (root / name).mkdir(parents=True)
    (root / "bin/busybox").write_bytes(busybox.read_bytes())
    (root / "init").write_text(INIT)
    for name in ("bin/busybox", "init"):
        (root / name).chmod(0o755)
    names = "\n".join((".", "bin", "dev", "bin/busybox", "init"))
    with packed.open("wb") as out:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], input=names.encode(), stdout=out, cwd=root, check=True)
    return packed


def boot(folder: Path, kernel: Path, packed: Path, baud: int, rate: int) -> Boot:
    console, disk = folder / "console.log", folder / "disk"
    console.write_bytes(b"")
    if not disk.exists():
        disk.write_bytes(os.urandom(1 << 20) * MEGABYTES)
    slow = f",throttling.bps-read={rate * 1_000_000}" if rate else ""
    command = [
        "qemu-system-x86_64", "-M", "q35", "-m", "256", "-display", "none", "-no-reboot", "-monitor", "none",
        "-nic", "none", "-kernel", kernel, "-initrd", packed, "-append", "console=ttyS0 panic=-1 random.trust_cpu=on",
        "-drive", f"if=none,id=medium,format=raw,readonly=on,file={disk}{slow}", "-device",
        "nvme,drive=medium,serial=1",
    ]  # fmt: skip
    if not baud:
        return _watched([*command, "-serial", f"file:{console}"], console, baud, rate, None)
    with PacedConsole(console, baud) as line:
        return _watched([*command, "-serial", "stdio"], console, baud, rate, line.fd)


def _watched(command: list[object], console: Path, baud: int, rate: int, line: int | None) -> Boot:
    started = time.monotonic_ns()
    words = ["nice", "-n", str(AHEAD), *(str(word) for word in command)]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=line)
    began = 0
    try:
        while READY not in (said := console.read_bytes()):
            began = began or (time.monotonic_ns() if BEGIN in said else 0)
            if process.poll() is not None or time.monotonic_ns() - started > LATEST_S * 10**9:
                sys.exit(f"no goal with {baud} baud and {rate} MB/s: {console.read_bytes()[-300:]!r}")
            time.sleep(0.005)
        ended = time.monotonic_ns()
        return Boot(baud, rate, ended - started, ended - (began or ended), len(console.read_bytes()))
    finally:
        process.kill()
        process.wait()


def forecast(base_ns: float, characters: int, baud: int, rate: int, widened: bool) -> Between:
    """Return the boot's time with what the model adds; a line or a medium without a rate adds nothing."""
    line, read = (LINE_TIMES, READ_TIMES) if widened else (Between.of(1), Between.of(1))
    bauds = Between(baud / line.high, baud / line.low) if baud else Between.of(1e15)
    rates = Between(rate * 1e6 / read.high, rate * 1e6 / read.low) if rate else Between.of(1e15)
    costs = Costs(
        name="free run",
        console=BoardConsole(baud=bauds),
        medium=BoardMedium(name="throttled", bytes_per_s=rates),
    )
    asked = Amounts(
        exact_ns=round(base_ns), characters=characters, image_bytes=IMAGE_BYTES if rate else 0, images=int(bool(rate))
    )
    return board_row(costs, "free run", asked).board_ns


def page(boots: list[Boot]) -> str:
    """Return the table, the largest error first."""
    by = {board: [one for one in boots if (one.baud, one.megabytes_per_s) == board] for board in BOARDS}
    base = by[0, 0]
    base_ns = statistics.median(one.wall_ns for one in base)
    characters = round(statistics.median(one.characters for one in base))
    rows = []
    for (baud, rate), found in by.items():
        if not (baud or rate):
            continue
        took = [one.wall_ns for one in found]
        middle = statistics.median(took)
        said = forecast(base_ns, characters, baud, rate, False).low
        wide = forecast(base_ns, characters, baud, rate, True)
        added = (said - base_ns) / (middle - base_ns) - 1
        least = (said - base_ns) / (min(took) - min(one.wall_ns for one in base)) - 1
        whole = f"{wide.text(1e6)} | {middle / 1e6:,.0f} ({min(took) / 1e6:,.0f} to {max(took) / 1e6:,.0f})"
        errors = f"{said / middle - 1:+.1%} | {added:+.1%} | {least:+.1%} | {_reading(found, rate)}"
        rows.append(
            (abs(said / middle - 1), f"| {baud or '—'} | {rate or '—'} | {said / 1e6:,.0f} | {whole} | {errors} |")
        )
    rows.sort(reverse=True)
    counts = " or ".join(str(n) for n in sorted({len(found) for found in by.values()}))
    alone = sorted(one.wall_ns / 1e6 for one in base)
    held = sum(error <= 0.05 for error, _ in rows)
    lines = [
        "| baud | MB/s | forecast ms | with width | median ms | error | added | added, least | reading alone |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|---|",
        *(text for _, text in rows),
        "",
        f"{counts} boots of each. Without a slow line and a slow medium: {base_ns / 1e6:,.0f} ms ({alone[0]:,.0f} to",
        f"{alone[-1]:,.0f}), {characters:,} characters; {IMAGE_BYTES / 1e6:.1f} MB are read.",
        f"Of {len(rows)} boards {held} are within 5 %.",
    ]
    return "\n".join(lines) + "\n"


def _reading(found: list[Boot], rate: int) -> str:
    if not rate:
        return "—"
    said, took = IMAGE_BYTES * 1000 / rate, statistics.median(one.read_ns for one in found)
    return f"{said / 1e6:,.0f}, {took / 1e6:,.0f} ({said / took - 1:+.1%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--busybox", type=Path, default=Path("/bin/busybox"))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--show", type=Path, help="boots that were kept")
    parser.add_argument("--page", type=Path, help="write the table into a page")
    asked = parser.parse_args()
    boots = msgspec.json.decode(asked.show.read_bytes(), type=list[Boot]) if asked.show else []
    if not asked.show:
        with contextlib.suppress(PermissionError):
            os.nice(-AHEAD)
        with tempfile.TemporaryDirectory() as made:
            packed = initramfs(Path(made), asked.busybox)
            for _ in range(asked.rounds):
                for baud, rate in random.sample(BOARDS, len(BOARDS)):
                    boots.append(boot(Path(made), Path(os.environ["BOOTLAB_KERNEL"]), packed, baud, rate))
                    print(boots[-1], file=sys.stderr, flush=True)
                if asked.keep:
                    asked.keep.write_text(json.dumps(msgspec.to_builtins(boots), indent=1) + "\n")
    page_part.put_or_print(asked.page, MARKS, page(boots))


if __name__ == "__main__":
    main()
