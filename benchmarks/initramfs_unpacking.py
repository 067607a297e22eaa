#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""How long boards unpack their initramfs, forecast by the models of their processors before their logs are read.

    python benchmarks/initramfs_unpacking.py --linux FOLDER --modules FOLDER... --keep \
        benchmarks/published/unpacking-forecast.json
    python benchmarks/initramfs_unpacking.py --show benchmarks/published/unpacking-forecast.json \
        benchmarks/published/unpacking-forecast-further.json --page docs/explanation/board-time.md

Linux says `Trying to unpack rootfs image as initramfs...` and then `Freeing initrd memory: 12345K`, which is the size
of what it unpacked, in whole pages. The kernel's own decompressors (--linux: Debian's source of Linux 6.1, unpacked)
unpack an archive of kernel modules and libraries (--modules, every n-th file of them, at most MEBIBYTES) on a bare
machine in QEMU: piece after piece, each copied into pages that were cleared. The plugin of `bootlab boot --costing`
tells how long each core takes. Not in it: the file system's own work for each page and file, and giving the packed
archive back.

A board's forecast is the size in its log at the rate of its core and compressor. What a core waits for memory does not
depend on its clock, so a core is run at two clocks, and in between t = a + b / clock. Nothing is fitted; the kept file
says when it was made. benchmarks/published/unpacking.csv has the boards: core, clock and compressor, each with where it
is from, and what the log says; unpacking-rules.csv says how they were chosen before their logs were opened.
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
from collections.abc import Iterator
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
MEBIBYTES = 4
"""What is unpacked, more than the cores' caches hold. Debian's own has 20 to 100."""
COMPRESSORS = {
    "gzip": ("inflate", ["gzip", "-n6"]),
    "zstd": ("unzstd", ["zstd", "-q9"]),
    "lz4": ("unlz4", ["lz4", "-9lq"]),
}
"""The kernel's file, and the command, with the level of Debian's initramfs-tools."""
CLOCKS: dict[Arch, tuple[str, ...]] = {
    "arm64": ("cortex-a53@0.6GHz", "cortex-a53@1.5GHz", "cortex-a72@0.6GHz", "cortex-a72@1.8GHz", "cortex-a55@0.8GHz",
              "cortex-a55@1.8GHz", "cortex-a76@1.5GHz", "cortex-a76@2.4GHz"),
    "arm": ("cortex-a7@0.6GHz", "cortex-a7@1.2GHz", "cortex-a8@0.6GHz", "cortex-a8@1GHz", "cortex-a9@0.6GHz",
            "cortex-a9@1.6GHz", "cortex-a53@0.6GHz", "cortex-a53@1.5GHz", "cortex-a72@0.6GHz", "cortex-a72@1.8GHz"),
    "riscv64": ("sifive-u74@1GHz", "sifive-u74@1.5GHz"),
}  # fmt: skip
MACHINES = {
    "arm": ("qemu-system-arm", "cortex-a15", 0x40000000, 0xC0000000),
    "arm64": ("qemu-system-aarch64", "cortex-a57", 0x40000000, 0x40000000),
    "riscv64": ("qemu-system-riscv64", "rv64", 0x80000000, 0x80000000),
}
"""The last two: where the memory begins, and where it all lies. On arm at the kernel's own addresses, of which the
model knows the large pages."""
CODE, ARCHIVE, HEAP, PAGES, RAM = 0x02000000, 0x04000000, 0x06000000, 0x08000000, 0x10000000
COMPILERS = {
    "arm": ["arm-linux-gnueabihf-gcc", "-marm", "-march=armv7-a+fp", "-mgeneral-regs-only", "-mno-unaligned-access"],
    "arm64": ["aarch64-linux-gnu-gcc", "-mgeneral-regs-only"],
    "riscv64": ["riscv64-linux-gnu-gcc", "-march=rv64imafdc", "-mcmodel=medany", "-mstrict-align"],
}
COPIED = ("zlib", "zconf", "zutil", "zstd", "zstd_lib", "zstd_errors", "xxhash", "lz4", "decompress/mm")
STUBS = ("types", "string", "kernel", "compiler", "errno", "module", "limits", "stddef", "math64", "swab", "slab",
         "bitops", "init")  # fmt: skip
MARKS = ("<!-- initramfs unpacking -->\n", "<!-- end of initramfs unpacking -->\n")


class Forecast(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One core at one clock, with one compressor: milliseconds at the model's two ends, for so many packed bytes."""

    arch: str
    core: str
    ghz: float
    compressor: str
    packed_bytes: int
    unpacked_bytes: int
    instructions: int
    low_ms: float
    high_ms: float
    made: str = ""
    """When; the first file has one date for all."""

    @property
    def rates(self) -> str:
        """MB of the packed archive in a second."""
        low, high = (self.packed_bytes / ms / 1e3 for ms in (self.high_ms, self.low_ms))
        return f"{low:.1f} to {high:.1f}"


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What runs of this script forecast."""

    made: str
    rows: list[Forecast]
    sum: str = ""
    """SHA-256 of the rows: a forecast that was changed after it was made is refused."""

    @property
    def sealed(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self.rows)).hexdigest()


def code(file: Path) -> bool:
    return file.suffix == ".ko" or ".so" in file.name


def chosen(folders: list[Path]) -> list[Path]:
    """Return every n-th file of each folder, as many bytes of each."""
    found = []
    for folder in folders:
        files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink() and code(file))
        room = (MEBIBYTES << 20) // len(folders)
        total = sum(file.stat().st_size for file in files)
        step, taken = max(1.0, total / room), 0
        for n in range(math.floor(len(files) / step)):
            file = files[math.floor(n * step)]
            if taken + file.stat().st_size <= room:
                taken += file.stat().st_size
                found.append(file)
    return found


def headers(linux: Path, folder: Path) -> Path:
    """Return a folder with the kernel's headers of the decompressors, and stand-ins for what those include."""
    made = folder / "include"
    for name in COPIED:
        (made / "linux" / name).parent.mkdir(parents=True, exist_ok=True)
        (made / f"linux/{name}.h").write_bytes((linux / f"include/linux/{name}.h").read_bytes())
    (made / "asm").mkdir()
    for name in (*(f"linux/{name}" for name in STUBS), "asm/unaligned", "asm/byteorder"):
        (made / f"{name}.h").write_text(f'#include "{HERE}/unpacking/kernel.h"\n')
    return made


def build(arch: Arch, source: str, sizes: tuple[int, int], linux: Path, include: Path) -> Path:
    """Return the program for an archive of a size, packed and not."""
    start, compiler = MACHINES[arch][3], COMPILERS[arch]
    said = [compiler[0], "-print-file-name=include"]
    own = subprocess.run(said, capture_output=True, text=True, check=True).stdout.strip()
    program = include.parent / f"{arch}-{source}"
    places = {"HEAP": start + HEAP, "PACKED": start + ARCHIVE, "PAGES": start + PAGES}
    defines = {**places, "PACKED_BYTES": sizes[0], "UNPACKED_BYTES": sizes[1]}
    subprocess.run(
        [*compiler, "-O2", "-ffreestanding", "-fno-pic", "-fno-stack-protector", "-fno-strict-aliasing", "-w",
         "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-nostdinc", "-isystem", own, f"-I{include}",
         f"-I{linux}/lib", f"-I{linux}/lib/zstd", f'-DSOURCE="decompress_{source}.c"',
         *(f"-D{name}={value:#x}UL" for name, value in defines.items()), "-nostdlib", "-static", "-no-pie",
         f"-Wl,-Ttext={start + CODE:#x},--build-id=none,-e,_start,--no-warn-rwx-segments", "-o", program,
         HERE / "unpacking/unpack.c", "-lgcc"],
        check=True,
    )  # fmt: skip
    return program


def modelled(arch: Arch, word: str, program: Path, packed: Path, built: str) -> tuple[int, float, float]:
    """Return instructions, and milliseconds at the model's two ends."""
    command, cpu, begin, start = MACHINES[arch]
    out, core = program.with_suffix(".cost"), core_of(word, arch)
    plugged = ",".join((built, f"out={out}", "every=1000000000000", *core.arguments))
    memory = (start + RAM - begin) >> 20
    bios = ("-bios", "none") if arch == "riscv64" else ()
    subprocess.run(
        [command, "-M", "virt", "-cpu", cpu, "-m", str(memory), "-display", "none", "-serial", "none", "-monitor",
         "none", "-no-reboot", *bios, "-plugin", plugged, "-device", f"loader,file={program},cpu-num=0", "-device",
         f"loader,file={packed},addr={start + ARCHIVE:#x},force-raw=on"],
        check=True, timeout=1500,
    )  # fmt: skip
    last = load(out)[-1]
    low, high = (ticks / TICKS_PER_CYCLE / core.ghz.low / 1e6 for ticks in last.ticks)
    return last.insns, low, high


def run(
    linux: Path, folders: list[Path], archs: list[Arch], known: set[tuple[str, str, float, str]]
) -> Iterator[Forecast]:
    cache = Path(os.environ.get("BOOTLAB_CACHE", tempfile.gettempdir()))
    with tempfile.TemporaryDirectory() as made:
        include = headers(linux, Path(made))
        archive = b"".join(file.read_bytes() for file in chosen(folders))
        for arch, cores in ((arch, CLOCKS[arch]) for arch in archs):
            built = plugin.prepare_costing(emulator.find(Machine(arch=arch)), cache)
            if built.path is None:
                sys.exit(f"no plugin: {built.reason}")
            for compressor, (source, command) in COMPRESSORS.items():
                packed = Path(made) / compressor
                made_of = subprocess.run(command, input=archive, capture_output=True, check=True).stdout
                sizes = len(made_of), len(archive)
                # What the kernel's build puts behind an archive: the wrapper of lz4 asks for it.
                behind = len(archive).to_bytes(4, "little") if compressor == "lz4" else b""
                packed.write_bytes(made_of + behind)
                program = build(arch, source, (packed.stat().st_size, len(archive)), linux, include)
                for core in cores:
                    name, _, clock = core.removesuffix("GHz").partition("@")
                    if (arch, name, float(clock), compressor) in known:
                        continue
                    instructions, low, high = modelled(arch, core, program, packed, built.path)
                    yield Forecast(
                        arch=arch,
                        core=name,
                        ghz=float(clock),
                        compressor=compressor,
                        packed_bytes=sizes[0],
                        unpacked_bytes=sizes[1],
                        instructions=instructions,
                        low_ms=low,
                        high_ms=high,
                        made=datetime.now(UTC).isoformat(timespec="seconds"),
                    )


class Row(NamedTuple):
    """One board, milliseconds."""

    board: str
    core: str
    clock: str
    packed: str
    kbytes: int
    times: Between
    widened: Between
    measured: float
    unseen: bool

    @property
    def error(self) -> float:
        return math.sqrt(self.times.low * self.times.high) / self.measured - 1


def at(rows: list[Forecast], ghz: float) -> tuple[float, float]:
    """Return milliseconds for a packed byte at a clock: t = a + b / clock through the core's two clocks."""
    per = sorted((1 / row.ghz, row.low_ms / row.packed_bytes, row.high_ms / row.packed_bytes) for row in rows)
    if len(per) == 1:
        scale = 1 / ghz / per[0][0]
        return per[0][1] * scale, per[0][2] * scale
    (x0, *y0), (x1, *y1) = per[0], per[-1]
    share = (1 / ghz - x0) / (x1 - x0)
    low, high = (a + share * (b - a) for a, b in zip(y0, y1, strict=True))
    return low, high


def rows_of(forecasts: list[Forecast]) -> list[Row]:
    found = []
    with (HERE / "published/unpacking.csv").open(encoding="utf-8", newline="") as text:
        for line in csv.DictReader(text):
            low, _, high = line["ghz"].partition("-")
            ghz = Between(float(low), float(high or low)) if low else core_of(line["core"], line["arch"]).ghz
            kbytes, ends = int(line["kbytes"]), []
            for compressor in line["compressor"].split(" or "):
                fit = [
                    row
                    for row in forecasts
                    if (row.arch, row.core, row.compressor) == (line["arch"], line["core"], compressor)
                ]
                ends += [*at(fit, ghz.low), *at(fit, ghz.high)]
            times = Between(min(ends) * kbytes * 1024, max(ends) * kbytes * 1024)
            board, clock = f"{line['board']} ({line['source']})", line["ghz"] or "—"
            wide, unseen = seen(measured=False).widened(times), line["seen"] == "after"
            measured = float(line["measured"])
            found.append(Row(board, line["core"], clock, line["compressor"], kbytes, times, wide, measured, unseen))
    return sorted(found, key=lambda row: -abs(row.error))


def page(kept: list[Kept]) -> str:
    forecasts = [row for one in kept for row in one.rows]
    lines = ["| core | arch | clock, GHz | " + " | ".join(f"{name}, MB/s" for name in COMPRESSORS) + " |"]
    lines.append("|---|---|--:|" + "--:|" * len(COMPRESSORS))
    for arch, core, ghz in dict.fromkeys((row.arch, row.core, row.ghz) for row in forecasts):
        one = {made.compressor: made for made in forecasts if (made.arch, made.core, made.ghz) == (arch, core, ghz)}
        rates = " | ".join(one[name].rates if name in one else "—" for name in COMPRESSORS)
        lines.append(f"| {core} | {arch} | {ghz:g} | {rates} |")
    lines += [
        "",
        "| board | core | clock, GHz | compressor | KB | forecast ms | widened | log ms | error |",
        "|---|---|---|---|--:|--:|--:|--:|--:|",
    ]
    rows = rows_of(forecasts)
    for row in rows:
        error = f"{row.error:+.0%}" if row.times.low <= row.measured <= row.times.high else f"**{row.error:+.0%}**"
        lines.append(
            f"| {row.board} | {row.core} | {row.clock} | {row.packed} | {row.kbytes:,} | {row.times.text(1)} | "
            f"{row.widened.text(1)} | {row.measured:,.0f} | {error} |"
        )
    after = [row for row in rows if row.unseen]
    used = {row.packed for row in after}
    made = [row.made or one.made for one in kept for row in one.rows if row.compressor in used] or [""]
    span = f"{min(made)} to {max(made)}"
    lines += ["", f"All: {_sums(rows)}", "", f"Log read only after its core's rates were made ({span}): {_sums(after)}"]
    return "\n".join(lines) + "\n"


def _sums(rows: list[Row]) -> str:
    if not rows:
        return "none."
    every = [abs(row.error) for row in rows]
    return (
        f"{len(rows)} boards: median error {statistics.median(every):.0%}, worst {max(every):.0%}; forecast too long: "
        f"{sum(row.error > 0 for row in rows)}; inside the figures' interval: "
        f"{sum(row.times.low <= row.measured <= row.times.high for row in rows)}, the widened one: "
        f"{sum(row.widened.low <= row.measured <= row.widened.high for row in rows)}."
    )


def read(file: Path) -> Kept:
    kept = msgspec.json.decode(file.read_bytes(), type=Kept)
    if kept.sum != kept.sealed:
        sys.exit(f"{file} was changed after the forecast was made")
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--linux", type=Path)
    parser.add_argument("--modules", type=Path, nargs="+", default=[])
    parser.add_argument("--arch", nargs="+", choices=CLOCKS, default=list(CLOCKS))
    parser.add_argument("--besides", type=Path, nargs="+", default=[], help="forecasts whose rows are not made again")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--show", type=Path, nargs="+")
    parser.add_argument("--page", type=Path, help="write the tables into a page")
    asked = parser.parse_args()
    if asked.show:
        page_part.put_or_print(asked.page, MARKS, page([read(file) for file in asked.show]))
        return
    if not (asked.linux and asked.modules):
        parser.error("--linux and --modules, or --show")
    known = {(row.arch, row.core, row.ghz, row.compressor) for file in asked.besides for row in read(file).rows}
    rows = []
    for row in run(asked.linux.resolve(), asked.modules, asked.arch, known):
        print(row, file=sys.stderr, flush=True)
        rows.append(row)
        kept = Kept(made=datetime.now(UTC).isoformat(timespec="seconds"), rows=rows)
        if asked.keep:
            sealed = msgspec.structs.replace(kept, sum=kept.sealed)
            asked.keep.write_text(json.dumps(msgspec.to_builtins(sealed), indent=1) + "\n")


if __name__ == "__main__":
    main()
