#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boots that must be equal: programs that halt, with and without widened windows, a Linux that sleeps, whole systems.

Usage: exactness.py [--boots N] [--calm N] [--halts N] [--jobs N] [--load N] [--writers N] [--load-nice N]
                    [--emulators FOLDER] [--sleeps N] [--sleeps-hpet N] [--system SYSTEM.toml:N]...
                    [--out RESULT.json]

`--boots`: of each program, and as many for each widened window (tests/guests/widen.c); `--calm`: of each program with
no window widened, when more are wanted. `--sleeps`: boots of $BOOTLAB_KERNEL with 300 sleeps of a second,
`--sleeps-hpet`: with the HPET as the kernel's clock. `--load`: busy loops beside the boots; `--writers`: programs that
write a megabyte and wait for the disk, again and again. One line a case; the exit code is 1 when one differs
or the host's clock ended one. The cost of the cure is the median
ratio of processor times with it and without, of five pairs.

`--out` keeps what each boot came to, a case at a time: the same command goes on behind the cases that are kept.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.bare_guests import SOURCES, WIDENED, BareBoot, Guest, boot, build_preload

from bootlab.launch import emulator
from bootlab.model.recording import Outcome
from bootlab.model.system import Machine

Case = tuple[str, Callable[[], dict[str, object]]]
ROOT = SOURCES.parents[1]
KINDS = (
    ("x86_64", ()),
    ("x86_64", ("HPET",)),
    ("arm", ()),
    ("arm", ("PERIODIC",)),
    ("arm64", ()),
    ("riscv64", ()),
)
PAIRS = 5
_LOOP = "while True: pass"
_WRITER = """
import os, sys
while True:
    with open(sys.argv[1], "wb") as file:
        for _ in range(8):
            file.write(os.urandom(1 << 20))
            file.flush()
            os.fsync(file.fileno())
"""
SLEEPS = {
    "sleeps": "lpj=4000000",
    "sleeps-hpet": "lpj=4000000 clocksource=hpet tsc=unstable",
}
# Of the kernel's start only what the sleeps need is wanted.
SLEEPS_TOML = """
name = "{name}"
cmdline = "console=ttyS0 quiet {words} cryptomgr.notests mitigations=off init_on_alloc=0 rodata=off"
[kernel]
image = "$BOOTLAB_KERNEL"
form = "vmlinux"
[initramfs.files]
"/init" = {{ source = "{program}", mode = "0755" }}
"/dev/console" = {{ char = [5, 1], mode = "0600" }}
[goal]
console = 'sleeps: done [0-9a-f]{{16}}'
[limits]
virtual_s = 1000
stall_virtual_s = 900
wall_s = 3600
"""


def programs(options: argparse.Namespace, work: Path) -> Iterator[Case]:
    preload = build_preload(work)
    for arch, defines in KINDS:
        guest = Guest(arch, (f"HALTS={options.halts}", *defines))
        if guest.compiler:
            name = "-".join((guest.arch, *guest.defines))
            yield name, functools.partial(program, name, guest, preload, options, work)


def program(name: str, guest: Guest, preload: Path, options: argparse.Namespace, work: Path) -> dict[str, object]:
    image = guest.build(work)

    def once(kind: str, number: int) -> BareBoot:
        return boot(
            guest.arch,
            image,
            work / f"{image.name}-{kind}-{number}",
            work,
            cured=kind != "without the cure",
            preload=preload if kind in WIDENED else None,
            widened=kind if kind in WIDENED else "behind the halt",
            emulators=options.emulators,
        )

    once("first", 0)  # builds the plugin
    wanted = [(kind, n) for n in range(options.boots) for kind in ("calm", *WIDENED)]
    wanted += [("calm", n) for n in range(options.boots, options.calm)]
    with ThreadPoolExecutor(options.jobs) as pool:
        boots = list(pool.map(lambda w: once(*w), wanted))
    seen = {
        kind: Counter(str(b.facts) for (k, _), b in zip(wanted, boots, strict=True) if k == kind) for kind, _ in wanted
    }
    ratios = [once("cured", n).cpu_s / once("without the cure", n).cpu_s for n in range(min(PAIRS, options.boots))]
    facts = {"case": name, "boots": len(boots), "cpu_ratio": statistics.median(ratios), "seen": seen}
    return facts | {"equal": len({fact for of_kind in seen.values() for fact in of_kind}) == 1}


def system(name: str, path: Path, boots: int, options: argparse.Namespace, work: Path) -> dict[str, object]:
    environment = dict(os.environ) | {"PYTHONPATH": str(ROOT / "python")}
    if options.emulators:
        environment["PATH"] = f"{options.emulators}:{environment['PATH']}"
    command = [sys.executable, "-m", "bootlab.cli", "boot", str(path), "--repeat", str(boots)]
    store = work / f"store-{name}"
    command += ["--jobs", str(options.jobs), "--json", "--store", str(store)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    seen: Counter[str] = Counter()
    ended = 0
    for file in store.glob("boots/*/recording.json"):
        kept = json.loads(file.read_text())
        if kept["meta"]["outcome"] == Outcome.TIME_LIMIT:
            # The host's clock ended it, which says nothing about the guest.
            ended += 1
            continue
        seen[f"console {kept['files']['console.log'][:16]}, goal after {kept['meta']['goal_insns']} instructions"] += 1
    # A boot that is not there has not been seen to be equal, whatever ended it.
    equal = len(seen) == 1 and seen.total() + ended == boots
    facts = {"case": name, "boots": boots, "equal": equal, "ended_by_host": ended}
    return facts | {"exit_code": done.returncode, "said": done.stderr[-2000:], "seen": seen}


def sleeps(name: str, boots: int, options: argparse.Namespace, work: Path) -> dict[str, object]:
    made = work / "sleeps"
    subprocess.run(["cc", "-O2", "-static", "-o", str(made), str(SOURCES / "sleeps.c")], check=True)
    file = work / f"{name}.toml"
    file.write_text(SLEEPS_TOML.format(name=name, words=SLEEPS[name], program=made))
    return system(name, file, boots, options, work)


def cases(options: argparse.Namespace, work: Path) -> Iterator[Case]:
    if options.boots:
        yield from programs(options, work)
    for name, boots in (("sleeps", options.sleeps), ("sleeps-hpet", options.sleeps_hpet)):
        if boots:
            yield name, functools.partial(sleeps, name, boots, options, work)
    for wanted in options.system:
        text, _, boots = wanted.rpartition(":")
        path = Path(text)
        name = path.stem if path.stem != "system" else path.parent.name
        yield name, functools.partial(system, name, path, int(boots), options, work)


@contextlib.contextmanager
def loaded(options: argparse.Namespace, work: Path) -> Iterator[None]:
    """Keep the busy loops and the writers running inside the block."""
    commands = [[sys.executable, "-c", _LOOP]] * options.load
    commands += [[sys.executable, "-c", _WRITER, str(work / f"written-{n}")] for n in range(options.writers)]
    nice = ["nice", "-n", str(options.load_nice)] if options.load_nice else []
    beside = [subprocess.Popen([*nice, *command]) for command in commands]
    try:
        yield
    finally:
        for process in beside:
            process.kill()
            process.wait()


def emulator_version(options: argparse.Namespace) -> str:
    machine = Machine(emulator=f"{options.emulators}/qemu-system-x86_64" if options.emulators else None)
    return emulator.find(machine).version


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boots", type=int, default=3)
    parser.add_argument("--calm", type=int, default=0)
    parser.add_argument("--halts", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=4, help="programs at a time")
    parser.add_argument("--load", type=int, default=0, help="busy loops beside the boots")
    parser.add_argument("--load-nice", type=int, default=0, help="how nice the busy loops and writers are")
    parser.add_argument("--writers", type=int, default=0, help="programs that write to the disk beside the boots")
    parser.add_argument("--emulators", default="", help="folder with QEMU's programs")
    parser.add_argument("--sleeps", type=int, default=0)
    parser.add_argument("--sleeps-hpet", type=int, default=0)
    parser.add_argument("--system", action="append", default=[], metavar="SYSTEM.toml:N")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    version = emulator_version(options)
    results: list[dict[str, object]] = []
    if options.out and options.out.exists():
        results = json.loads(options.out.read_text())
    done = {r["case"] for r in results if r.get("emulator") == version}
    beside: dict[str, object] = {"emulator": version, "busy_loops": options.load, "disk_writers": options.writers}
    beside["nice"] = options.load_nice
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name, run in cases(options, work):
            if name in done:
                continue
            with loaded(options, work):
                before = os.getloadavg()[0]
                facts = run() | beside | {"host_load": [round(load, 1) for load in (before, os.getloadavg()[0])]}
            results = [r for r in results if r["case"] != name] + [facts]
            late = f", {facts['ended_by_host']} ended by the host's clock" if facts.get("ended_by_host") else ""
            print(f"{name}: {facts['boots']} boots {'equal' if facts['equal'] else 'DIFFER'}{late}", flush=True)
            if options.out:
                options.out.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if all(r["equal"] and not r.get("ended_by_host") for r in results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
