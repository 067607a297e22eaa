#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""Times to user space of a TI AM335x with five compressors on two cards, forecast by the model of a Cortex-A8.

    python benchmarks/am335x_unpacking.py --linux FOLDER --kernel vmlinuz-armmp --keep KEPT.json
    python benchmarks/am335x_unpacking.py --show benchmarks/published/am335x-unpacking.json \
        --page docs/explanation/board-time.md

FOLDER is Debian's source of Linux 6.1, unpacked (scripts/fetch-kernel-source.sh bookworm 6.1 ...); the kernel is
Debian's for armhf. The table is of Linux 5.1, whose kernel nobody published. So that kernel is stood for by pieces of
64 KiB of Debian's, evenly spread, so many that gzip makes 2,350,336 bytes of them with the decompressor, as in the
table: the other four sizes then tell how like it they are.

For each compressor the kernel's own decompressor is built (arch/arm/boot/compressed, `-march=armv7-a`), packs those
pieces, and runs in QEMU from the first instruction of the zImage to the first one of what it unpacked, which powers
off. A plugin models the core meanwhile (`bootlab boot --costing cortex-a8@1GHz`). RAM lies at 0xC0000000, where the
model takes pages of 1 MiB, as the decompressor's own tables have. Nothing overlaps: a zImage that has to move itself
first takes longer, with each compressor alike.

Linux 5.1 to 5.8 called memcpy() for each few bytes in LZ4's decompressor, and the decompressor's memcpy() copies byte
by byte ("lz4: fix kernel decompression speed", Linux 5.9). The source is put back to that.

A forecast is the boot with gzip on that card, the copying at the rate of the gzip row, and what the model says of
unpacking beyond gzip. The time that U-Boot and the kernel take besides is in the gzip row, the only one that is given.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import msgspec
import page_part
from board_forecast import CARDS, load_ms, medium_of, table

from bootlab.collectors.costing import CLASSES, EVENTS, TICKS_PER_CYCLE, load
from bootlab.costs.cores import core_of
from bootlab.launch import emulator, plugin
from bootlab.model.machine import Machine

COMPRESSORS = ("gzip", "lzma", "xz", "lzo", "lz4")
CORE = "cortex-a8@1GHz"
PIECE = 1 << 16
GZIP_BYTES = 2_350_336
ROOM = 6_000
"""What the decompressor adds to what gzip made, about."""
RAM_END_MIB = 3072
LOADED_AT = 0xC2000000
# movw r0, #8; movt r0, #0x8400; hvc #0; b .: PSCI's SYSTEM_OFF in the place of the kernel's first instructions.
POWER_OFF = struct.pack("<4I", 0xE3000008, 0xE3480400, 0xE1400070, 0xEAFFFFFE)
OPTIONS = "MMU ARCH_MULTIPLATFORM ARCH_MULTI_V7 SOC_AM33XX ARCH_VIRT AUTO_ZRELADDR AEABI USE_OF KERNEL_GZIP"
MARKS = ("<!-- am335x unpacking -->\n", "<!-- end of am335x unpacking -->\n")
INLINED = re.compile(r"#define LZ4_mem(cpy|move)\(dst, src, size\) __builtin_mem(cpy|move)\(dst, src, size\)")
BUILD = "only: ; $(Q)$(MAKE) $(build)=arch/arm/boot/compressed arch/arm/boot/compressed/vmlinux"


class Unpacked(msgspec.Struct, frozen=True, kw_only=True):
    """One compressor. Milliseconds at the model's two ends."""

    packed_bytes: int
    instructions: int
    low_ms: float
    high_ms: float
    classes: dict[str, int]
    events: dict[str, int]


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A run of this script."""

    core: str
    figures: list[str]
    compiler: str
    qemu: str
    unpacked_bytes: int
    rows: dict[str, Unpacked]


def image_of(kernel: Path) -> bytes:
    """Return the kernel that Debian's zImage holds (packed with xz, whose signature is in the code, too)."""
    raw, at, found = kernel.read_bytes(), -1, b""
    while (at := raw.find(b"\xfd7zXZ\0", at + 1)) >= 0:
        try:
            found = max(found, lzma.LZMADecompressor().decompress(raw[at:]), key=len)
        except lzma.LZMAError:
            continue
    return found


def payload(image: bytes) -> bytes:
    """Return pieces of the kernel that gzip packs to the table's size."""
    whole = len(image) // PIECE

    def pieces(count: int) -> bytes:
        chosen = b"".join(image[i * whole // count * PIECE :][:PIECE] for i in range(count))
        return POWER_OFF + chosen[len(POWER_OFF) :]

    low, high = 1, whole
    while high - low > 1:
        middle = (low + high) // 2
        small = len(zlib.compress(pieces(middle), 9)) + ROOM <= GZIP_BYTES
        low, high = (middle, high) if small else (low, middle)
    return pieces(low)


def prepared(linux: Path) -> dict[str, str]:
    """Configure the source once, for gzip, and put LZ4 back to what it was; return the environment to build in."""
    options = linux / "bootlab.config"
    options.write_text("".join(f"CONFIG_{name}=y\n" for name in OPTIONS.split()))
    env = os.environ | {"ARCH": "arm", "CROSS_COMPILE": "arm-linux-gnueabihf-", "KCONFIG_ALLCONFIG": str(options)}
    defines = linux / "lib/lz4/lz4defs.h"
    defines.write_text(INLINED.sub(r"#define LZ4_mem\1(dst, src, size) mem\1(dst, src, size)", defines.read_text()))
    subprocess.run(["make", "-s", "allnoconfig", "prepare"], cwd=linux, env=env, check=True)
    # The decompressor asks the whole kernel how large its .bss is.
    bss = ".globl __bss_start, __bss_stop\n.set __bss_start, 0\n.set __bss_stop, 0x100000\n"
    assemble = ["arm-linux-gnueabihf-as", "-o", "vmlinux", "-"]
    subprocess.run(assemble, cwd=linux, env=env, input=bss, text=True, check=True)
    return env


def build(linux: Path, env: dict[str, str], unpacked: bytes, compressor: str) -> bytes:
    """Return a zImage with the payload in the place of the kernel."""
    for name, line in (
        ("config/auto.conf", "CONFIG_KERNEL_{}=y"),
        ("generated/autoconf.h", "#define CONFIG_KERNEL_{} 1"),
    ):
        path = linux / "include" / name
        kind = re.escape(line).replace(r"\{\}", "(?:GZIP|LZMA|XZ|LZO|LZ4)")
        path.write_text(re.sub(rf"(?m)^{kind}$", line.format(compressor.upper()), path.read_text()))
    boot = linux / "arch/arm/boot"
    (boot / "Image").write_bytes(unpacked)
    for made in ("piggy_data", "piggy.o", "decompress.o", "vmlinux"):
        (boot / "compressed" / made).unlink(missing_ok=True)
    subprocess.run(["make", "-s", "--no-print-directory", f"--eval={BUILD}", "only"], cwd=linux, env=env, check=True)
    program, flat = boot / "compressed/vmlinux", boot / "zImage"
    subprocess.run(["arm-linux-gnueabihf-objcopy", "-O", "binary", "-S", program, flat], check=True)
    return flat.read_bytes()


def modelled(zimage: Path, built: str, arguments: tuple[str, ...], folder: Path) -> Unpacked:
    out = folder / f"{zimage.name}.cost"
    plugged = ",".join((built, f"out={out}", "every=1000000000000", *arguments))
    subprocess.run(
        [
            *("qemu-system-arm", "-M", "virt", "-cpu", "cortex-a15", "-m", str(RAM_END_MIB), "-display", "none"),
            *("-serial", "none", "-monitor", "none", "-no-reboot", "-plugin", plugged),
            *("-device", f"loader,file={zimage},addr={LOADED_AT:#x},cpu-num=0,force-raw=on"),
        ],
        check=True,
        timeout=3000,
    )
    last = load(out)[-1]
    classes, events = last.counts[: len(CLASSES)], last.counts[-len(EVENTS) :]
    return Unpacked(
        packed_bytes=zimage.stat().st_size,
        instructions=last.insns,
        low_ms=last.ticks[0] / TICKS_PER_CYCLE / 1e6,
        high_ms=last.ticks[1] / TICKS_PER_CYCLE / 1e6,
        classes={name: int(n) for name, n in zip(CLASSES, classes, strict=True) if n},
        events={name: int(n) for name, n in zip(EVENTS, events, strict=True) if n},
    )


def run(asked: argparse.Namespace) -> Kept:
    cache = Path(os.environ.get("BOOTLAB_CACHE", tempfile.gettempdir()))
    built = plugin.prepare_costing(emulator.find(Machine(arch="arm")), cache)
    if built.path is None:
        sys.exit(f"no plugin: {built.reason}")
    unpacked, core, rows = payload(image_of(asked.kernel)), core_of(CORE, "arm"), {}
    said = [
        subprocess.run([name, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
        for name in ("arm-linux-gnueabihf-gcc", "qemu-system-arm")
    ]
    env = prepared(asked.linux)
    with tempfile.TemporaryDirectory() as made:
        for compressor in COMPRESSORS:
            zimage = Path(made) / compressor
            zimage.write_bytes(build(asked.linux, env, unpacked, compressor))
            rows[compressor] = modelled(zimage, built.path, core.arguments, Path(made))
            print(f"{compressor}: {rows[compressor]}", file=sys.stderr, flush=True)
    return Kept(
        core=CORE, figures=list(core.arguments), compiler=said[0], qemu=said[1], unpacked_bytes=len(unpacked), rows=rows
    )


class Forecast(msgspec.Struct, frozen=True):
    """Milliseconds to user space."""

    low: float
    high: float
    measured: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    @property
    def error(self) -> float:
        return self.middle / self.measured - 1


def forecasts(kept: Kept, card: str) -> dict[str, Forecast]:
    """Return the five times to user space on a card; gzip's is given."""
    copies = {row["name"]: (int(row["bytes"]), float(row["measured_ms"])) for row in table(f"{CARDS[card]}-copy")}
    times = {row["name"]: float(row["measured_ms"]) for row in table(f"{CARDS[card]}-user-space")}
    medium, gzip, found = medium_of(card, *copies["gzip"]), kept.rows["gzip"], {}
    for name, row in kept.rows.items():
        copied = load_ms(medium, copies[name][0]).low - copies["gzip"][1]
        ends = (row.low_ms - gzip.low_ms, row.high_ms - gzip.high_ms)
        base = times["gzip"] + copied
        found[name] = Forecast(base + min(ends), base + max(ends), times[name])
    return found


def page(kept: Kept) -> str:
    lines = [
        "| compressor | packed bytes, beside the table's | 10^6 instructions | unpacking ms |",
        "|---|--:|--:|--:|",
    ]
    sizes = {row["name"]: int(row["bytes"]) for row in table("am335x-card-copy")}
    for name, row in kept.rows.items():
        lines.append(
            f"| {name} | {row.packed_bytes:,} ({row.packed_bytes / sizes[name] - 1:+.1%}) | "
            f"{row.instructions / 1e6:.0f} | {row.low_ms:.0f} to {row.high_ms:.0f} |"
        )
    for card in CARDS:
        found = forecasts(kept, card)
        lines += ["", f"| {card} | forecast ms | measured ms | error |", "|---|--:|--:|--:|"]
        for name, one in sorted(found.items(), key=lambda pair: -abs(pair[1].error)):
            if name == "gzip":
                continue
            error = f"{one.error:+.1%}" if one.low <= one.measured <= one.high else f"**{one.error:+.1%}**"
            lines.append(f"| {name} | {one.low:.0f} to {one.high:.0f} | {one.measured:.0f} | {error} |")
        said = " < ".join(name for name, one in sorted(found.items(), key=lambda pair: pair[1].middle))
        real = " < ".join(name for name, one in sorted(found.items(), key=lambda pair: pair[1].measured))
        lines += ["", f"Ranking forecast: {said}; measured: {real}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--linux", type=Path)
    parser.add_argument("--kernel", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--page", type=Path, help="write the tables into a page")
    asked = parser.parse_args()
    if not asked.show and not (asked.linux and asked.kernel):
        parser.error("--linux and --kernel, or --show")
    kept = msgspec.json.decode(asked.show.read_bytes(), type=Kept) if asked.show else run(asked)
    if asked.keep:
        asked.keep.write_text(json.dumps(msgspec.to_builtins(kept), indent=1) + "\n")
    page_part.put_or_print(asked.page, MARKS, page(kept))


if __name__ == "__main__":
    main()
