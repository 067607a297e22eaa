#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that boots are made of, forecast by the model of this machine's processor, and held against this machine.

    python benchmarks/program_times.py --core x86-large --runs 25 --keep benchmarks/program-times/golden-cove.json
    bootlab board calibrate -o this.toml; python benchmarks/program_times.py --core this.toml --native KEPT.json
    python benchmarks/program_times.py --show KEPT.json --page docs/explanation/board-time.md \
        --seen python/bootlab/costs/seen.toml

Each program runs natively, many times; its time is the least processor time (user and system). Then it runs once in
QEMU's user mode (Debian: qemu-user) with the plugin of `bootlab boot --costing`, and the core's file gives the
forecast. The clock is measured: dependent multiplications, the most a second of many runs; a core that was measured
here (`--core FILE`) has its own. Nothing is fitted.

With `--memory` the sizes of this machine's caches are taken as its kernel tells them, and latencies are measured
first, by a chase of pointers through 0.25, 4, 16 and 64 MiB: they stand in the place of the published ones. No
program's time goes into them.

Beside it: what instructions alone would say, each program's from the median time an instruction takes in the others.

Not seen: the kernel's part of a program's time (its share is shown), and that the C library takes other functions on a
processor with AVX-512, which this QEMU has not; natively they are switched off too.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import page_part
from processor_here import PLAIN, cache_words, clock_ghz, memory_ns, processor_ns, this_processor
from program_rows import MARKS, Kept, Row, page
from program_widths import seen_of, seen_text

from bootlab.collectors.costing import EVENTS, TICKS_PER_CYCLE, CostSums, load
from bootlab.costs.cores import core_of, is_file
from bootlab.launch import emulator, plugin
from bootlab.model.costs import Between
from bootlab.model.machine import Machine

MIB = 1 << 20
LOOP = "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); case $i in *99) x=$i;; esac; done"
CLASSES = "class A:\n def __init__(s,v): s.v=v\nprint(sum(A(i).v for i in range(60000)))"
DICTS = "d={}\nfor i in range(90000): d[str(i)]=i\nprint(len(sorted(d)))"
REGEX = "import re,sys\nprint(len(re.findall(r'[A-Z]\\\\w+ing', open('text').read())))"
PERL = "my %h; $h{$_ % 977} .= chr(65 + $_ % 26) for 1..120000; print scalar keys %h"
SQL = (
    "create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<20000) "
    "insert into t select x, x*7%1000 from c; select b, count(*) from t group by b order by 2 limit 3;"
)

# What each needs stands in the folder: `blob` (machine code), `text`, packed files of both, `tree.cpio`.
PROGRAMS: dict[str, list[str]] = {
    "gzip -9": ["gzip", "-9c", "small"],
    "gzip -d": ["gzip", "-dc", "blob.gz"],
    "bzip2 -d": ["bzip2", "-dc", "blob.bz2"],
    "xz -d": ["xz", "-dc", "blob.xz"],
    "lzma -d": ["xz", "--format=lzma", "-dc", "blob.lzma"],
    "lz4 -d": ["lz4", "-dc", "large.lz4"],
    "zstd -d": ["zstd", "-dcq", "large.zst"],
    "zstd -19": ["zstd", "-19", "-cq", "--single-thread", "small"],
    "lzop -d": ["lzop", "-dc", "large.lzo"],
    "cpio -t": ["cpio", "-t", "-F", "tree.cpio"],
    "tar -t": ["tar", "-tf", "tree.tar"],
    "sha256sum": ["busybox", "sha256sum", "blob"],
    "sha512sum": ["sha512sum", "blob"],
    "md5sum": ["md5sum", "large"],
    "cksum (CRC)": ["cksum", "large"],
    "base64": ["base64", "large"],
    "sort": ["sort", "words"],
    "sort -n": ["sort", "-n", "numbers"],
    "uniq -c": ["uniq", "-c", "words"],
    "grep -E": ["grep", "-Ec", "(alpha|[a-f]+9[0-9]*z)", "text"],
    "sed": ["sed", "-n", "s/\\([a-z]*\\) the \\([a-z]*\\)/\\2 \\1/p", "text"],
    "awk": ["mawk", "{n[$1]++; s+=length($0)} END {for (k in n) c++; print c, s}", "text"],
    "wc": ["wc", "text"],
    "tr": ["busybox", "tr", "a-z", "A-Z"],
    "od": ["od", "-tx1", "small"],
    "diff": ["diff", "words", "words2"],
    "dash, a loop": ["dash", "-c", LOOP],
    "bash, a loop": ["bash", "-c", LOOP],
    "busybox sh, a loop": ["busybox", "sh", "-c", LOOP],
    "python3, start": ["/usr/bin/python3", "-c", "import json, subprocess"],
    "python3, objects": ["/usr/bin/python3", "-c", CLASSES],
    "python3, a dictionary": ["/usr/bin/python3", "-c", DICTS],
    "perl": ["perl", "-e", PERL],
    "sqlite3": ["sqlite3", ":memory:", SQL],
    "readelf -a": ["readelf", "-aW", "elf"],
    "nm -D": ["nm", "-D", "elf"],
    "strings": ["strings", "large"],
    "objdump -d": ["objdump", "-d", "--stop-address=0x60000", "elf"],
    "dtc": ["dtc", "-q", "-I", "dts", "-O", "dtb", "board.dts"],
}


def prepare(folder: Path) -> None:
    large = b"".join(Path(p).read_bytes() for p in ("/usr/bin/perl", "/bin/bash", "/usr/bin/git"))[: 6 * MIB]
    (folder / "large").write_bytes(large)
    (folder / "blob").write_bytes(large[: 2 * MIB])
    (folder / "small").write_bytes(large[: MIB // 2])
    (folder / "elf").write_bytes(Path("/usr/bin/git").read_bytes())
    licences = sorted(p for p in Path("/usr/share/common-licenses").iterdir() if p.is_file())
    text = b"".join(p.read_bytes() for p in licences) * 20
    (folder / "text").write_bytes(text[: 3 * MIB])
    words = text.split()[:60000]
    (folder / "words").write_bytes(b"\n".join(words) + b"\n")
    (folder / "words2").write_bytes(b"\n".join(w for i, w in enumerate(words) if i % 37) + b"\n")
    numbers = [(i * 2654435761) % 1000003 for i in range(40000)]
    (folder / "numbers").write_text("\n".join(map(str, numbers)) + "\n")
    nodes = "".join(f'n{i} {{ reg = <{i} 4>; compatible = "a,b{i}"; }};\n' for i in range(3000))
    (folder / "board.dts").write_text(f"/dts-v1/;\n/ {{\n{nodes}}};\n")
    tree = folder / "tree"
    tree.mkdir()
    for i in range(6000):
        (tree / f"file-{i}").write_bytes(b"x" * (i % 300))
    for command in (
        "gzip -k blob", "bzip2 -k blob", "xz -k blob", "xz -k --format=lzma blob", "lz4 -q large large.lz4",
        "zstd -q large", "lzop -q large", "find tree | cpio -o --quiet -H newc > tree.cpio", "tar -cf tree.tar tree",
    ):  # fmt: skip
        subprocess.run(command, shell=True, cwd=folder, check=True)


class Modelled(msgspec.Struct, frozen=True, kw_only=True):
    """How a program's time is forecast."""

    plugin: str
    arguments: tuple[str, ...]
    ghz: Between


def run(asked: argparse.Namespace) -> Kept:
    cache = Path(os.environ.get("BOOTLAB_CACHE", tempfile.gettempdir()))
    built = plugin.prepare_costing(emulator.find(Machine(arch="x86_64")), cache)
    if built.path is None:
        sys.exit(f"no plugin: {built.reason}")
    before = msgspec.json.decode(asked.native.read_bytes(), type=Kept) if asked.native else None
    known = {row.program: row for row in before.rows if not row.differs} if before else {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        prepare(folder)
        ghz = before.ghz if before else clock_ghz(folder)
        memory = memory_ns(folder) if asked.memory else {}
        shapes = cache_words() if asked.memory else []
        measured = is_file(asked.core)
        core = core_of(asked.core if measured else f"{asked.core}@{ghz:.3f}GHz", "x86_64")
        words = [f"{name}={low * ghz:.4f}:{high * ghz:.4f}" for name, (low, high) in memory.items()]
        modelled = Modelled(plugin=built.path, arguments=(*core.arguments, *words, *shapes), ghz=core.ghz)
        print(f"{ghz:.3f} GHz {memory}", file=sys.stderr)
        chosen = {name: command for name, command in PROGRAMS.items() if not asked.only or name in asked.only}
        if before:  # another machine's times are not to be mixed with this one's
            chosen = {name: command for name, command in chosen.items() if name in known}
        # The shortest first, as far as is known: a run that is broken off has most of them.
        size = {name: known[name].instructions if name in known else 0 for name in chosen}
        chosen = dict(sorted(chosen.items(), key=lambda one: size[one[0]]))
        native = {
            name: (known[name].native_ns, known[name].kernel_share)
            if before
            else processor_ns(command, folder, asked.runs)
            for name, command in chosen.items()
        }
        version = subprocess.run(["qemu-x86_64", "--version"], capture_output=True, text=True, check=True)
        kept = Kept(
            processor=before.processor if before else this_processor(), ghz=ghz,
            core="measured" if measured else asked.core,
            runs=before.runs if before else asked.runs, qemu=version.stdout.splitlines()[0], rows=[], memory_ns=memory,
        )  # fmt: skip
        with ThreadPoolExecutor(asked.jobs) as pool:
            for found in pool.map(lambda one: row(one[0], one[1], folder, native[one[0]], modelled), chosen.items()):
                kept.rows.append(found)
                keep(kept, asked.keep)
    return kept


def keep(kept: Kept, path: Path | None) -> None:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(msgspec.to_builtins(kept), indent=1) + "\n")


def row(name: str, command: list[str], folder: Path, native: tuple[float, float], modelled: Modelled) -> Row:
    native_ns, share = native
    out = folder / f"cost-{re.sub('[^a-z0-9]', '-', name)}.bin"
    program = shutil.which(command[0]) or command[0]
    options = ",".join((modelled.plugin, f"out={out}", "every=1000000000000", *modelled.arguments))
    with (folder / "large").open("rb") as given:
        done = subprocess.run(
            ["qemu-x86_64", "-cpu", "max", "-plugin", options, program, *command[1:]], cwd=folder, env=PLAIN,
            stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    # A process leaves a record at its end: one with children leaves several, one with threads none.
    records = load(out) if out.stat().st_size else ()
    last = records[-1] if records else CostSums(0, 0, (0, 0), (0,) * len(EVENTS))
    differs = f"{len(records)} records" if len(records) != 1 else ""
    low, high = (
        t / TICKS_PER_CYCLE / ghz for t, ghz in zip(last.ticks, (modelled.ghz.high, modelled.ghz.low), strict=True)
    )
    events = {key: int(count) for key, count in zip(EVENTS, last.counts[-len(EVENTS) :], strict=True)}
    found = Row(
        program=name, native_ns=native_ns, kernel_share=share, instructions=last.insns, low_ns=low, high_ns=high,
        events=events, differs=f"ended with {done.returncode}" if done.returncode not in {0, 1} else differs,
    )  # fmt: skip
    times = f"{native_ns / 1e6:8.2f} ms  {low / 1e6:8.2f} to {high / 1e6:8.2f}"
    print(f"{name:24} {times}  {found.error:+.1%} {found.differs}", file=sys.stderr, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--core", default="x86-large")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--memory", action="store_true", help="measure this machine's latencies first")
    parser.add_argument("--native", type=Path, help="take the native times from a kept run")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--beside", type=Path, action="append", default=[], help="another kept run, in a line")
    parser.add_argument("--seen", type=Path, help="write how far the model was off")
    asked = parser.parse_args()
    kept = msgspec.json.decode(asked.show.read_bytes(), type=Kept) if asked.show else run(asked)
    beside = [msgspec.json.decode(one.read_bytes(), type=Kept) for one in asked.beside]
    keep(kept, asked.keep)
    if asked.seen:
        right = [one for one in kept.rows if not one.differs]
        asked.seen.write_text(seen_text(seen_of(kept.core, kept.processor, right)), encoding="utf-8")
    if asked.page:
        page_part.put(asked.page, MARKS, page(kept, beside))
    else:
        print(page(kept, beside))


if __name__ == "__main__":
    main()
