#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""The figures of `raid6:` and `xor:` that boards print when they boot, forecast by the models of their processors.

    python benchmarks/checksum_figures.py --linux FOLDER --keep benchmarks/published/checksum-forecast.json
    python benchmarks/checksum_figures.py --show benchmarks/published/checksum-forecast.json \
        --page docs/explanation/board-time.md

Linux times its routines of lib/raid6 and crypto/xor.c at boot, and prints MB/s. The same sources (FOLDER: Debian's
source of Linux 6.1, unpacked) are compiled as the kernel compiles them, with Debian's compiler, and run on a bare
machine in QEMU under the plugin of `bootlab boot --costing`, each for each core. The kept file says when the forecast
was made. Nothing is fitted.

benchmarks/published/checksums.csv has what logs of boards that run a packaged kernel say: the core, the clock and where
it is from (empty: the range of the core's file), the kernel, which tells how many pages its routines are timed with,
how many bytes its MB has (lib/raid6/algos.c: 1 << 20; crypto/xor.c: 1,024,000, later 1,000,000), where the log is, and
whether its figures were seen before the kept forecast was made or after. Of public threads nobody has the text here:
their figures are those that a search showed, not always all of a log's. Those of sbc-bench are whole, without stamps.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
import page_part

from bootlab.collectors.costing import TICKS_PER_CYCLE, load
from bootlab.costs.cores import core_of
from bootlab.costs.seen import seen
from bootlab.launch import emulator, plugin
from bootlab.model.architecture import Arch
from bootlab.model.costs import Between
from bootlab.model.machine import Machine

HERE = Path(__file__).resolve().parent
CALLS = 400
PAGE = 4096
DISKS = (18, 8)
"""lib/raid6/algos.c: 16 pages of data and two of sums (72 KiB); from Linux 5.6 on, six and two (32 KiB)."""
CORES: dict[Arch, tuple[str, ...]] = {
    "arm": ("cortex-a7", "cortex-a8", "cortex-a9", "cortex-a53", "cortex-a72"),
    "arm64": ("cortex-a53", "cortex-a55", "cortex-a72", "cortex-a76"),
    "riscv64": ("sifive-u74",),
}
MACHINES = {
    "arm": ("qemu-system-arm", "cortex-a15", 0x40200000),
    "arm64": ("qemu-system-aarch64", "cortex-a57", 0x40200000),
    "riscv64": ("qemu-system-riscv64", "rv64", 0x80200000),
}
COMPILERS = {
    "arm": ["arm-linux-gnueabihf-gcc", "-marm", "-march=armv7-a", "-mfloat-abi=hard", "-mfpu=neon"],
    "arm64": ["aarch64-linux-gnu-gcc"],
    "riscv64": ["riscv64-linux-gnu-gcc", "-march=rv64imafdc", "-mcmodel=medany"],
}
NEON = {"arm": ("neon",), "arm64": ("neon",), "riscv64": ()}
MARKS = ("<!-- checksum figures -->\n", "<!-- end of checksum figures -->\n")


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """One routine on one core: cycles for a call, at the model's two ends."""

    arch: str
    core: str
    routine: str
    low_cycles: float
    high_cycles: float
    bytes_a_call: int
    disks: int = 0
    """Of a routine for RAID 6: pages of data and sums."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A run of this script."""

    made: str
    compilers: list[str]
    rows: list[Forecast]
    sum: str = ""
    """SHA-256 of the rows: a forecast that was changed after it was made is refused."""

    @property
    def sealed(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self.rows)).hexdigest()


def routines(arch: str) -> dict[str, list[str]]:
    """Return what is compiled for each routine that a log names."""
    width = "int64x" if arch != "arm" else "int32x"
    found = {f"{width}{n}": [f"-DCALL=raid6_intx{n}.gen_syndrome(DISKS, PAGE, disks)"] for n in (1, 2, 4, 8)}
    if NEON[arch]:
        for n in (1, 2, 4, 8):
            found[f"neonx{n}"] = [f"-DCALL=raid6_neon{n}_gen_syndrome_real(DISKS, PAGE, disks)"]
    for n in (8, 32):
        call = f"xor_{n}regs_2(PAGE, (void *)memory, (void *)(memory + 3 * PAGE))"
        found[f"{n}regs"] = ['-DCHECKSUM="asm-generic/xor.h"', f"-DCALL={call}"]
    if arch == "arm":
        found["neon"] = found["8regs"]
    # The kernel's own code has no vector instructions but in what is named after them.
    vectors = {name: "-ftree-vectorize" if name == "neon" else "-fno-tree-vectorize" for name in found}
    return {
        name: [*words, vectors[name], *([] if "neon" in name else ["-fno-tree-slp-vectorize"])]
        for name, words in found.items()
    }


def build(arch: str, routine: str, disks: int, linux: Path, folder: Path) -> Path:
    defines, program = routines(arch)[routine], folder / f"{arch}-{routine}-{disks}"
    if disks:
        defines = [*defines, f"-DDISKS={disks}"]
    flags = [*COMPILERS[arch], "-O2", "-ffreestanding", "-fno-pic", "-fno-stack-protector", "-DNDEBUG"]
    sources = [HERE / "checksums/loop.c"]
    stub = folder / "linux"
    (stub / "raid").mkdir(parents=True, exist_ok=True)
    (stub / "prefetch.h").write_text("")
    (stub / "raid/pq.h").write_bytes((linux / "include/linux/raid/pq.h").read_bytes())
    (folder / "asm-generic").mkdir(exist_ok=True)
    (folder / "asm-generic/xor.h").write_bytes((linux / "include/asm-generic/xor.h").read_bytes())
    if "x" in routine:
        kind, count = routine.split("x")
        source = folder / f"{kind}{count}-{arch}.c"
        template = linux / "lib/raid6" / ("neon.uc" if kind == "neon" else "int.uc")
        unrolled = subprocess.run(
            ["awk", "-v", f"N={count}", "-f", linux / "lib/raid6/unroll.awk"],
            stdin=template.open("rb"), capture_output=True, check=True,
        )  # fmt: skip
        source.write_bytes(unrolled.stdout)
        sources.append(source)

    target = MACHINES[arch][2]
    subprocess.run(
        [*flags, f"-DCALLS={CALLS}", *defines, "-w", "-I", folder, "-nostdlib", "-static", "-no-pie",
         f"-Wl,-Ttext={target:#x},--build-id=none,-e,_start,--no-warn-rwx-segments", "-o", program, *sources, "-lgcc"],
        check=True,
    )  # fmt: skip
    return program


def modelled(arch: str, core: str, routine: str, disks: int, program: Path, built: str) -> Forecast:
    command, cpu, _ = MACHINES[arch]
    out = program.with_suffix(f".{core}")
    plugged = ",".join((built, f"out={out}", "every=1000000000000", *core_of(f"{core}@1GHz", arch).arguments))
    bios = ("-bios", "none") if arch == "riscv64" else ()
    subprocess.run(
        [command, "-M", "virt", "-cpu", cpu, "-m", "256", "-display", "none", "-serial", "none", "-monitor", "none",
         "-no-reboot", *bios, "-plugin", plugged, "-device", f"loader,file={program},cpu-num=0"],
        check=True, timeout=900,
    )  # fmt: skip
    low, high = (ticks / TICKS_PER_CYCLE / CALLS for ticks in load(out)[-1].ticks)
    moved = PAGE * (disks - 2 if disks else 1)
    return Forecast(
        arch=arch, core=core, routine=routine, low_cycles=low, high_cycles=high, bytes_a_call=moved, disks=disks
    )


def run(asked: argparse.Namespace) -> Kept:
    cache = Path(os.environ.get("BOOTLAB_CACHE", tempfile.gettempdir()))
    rows: list[Forecast] = []
    said: list[str] = []
    with tempfile.TemporaryDirectory() as made:
        for arch, cores in CORES.items():
            built = plugin.prepare_costing(emulator.find(Machine(arch=arch)), cache)
            if built.path is None:
                sys.exit(f"no plugin: {built.reason}")
            version = subprocess.run([COMPILERS[arch][0], "--version"], capture_output=True, text=True, check=True)
            said.append(version.stdout.splitlines()[0])
            for routine, disks in ((name, n) for name in routines(arch) for n in (DISKS if "x" in name else (0,))):
                program = build(arch, routine, disks, asked.linux, Path(made))
                for core in cores:
                    rows.append(modelled(arch, core, routine, disks, program, built.path))
                    print(rows[-1], file=sys.stderr, flush=True)
    kept = Kept(made=datetime.now(UTC).isoformat(timespec="seconds"), compilers=said, rows=rows)
    return msgspec.structs.replace(kept, sum=kept.sealed)


class Row(NamedTuple):
    """One figure of one board, MB/s."""

    board: str
    core: str
    clock: str
    """GHz, where a log or a source says it; else empty."""
    routine: str
    low: float
    high: float
    widened: Between
    """What the product says: widened by how far the model was off elsewhere."""
    measured: float
    unseen: bool
    """The forecast was made before the figure was seen."""

    @property
    def error(self) -> float:
        return math.sqrt(self.low * self.high) / self.measured - 1

    @property
    def held(self) -> bool:
        return self.low <= self.measured <= self.high

    @property
    def held_widened(self) -> bool:
        return self.widened.low <= self.measured <= self.widened.high


def rows_of(kept: Kept) -> list[Row]:
    with (HERE / "published/checksums.csv").open(encoding="utf-8", newline="") as text:
        lines = list(csv.DictReader(text))
    by = {(row.arch, row.core, row.routine, row.disks): row for row in kept.rows}
    found = []
    for line in lines:
        forecast = by[line["arch"], line["core"], line["routine"], int(line["disks"])]
        low, _, high = line["ghz"].partition("-")
        ghz = Between(float(low), float(high or low)) if low else core_of(line["core"], line["arch"]).ghz
        times = Between(forecast.low_cycles / ghz.high, forecast.high_cycles / ghz.low)
        wide = seen(measured=False).widened(times)
        per_call = forecast.bytes_a_call * 1e9 / int(line["unit"])
        speeds, wider = (Between(per_call / one.high, per_call / one.low) for one in (times, wide))
        board = f"{line['board']} ({line['source']})"
        measured = float(line["measured"])
        known = "" if line["clock"] == "not looked up" else line["ghz"]
        unseen = line["seen"] == "after"
        found.append(Row(board, line["core"], known, line["routine"], speeds.low, speeds.high, wider, measured, unseen))
    return found


def page(kept: Kept) -> str:
    rows = rows_of(kept)
    boards = {board: [row for row in rows if row.board == board] for board in dict.fromkeys(row.board for row in rows)}
    median = {board: statistics.median(abs(row.error) for row in of) for board, of in boards.items()}
    lines = [
        "| board | core | clock, GHz | figures | median error | inside | widened | worst: forecast MB/s | printed |",
        "|---|---|---|--:|--:|--:|--:|---|--:|",
    ]
    for board, of in sorted(boards.items(), key=lambda pair: -median[pair[0]]):
        worst = max(of, key=lambda row: abs(row.error))
        lines.append(
            f"| {board} | {of[0].core} | {of[0].clock or '—'} | {len(of)} | {median[board]:.0%} | "
            f"{sum(row.held for row in of)} | "
            f"{sum(row.held_widened for row in of)} | {worst.routine}: {worst.low:.0f} to {worst.high:.0f} "
            f"({worst.error:+.0%}) | {worst.measured:.0f} |"
        )
    unseen = [row for row in rows if row.unseen]
    lines += ["", f"All: {_sums(rows)}", "", f"Seen only after the forecast was made ({kept.made}): {_sums(unseen)}"]
    return "\n".join(lines) + "\n"


def _sums(rows: list[Row]) -> str:
    every = [abs(row.error) for row in rows]
    return (
        f"{len({row.board for row in rows})} boards, {len(rows)} figures: median error {statistics.median(every):.0%}, "
        f"worst {max(every):.0%}; forecast too fast: {sum(row.error > 0 for row in rows)}; "
        f"inside the figures' interval: {sum(row.held for row in rows)}, "
        f"the widened one: {sum(row.held_widened for row in rows)}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--linux", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--page", type=Path, help="write the table into a page")
    asked = parser.parse_args()
    if not asked.show and not asked.linux:
        parser.error("--linux, or --show")
    if asked.show:
        made = msgspec.json.decode(asked.show.read_bytes(), type=Kept)
        if made.sum != made.sealed:
            parser.error(f"{asked.show} was changed after the forecast was made")
        shown = page(made)
        if asked.page is None:
            print(shown, end="")
            return
        page_part.put(asked.page, MARKS, shown)
        return
    kept = run(asked)
    if asked.keep:
        asked.keep.write_text(json.dumps(msgspec.to_builtins(kept), indent=1) + "\n")


if __name__ == "__main__":
    main()
