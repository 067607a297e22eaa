# SPDX-License-Identifier: MIT
"""Speed of the readers beside their peers, in one run on generated files.

    python3 benchmarks/trace_function_graph.py [--lines 1000000] [--seed 1] [--shape code|random] [--keep FILE]
    python3 benchmarks/trace_function_graph.py --trace FILE [--dmesg FILE]
    python3 benchmarks/trace_function_graph.py --log-only [--dmesg FILE]

Programs run one after the other in rounds. Ratios are medians over the rounds, each of two runs that followed one
another: on a machine that others use, a disturbance then meets both, and processor seconds say more than wall seconds.
bootgraph.py runs once and is compared with the median of the others.

Peers that are present take part: `wc -l` always; `bootlab analyze` from PATH or BOOTLAB; pm-graph's bootgraph.py by
BOOTGRAPH_PY; the kernel's bootgraph.pl by BOOTGRAPH_PL or from /usr/src, on a small generated dmesg; `trace-cmd report`
on a generated trace.dat.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
HEADER = """# tracer: function_graph
#
#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS
#      |          |     |    |           |   |                     |   |   |   |
"""


def mark(duration_us: float) -> str:
    """The overhead mark of `trace_find_mark()`."""
    for limit, sign in ((1e6, "$"), (1e5, "@"), (1e4, "*"), (1e3, "#"), (1e2, "!"), (10, "+")):
        if duration_us > limit:
            return sign
    return " "


def duration(duration_us: float) -> str:
    """A duration as `trace_print_graph_duration()` prints it: seven digits at most, eight columns."""
    whole, part = divmod(round(duration_us * 1000), 1000)
    digits = str(whole)
    if len(digits) < 7:
        digits += f".{part:03d}"[: 8 - len(digits)]
    return f"{digits} us {' ' * (8 - len(digits))}"


def write_trace(path: Path, lines: int, seed: int, shape: str) -> list[tuple[float, float, str]]:
    """Writes about `lines` lines of a boot's function_graph text; gives the initcalls as start, end (seconds), name."""
    chance = random.Random(seed)
    names = [
        f"{a}_{b}_{c}"
        for a in ("usb", "pci", "mmc", "clk", "gpio", "net", "of", "acpi", "dma", "irq")
        for b in ("get", "register", "probe", "read", "lookup", "alloc")
        for c in ("device", "bus", "node", "one", "state")
    ]
    # A function calls its own few callees, as code does; with "random" any function calls any other, which makes nearly
    # every call path a new one.
    callees = {name: names if shape == "random" else chance.sample(names, chance.randint(1, 6)) for name in names}
    now_us = [100_000.0]
    initcalls: list[tuple[float, float, str]] = []
    written = 0
    chunk: list[str] = []
    with path.open("w", encoding="ascii") as out:
        out.write(HEADER)

        def row(cpu: int, proc: str, duration_us: float | None, depth: int, text: str) -> None:
            nonlocal written
            shown = " " * 14 if duration_us is None else f"{mark(duration_us)} {duration(duration_us)}"
            at = f"{now_us[0] / 1e6:12.6f}"
            chunk.append(f"{at} |  {cpu:2d})  {proc:^13} | {shown}|  {'  ' * depth}{text}\n")
            written += 1
            if len(chunk) >= 4096:
                out.writelines(chunk)
                chunk.clear()

        def call(cpu: int, proc: str, depth: int, name: str) -> None:
            if depth > 9 or chance.random() < 0.55:
                took = chance.expovariate(1 / 0.8) + 0.05
                row(cpu, proc, took, depth, f"{name}();")
                now_us[0] += took
                return
            start_us = now_us[0]
            row(cpu, proc, None, depth, f"{name}() {{")
            now_us[0] += 0.2
            for _ in range(chance.randint(1, 4)):
                call(cpu, proc, depth + 1, chance.choice(callees.get(name, names[:4])))
            now_us[0] += 0.2
            row(cpu, proc, now_us[0] - start_us, depth, f"}} /* {name} */")

        number = 0
        while written < lines:
            number += 1
            cpu, proc = (0, "swapper/0-1") if number % 7 else (1, f"kworker-{30 + number % 5}")
            name = f"driver{number}_init"
            start_us = now_us[0]
            row(cpu, proc, None, 0, "do_one_initcall() {")
            target = written + 500
            while written < min(target, lines):
                call(cpu, proc, 1, name if written % 50 == 0 else chance.choice(names[:40]))
            row(cpu, proc, now_us[0] - start_us, 0, "} /* do_one_initcall */")
            initcalls.append((start_us / 1e6, now_us[0] / 1e6, name))
        out.writelines(chunk)
    return initcalls


def write_dmesg(path: Path, initcalls: list[tuple[float, float, str]]) -> None:
    """The dmesg with initcall_debug that belongs to the trace; bootgraph.py asks for both."""
    with path.open("w", encoding="ascii") as out:
        out.write("[    0.000000] Linux version 6.12.0 (demo@demo) (gcc) #1 SMP\n")
        for start, end, name in initcalls:
            out.write(f"[{start:12.6f}] calling  {name}+0x0/0x40 @ 1\n")
            out.write(f"[{end:12.6f}] initcall {name}+0x0/0x40 returned 0 after {int((end - start) * 1e6)} usecs\n")
        out.write(f"[{initcalls[-1][1]:12.6f}] Run /init as init process\n")


class Row:
    """One program: wall seconds, processor seconds of each run, peak memory; `peer` is what it is compared with."""

    def __init__(self, name: str, command: list[str], runs: int) -> None:
        self.name, self.command, self.left = name, command, runs
        self.wall_s: list[float] = []
        self.processor_s: list[float] = []
        self.peak_kb = self.code = 0

    def run(self, folder: str) -> None:
        """Once more, unless it had its runs."""
        if self.left <= 0:
            return
        self.left -= 1
        start = time.perf_counter()
        with subprocess.Popen(
            self.command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = self.code = os.waitstatus_to_exitcode(status)
        self.wall_s.append(time.perf_counter() - start)
        self.processor_s.append(usage.ru_utime + usage.ru_stime)
        self.peak_kb = max(self.peak_kb, usage.ru_maxrss)

    def line(self, peer: Row) -> str:
        """Shortest and median seconds, and the median of the ratios."""
        cells = []
        for own, other in ((self.wall_s, peer.wall_s), (self.processor_s, peer.processor_s)):
            same_rounds = other if len(own) == len(other) else [statistics.median(other)] * len(own)
            ratio = statistics.median(mine / max(theirs, 1e-4) for mine, theirs in zip(own, same_rounds, strict=True))
            cells.append(f"{min(own):8.3f} {statistics.median(own):8.3f} {ratio:8.1f}")
        failed = f"  exit code {self.code}" if self.code else ""
        return f"{self.name:<34} {cells[0]} {cells[1]} {self.peak_kb / 1024:8.1f}{failed}"


def table(title: str, rows: list[Row], peer: Row) -> str:
    """Rows beside one of them."""
    head = f"{'min':>8} {'median':>8} {'x peer':>8}"
    lines = [f"\n{title}; peer: {peer.name}", f"{'':<34} {'wall s':^26} {'processor s':^26}"]
    lines.append(f"{'program':<34} {head} {head} {'peak MB':>8}")
    return "\n".join([*lines, *(row.line(peer) for row in rows)])


def small_dmesg(path: Path) -> None:
    """330 kB of an `initcall_debug` log, for the time that a user waits for an answer."""
    calls = [(0.5 + 0.001 * n, 0.5009 + 0.001 * n, f"driver{n}_init") for n in range(2650)]
    write_dmesg(path, calls)


def bootgraph_pl() -> str | None:
    """The kernel's own script, when it is somewhere."""
    found = [os.environ.get("BOOTGRAPH_PL", ""), *map(str, Path("/usr/src").glob("linux*/scripts/bootgraph.pl"))]
    return next((path for path in found if path and Path(path).is_file()), None)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shape", choices=("code", "random"), default="code")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--short-runs", type=int, default=20, help="rounds with the small dmesg")
    recorded = parser.add_argument_group("a recorded trace instead of a generated one")
    recorded.add_argument("--trace", type=Path, help="function_graph text of a boot, with funcgraph-abstime and -proc")
    recorded.add_argument("--dmesg", type=Path, help="the dmesg of that boot, with initcall_debug, for bootgraph.py")
    parser.add_argument("--keep", type=Path, help="write the trace here and keep it")
    parser.add_argument("--only-generate", action="store_true")
    parser.add_argument(
        "--log-only", action="store_true", help="a log with the whole commands, as a user starts them; nothing is built"
    )
    return parser.parse_args()


def whole_commands(options: argparse.Namespace) -> int:
    """How long a user waits for the account of a log: each program with its interpreter, beside an empty one."""
    with tempfile.TemporaryDirectory() as folder:
        log = options.dmesg.resolve() if options.dmesg else Path(folder) / "short.txt"
        if not options.dmesg:
            small_dmesg(log)
        empty = Row("python -c pass", [sys.executable, "-c", "pass"], options.short_runs)
        rows = [empty]
        if cli := os.environ.get("BOOTLAB") or shutil.which("bootlab"):
            rows.append(Row("bootlab analyze", [cli, "analyze", str(log)], options.short_runs))
        if script := os.environ.get("BOOTGRAPH_PY"):
            command = [sys.executable, script, "-dmesg", str(log)]
            rows.append(Row("bootgraph.py (pm-graph)", command, options.short_runs))
        if (script := bootgraph_pl()) and shutil.which("perl"):
            rows.append(Row("bootgraph.pl", ["perl", script, str(log)], options.short_runs))
        for _ in range(options.short_runs):
            for each in rows:
                each.run(folder)
        print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {options.short_runs} rounds")
        print(table(f"whole commands, log of {log.stat().st_size:,} bytes", rows, empty))
        print(table("the same", rows[1:], rows[1]))
    return 0


def main() -> int:
    options = arguments()
    if options.log_only:
        return whole_commands(options)
    with tempfile.TemporaryDirectory() as folder:
        trace = (options.trace or options.keep or Path(folder) / "trace.txt").resolve()
        dmesg = (options.dmesg or Path(folder) / "dmesg.txt").resolve()
        what = "recorded"
        if not options.trace:
            what = f"{options.lines:,} lines, seed {options.seed}, shape {options.shape}"
            write_dmesg(dmesg, write_trace(trace, options.lines, options.seed, options.shape))
        if options.only_generate:
            return 0
        build = ["cargo", "build", "--release", "-q", "-p", "boottrace", "--examples"]
        subprocess.run(build, cwd=REPOSITORY, check=True)
        target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "release/examples"
        short = Path(folder) / "short.txt"
        small_dmesg(short)

        def row(name: str, *command: object, runs: int = options.runs) -> Row:
            return Row(name, [str(word) for word in command], runs)

        wc = row("wc -l", "wc", "-l", trace)
        graph = [
            wc,
            row("boottrace calls", target / "calls", trace),
            row("boottrace analyze", target / "analyze", trace),
        ]
        own = graph[1]
        log = [row("boottrace analyze", target / "analyze", short, runs=options.short_runs)]
        if cli := os.environ.get("BOOTLAB") or shutil.which("bootlab"):
            graph.append(row("bootlab analyze", cli, "analyze", trace))
            log.append(row("bootlab analyze", cli, "analyze", short, runs=options.short_runs))
        script = os.environ.get("BOOTGRAPH_PY")
        if script and dmesg.exists():
            command = [sys.executable, script, "-dmesg", dmesg, "-ftrace", trace, "-f"]
            graph.append(row("bootgraph.py -f (pm-graph)", *command, runs=1))
            log.append(row("bootgraph.py (pm-graph)", sys.executable, script, "-dmesg", short))
        if (script := bootgraph_pl()) and shutil.which("perl"):
            log.append(row("bootgraph.pl", "perl", script, short, runs=options.short_runs))
        data = Path(folder) / "trace.dat"
        events = []
        if shutil.which("trace-cmd"):
            subprocess.run([target / "write_trace_dat", data, str(options.lines // 2)], check=True)
            events = [
                row("boottrace calls", target / "calls", data),
                row("trace-cmd report", "trace-cmd", "report", "-i", data),
            ]
        # One after the other, round by round: a disturbance then meets all of them.
        for rows in (graph, events, log):
            for _ in range(max((row.left for row in rows), default=0)):
                for each in rows:
                    each.run(folder)
        print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {options.runs} rounds")
        print(table(f"function_graph text, {what}, {trace.stat().st_size:,} bytes", graph, wc))
        print(table("the same", graph[1:], own))
        if events:
            print(table(f"trace.dat, {options.lines:,} events, {data.stat().st_size:,} bytes", events, events[0]))
        print(table(f"dmesg, {short.stat().st_size:,} bytes", log, log[0]))
    return 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.setrecursionlimit(10_000)
    sys.exit(main())
