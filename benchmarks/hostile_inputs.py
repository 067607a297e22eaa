# SPDX-License-Identifier: MIT
"""Time and memory of the reader on inputs that are made to use up a machine, each at two sizes.

    python3 benchmarks/hostile_inputs.py [--megabytes 1024] [--only NAME]

Inputs are written into a pipe as they are read, so they need no room on the disk. Time is processor time of the
reader; the growth is from a quarter of the size to the whole, 4 where time grows with the size. Writes the table into
docs/explanation/fuzzing.md.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import lzma
import os
import re
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs/explanation/fuzzing.md"
BEGIN, END = "<!-- sizes: written by benchmarks/hostile_inputs.py -->", "<!-- end of sizes -->"
MEGABYTE = 1 << 20
BANNER = b"[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n"
GRAPH = (
    b"    1.000000 |   0)  swapper-1   |               |  probe_hwif() {\n"
    b"    1.000001 |   0)  swapper-1   | # 5000.000 us |    ide_delay();\n"
    b"    1.010010 |   0)  swapper-1   | * 10010.000 us |  }\n"
)


def repeated(piece: bytes, size: int) -> Iterator[bytes]:
    """`piece` again and again, about `size` bytes."""
    block = piece * max(1, MEGABYTE // len(piece))
    for _ in range(max(1, size // len(block))):
        yield block


def headed(head: bytes, piece: bytes) -> Callable[[int], Iterator[bytes]]:
    """`head`, then `piece` again and again."""

    def chunks(size: int) -> Iterator[bytes]:
        yield head
        yield from repeated(piece, size)

    return chunks


def ordinary(size: int) -> Iterator[bytes]:
    """One boot with lines as a kernel prints them."""
    yield BANNER
    written = number = 0
    while written < size:
        lines = b"".join(
            b"[%5d.%06d] usb 1-%d: new high-speed USB device number %d using xhci_hcd\n"
            % (n // 1000, n % 1000 * 997, n % 9, n)
            for n in range(number, number + 10_000)
        )
        number += 10_000
        written += len(lines)
        yield lines


def packed(pack: Callable[[bytes], bytes]) -> Callable[[int], Iterator[bytes]]:
    """Archives of zeros one behind the other, `size` bytes unpacked."""

    def chunks(size: int) -> Iterator[bytes]:
        archive = pack(b"\0" * (16 * MEGABYTE))
        for _ in range(max(1, size // (16 * MEGABYTE))):
            yield archive

    return chunks


def nested(size: int) -> Iterator[bytes]:
    """An archive of an archive of `size` zeros."""
    yield gzip.compress(gzip.compress(b"\0" * size))


def cut_off(size: int) -> Iterator[bytes]:
    """An archive of a boot log, without its end."""
    packer = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    for chunk in ordinary(size):
        yield packer.compress(chunk)


INPUTS: dict[str, tuple[str, Callable[[int], Iterator[bytes]]]] = {
    "line": ("one line without an end", headed(BANNER[:-1], b"x")),
    "boots": ("a boot on every line", headed(b"", BANNER)),
    "log": ("one boot with ordinary lines", ordinary),
    "nul": ("NUL bytes", headed(BANNER, b"\0")),
    "newlines": ("line ends", headed(BANNER, b"\n")),
    "returns": ("carriage returns", headed(BANNER, b"\r")),
    "escapes": ("terminal sequences", headed(BANNER, b"\x1b[0;1m")),
    "stamps": ("stamps that ran into each other", headed(BANNER, b"[    0.100000] ")),
    "graph": ("function_graph text", headed(b"# tracer: function_graph\n", GRAPH)),
    "graph-line": ("function_graph, one line", headed(b"# tracer: function_graph\n", b"x")),
    "deep": ("function_graph, calls that never end", headed(b"# tracer: function_graph\n", b" 0) |  f() {\n")),
    "gzip": ("zeros in gzip archives", packed(gzip.compress)),
    "xz": ("zeros in xz archives", packed(lzma.compress)),
    "nested": ("zeros in a gzip archive in a gzip archive", nested),
    "cut": ("one boot with ordinary lines in a gzip archive, cut off", cut_off),
}


class Peak(threading.Thread):
    """Watches the largest memory of a process: what wait4() says contains that of the process that started it."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.status, self.megabytes = Path(f"/proc/{pid}/status"), 0.0

    def run(self) -> None:
        """Looks until the process has gone."""
        while True:
            try:
                found = re.search(r"VmHWM:\s*(\d+) kB", self.status.read_text())
            except OSError:
                return
            if not found:
                return
            self.megabytes = max(self.megabytes, int(found[1]) / 1024)
            time.sleep(0.002)


def run(program: Path, chunks: Iterator[bytes]) -> tuple[float, float, dict[str, object]]:
    """Processor seconds, peak megabytes, and what the document says of its input."""
    out = io.BytesIO()
    with subprocess.Popen([str(program), "--json", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        peak = Peak(process.pid)
        peak.start()
        with contextlib.suppress(BrokenPipeError):  # It may have had enough.
            for chunk in chunks:
                process.stdin.write(chunk)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        out.write(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    peak.join()
    if process.returncode:
        raise SystemExit(f"{program} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, peak.megabytes, json.loads(out.getvalue())


def account(document: dict[str, object]) -> str:
    """What was left out, in short."""
    notes = document["input"]
    assert isinstance(notes, dict)
    skipped = document["skipped"]
    assert isinstance(skipped, list)
    said = [str(problem) for problem in notes.get("problems", [])]
    said += [f"{row['count']:,} {row['reason']}" for row in skipped]
    return "; ".join(said[:4]) or "nothing"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--only", choices=sorted(INPUTS), action="append")
    parser.add_argument("--program", type=Path, help="the example `analyze`, built already")
    options = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    program = options.program or target / "release/examples/analyze"
    if not options.program:
        build = ["cargo", "build", "--release", "-q", "-p", "boottrace", "--example", "analyze"]
        subprocess.run(build, cwd=REPOSITORY, check=True)
    lines = [
        "| input | size, unpacked | processor time | peak memory | growth for 4 times the size | left out |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for name in options.only or INPUTS:
        text, make = INPUTS[name]
        quarter_s, _, _ = run(program, make(options.megabytes * MEGABYTE // 4))
        seconds, peak_mb, document = run(program, make(options.megabytes * MEGABYTE))
        growth = seconds / max(quarter_s, 0.01)
        size = f"{options.megabytes:,} MiB"
        lines.append(f"| {text} | {size} | {seconds:.2f} s | {peak_mb:.0f} MB | {growth:.1f} | {account(document)} |")
        print(lines[-1], flush=True)
    if not options.only:
        page = PAGE.read_text()
        before, rest = page.split(BEGIN)
        table = "\n".join(lines)
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
