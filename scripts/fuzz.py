#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the fuzz targets of the Rust crates and keeps their figures in docs/explanation/fuzzing.md.

Executions are run in chunks, one target after the other, so that a fault in any of them shows early. What a chunk did
is added to docs/explanation/fuzzing.json at once; a run that is ended goes on where it was. Chunks differ in what is
looked at: see `Plan`.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import datetime
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
CRATES = ("boottrace", "kernelimage", "kernelsource")
FIGURES = ROOT / "docs/explanation/fuzzing.json"
PAGE = ROOT / "docs/explanation/fuzzing.md"
BEGIN, END = "<!-- figures: written by scripts/fuzz.py -->", "<!-- end of figures -->"
#: Targets that take what is there for another one.
DICTIONARIES = {
    "kernel": ("boot_log", "kernel_messages", "firmware_tables", "lava_job", "comparison"),
    "ftrace": ("function_graph", "function_graph_batches", "ftrace_events", "perf_script"),
    "reports": ("kfi", "kd", "show_delta", "bootchart_files"),
    "systemd": ("systemd_analyze", "systemd_plot", "systemd_plot_json", "journal"),
    "json": ("dmesg_json",),
    "binary": ("trace_dat", "trace_dat_ring", "bootchart", "bzimage", "elf", "kallsyms", "image"),
    "text": ("config", "symbol_text"),
    "c": ("source",),
}
SEEDS_OF = {"function_graph_batches": "function_graph"}
#: Targets that get the seeds of all others.
ALL_SEEDS = ("any_format", "detection")
#: Bytes of a short input: what does not fit is not worth running ten million times.
SHORT_BYTES = {
    "trace_dat": 8192,
    "kallsyms": 6144,
    "image": 4096,
    "bootchart": 4096,
    "elf": 2048,
    "bzimage": 1024,
    "exporters": 96,
}
DEFAULT_SHORT_BYTES, LONG_FACTOR, LINE_BYTES = 512, 8, 192
#: What libFuzzer spends more time on than the parsers do: how often an edge was taken, and which inputs are rare.
FAST = ("-use_counters=0", "-entropic=0", "-reduce_inputs=0")
Plan = Literal["long", "thorough", "fast"]
"""Of each forty chunks one has inputs eight times as long, five keep an input for each count of an edge, and the others
only for new edges, with inputs of two or three lines: twice to three times the rate."""
STATISTIC = re.compile(rb"^stat::(\w+):\s+(\d+)", re.MULTILINE)
STATE = re.compile(rb"cov: (\d+) ft: (\d+)(?: corp: (\d+))?")


def crate_of(target: str) -> str:
    """The crate whose target it is."""
    for crate in CRATES:
        if (ROOT / f"crates/{crate}/fuzz/fuzz_targets/{target}.rs").exists():
            return crate
    raise SystemExit(f"no fuzz target `{target}`; `scripts/fuzz.py --list` names them")


def targets() -> list[str]:
    """All targets, crate by crate."""
    return [path.stem for crate in CRATES for path in sorted((ROOT / f"crates/{crate}/fuzz/fuzz_targets").glob("*.rs"))]


def feeds(target: str) -> str:
    """What a target feeds: the first line of its documentation."""
    path = ROOT / f"crates/{crate_of(target)}/fuzz/fuzz_targets/{target}.rs"
    return path.read_text().splitlines()[0].removeprefix("//! ").rstrip(".")


def fuzz_directory(target: str) -> Path:
    """The fuzz package of a target."""
    return ROOT / "crates" / crate_of(target) / "fuzz"


def program(target: str) -> Path:
    """The built target."""
    return fuzz_directory(target) / "target/x86_64-unknown-linux-gnu/release" / target


def build(crate: str, chosen: list[str]) -> None:
    """Builds the chosen targets of a crate with assertions and overflow checks, without a sanitizer: there is no
    `unsafe`. Comparisons are not traced, which doubles the rate: the dictionaries have the words instead."""
    flags = ["-O", "-a", "--sanitizer", "none", "--no-trace-compares", "--target", "x86_64-unknown-linux-gnu"]
    # Where the programs are looked for below; a caller's own target directory would hold them elsewhere.
    surroundings = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"}
    every = {target for target in targets() if crate_of(target) == crate} <= set(chosen)
    for one in [[]] if every else [[target] for target in chosen]:
        call = ["cargo", "+nightly", "fuzz", "build", *flags, *one]
        subprocess.run(call, cwd=ROOT / "crates" / crate, check=True, env=surroundings)
    directory = ROOT / "crates" / crate / "fuzz"
    # What is text stands in seeds/ as it is.
    if (directory / "examples/seeds.rs").exists():
        seeds = ["cargo", "run", "-q", "--example", "seeds", "--", "corpus"]
        subprocess.run(seeds, cwd=directory, check=True, env=surroundings)


def corpus(target: str) -> Path:
    """The corpus of a target, with the seeds in it."""
    directory = fuzz_directory(target)
    found = directory / "corpus" / target
    found.mkdir(parents=True, exist_ok=True)
    sources = [directory / "seeds" / SEEDS_OF.get(target, target)]
    if target in ALL_SEEDS:
        sources = sorted((directory / "seeds").iterdir())
    if target == "boot_log" or target in ALL_SEEDS:
        sources += sorted((ROOT / "crates/boottrace/tests/golden").iterdir())
    for source in sources:
        for seed in sorted(source.glob("*")) if source.is_dir() else ():
            if seed.suffix != ".json" or source.parent.name == "seeds":
                shutil.copy(seed, found / f"{source.name}-{seed.name}")
    return found


def plan_of(chunk_number: int) -> Plan:
    """What the chunk of this number is for."""
    if chunk_number % 40 == 39:
        return "long"
    return "thorough" if chunk_number % 8 == 0 else "fast"


def command(target: str, runs: int, plan: Plan) -> list[str]:
    """libFuzzer's command line for one chunk."""
    length = SHORT_BYTES.get(target, LINE_BYTES if plan == "fast" else DEFAULT_SHORT_BYTES)
    length *= LONG_FACTOR if plan == "long" else 1
    directory = fuzz_directory(target)
    artifacts = directory / "artifacts" / target
    artifacts.mkdir(parents=True, exist_ok=True)
    line = [str(program(target)), f"-runs={runs}", f"-max_len={length}", "-timeout=10", "-rss_limit_mb=1024"]
    line += ["-print_final_stats=1", "-reload=0", "-verbosity=1", f"-artifact_prefix={artifacts}/"]
    line += FAST if plan == "fast" else ()
    for name, users in DICTIONARIES.items():
        if target in users and (directory / f"dictionaries/{name}.dict").exists():
            line.append(f"-dict={directory}/dictionaries/{name}.dict")
    return [*line, str(corpus(target))]


def chunk(target: str, runs: int, plan: Plan) -> dict[str, int] | str:
    """Runs one chunk; its figures, or the end of libFuzzer's message when it found something."""
    begin = time.monotonic()
    done = subprocess.run(command(target, runs, plan), capture_output=True, check=False)
    figures = {name.decode(): int(value) for name, value in STATISTIC.findall(done.stderr)}
    if done.returncode or "number_of_executed_units" not in figures:
        text = done.stderr.decode(errors="replace")
        at = text.find(" panicked at ")
        return text[at : at + 1500] if at >= 0 else text[-1500:]
    state = STATE.findall(done.stderr)[-1]
    return {
        "executions": figures["number_of_executed_units"],
        "milliseconds": round((time.monotonic() - begin) * 1000),
        "slowest_s": figures["slowest_unit_time_sec"],
        "peak_mb": figures["peak_rss_mb"],
        "edges": int(state[0]),
        "features": int(state[1]),
    }


def commit() -> str:
    """The commit that the sources were at."""
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, check=False)
    return done.stdout.decode().strip() or "unknown"


class Book:
    """The kept figures."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, object]] = {}
        self.load()

    def load(self) -> None:
        """Reads what is kept: another run of this script may have added to it."""
        self.rows = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}

    def executions(self, target: str) -> int:
        """How many a target has had."""
        return int(str(self.rows.get(target, {}).get("executions", 0)))

    def add(self, target: str, new: dict[str, int], plan: Plan) -> None:
        """Adds a chunk."""
        with self.alone():
            self._add(target, new, plan)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Holds off other runs from reading to writing."""
        with (ROOT / "crates/.fuzzing.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.load()
            yield
            self.save()

    def _add(self, target: str, new: dict[str, int], plan: Plan) -> None:
        row = self.rows.setdefault(target, {"executions": 0, "long": 0, "seconds": 0.0})
        count = new["executions"]
        row["executions"] = self.executions(target) + count
        row["long"] = int(str(row["long"])) + (count if plan == "long" else 0)
        row["seconds"] = round(float(str(row["seconds"])) + new["milliseconds"] / 1000, 1)
        for name in ("slowest_s", "peak_mb", "edges", "features"):
            row[name] = max(int(str(row.get(name, 0))), new[name])
        files = [path.stat().st_size for path in (fuzz_directory(target) / "corpus" / target).iterdir()]
        row |= {"corpus_files": len(files), "corpus_bytes": sum(files)}
        row |= {"date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(), "commit": commit()}

    def forget(self, target: str) -> None:
        """Starts a target at zero."""
        with self.alone():
            self.rows.pop(target, None)

    def save(self) -> None:
        """Writes the file, and the table in the page."""
        partial = FIGURES.with_suffix(".tmp")
        partial.write_text(json.dumps(dict(sorted(self.rows.items())), indent=1) + "\n")
        partial.replace(FIGURES)
        page = PAGE.read_text()
        before, rest = page.split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{self.table()}{END}{rest.split(END)[1]}")

    def table(self) -> str:
        """The figures as Markdown."""
        lines = []
        for crate in CRATES:
            columns = (
                "Target",
                "What it feeds",
                "Executions",
                "per second",
                "long inputs",
                "edges",
                "corpus",
                "memory",
                "date",
            )
            lines += [f"\n### {crate}\n", f"| {' | '.join(columns)} |", "|---|---|---:|---:|---:|---:|---:|---:|---|"]
            for target in (name for name in targets() if crate_of(name) == crate and name in self.rows):
                row = self.rows[target]
                count, seconds = self.executions(target), float(str(row["seconds"]))
                kept = f"{row['corpus_files']:,} files, {int(str(row['corpus_bytes'])) / 1024:,.0f} KiB"
                cells = [
                    f"`{target}`",
                    feeds(target),
                    f"{count:,}",
                    f"{count / max(seconds, 1):,.0f}",
                    f"{row['long']:,}",
                ]
                cells += [f"{row['edges']:,}", kept, f"{row['peak_mb']} MB", str(row["date"])]
                lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines) + "\n"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help="targets (default: all)")
    parser.add_argument("--executions", type=int, default=10_000_000, help="of each target (default: %(default)s)")
    parser.add_argument("--more", type=int, default=0, help="executions on top of what each target has had")
    parser.add_argument("--chunk", type=int, default=250_000, help="executions of one process (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once (default: %(default)s)")
    parser.add_argument("--fresh", action="store_true", help="start the figures of these targets at zero")
    parser.add_argument("--no-build", action="store_true", help="run what was built before")
    parser.add_argument("--list", action="store_true", help="name the targets and end")
    given = parser.parse_args()
    if given.list:
        print(*(f"{name:24} {feeds(name)}" for name in targets()), sep="\n")
        return 0
    chosen = given.targets or targets()
    if not given.no_build:
        for crate in sorted({crate_of(target) for target in chosen}):
            build(crate, [target for target in chosen if crate_of(target) == crate])
    book, failed = Book(), set()
    if given.fresh:
        for target in chosen:
            book.forget(target)
    goal = {t: book.executions(t) + given.more if given.more else given.executions for t in chosen}
    while open_targets := [t for t in chosen if t not in failed and book.executions(t) < goal[t]]:

        def run(target: str) -> tuple[str, Plan, dict[str, int] | str]:
            plan = plan_of(book.executions(target) // given.chunk)
            left = goal[target] - book.executions(target)
            return target, plan, chunk(target, min(given.chunk, left), plan)

        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for future in concurrent.futures.as_completed([pool.submit(run, target) for target in open_targets]):
                target, plan, new = future.result()
                if isinstance(new, str):
                    failed.add(target)
                    print(f"{target}: FOUND\n{new}", flush=True)
                else:
                    book.add(target, new, plan)
                    print(f"{target}: {book.executions(target):,} executions, {new}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
