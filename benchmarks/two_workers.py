# SPDX-License-Identifier: MIT
"""How much sooner two workers of one scheduler finish a campaign than one, and whether both give the same answer.

    BOOTLAB_KERNEL=... python benchmarks/two_workers.py [SYSTEM.toml] [TECHNIQUE ...] [--all] [--rounds 2] [--boots 40]

A campaign is `bootlab try` with an empty store, of a few techniques: about 40 boots. The longer it is, the less weighs
what cannot be done side by side (the base's first boots), so a campaign of more than half again as many is refused
unless `--all` asks for it. A worker is a process that makes one boot at a time. Images are built before, once: this is
about boots. What the machine itself can do is measured beside it: two boots at once, without any scheduler, against the
same two one after the other. Ends with 1 if two workers are less than 1.8 times as fast, or the answers differ.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
LIMIT = 1.8
FEW = (
    *("quiet", "crypto-selftests", "library-self-tests", "no-slab-sysfs", "no-tracefs", "printk-time"),
    *("no-timer-check", "rc-scripts-merged", "kernel-pvh"),
)
"""Techniques that apply to the demo and need about 40 boots together."""
BOOTLAB = (sys.executable, "-m", "bootlab.cli")


@contextlib.contextmanager
def scheduler(workers: int, scratch: Path) -> Iterator[str]:
    """Run a scheduler and so many workers of one thread each, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    dask = (sys.executable, "-m", "dask")
    commands: list[tuple[str, ...]] = [
        (*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show")
    ]
    commands += [(*BOOTLAB, "worker", address, "--boots", "1")] * workers
    environment = os.environ | {"DASK_TEMPORARY_DIRECTORY": str(scratch)}
    running = [subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL) for words in commands]
    try:
        wait_for_workers(address, workers)
        yield address
    finally:
        for process in reversed(running):
            process.terminate()
        for process in running:
            process.wait()


def wait_for_workers(address: str, workers: int) -> None:
    """Return when all are there. Raise TimeoutError where they do not come."""
    from distributed import Client  # noqa: PLC0415 - an extra

    with Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=60)


def campaign(system: Path, ids: list[str], store: Path, address: str, jobs: int) -> tuple[float, object]:
    """Try techniques with an empty store. Return how long it took (seconds), and what was found."""
    words = [*BOOTLAB, "try", str(system), *ids, "--store", str(store), "--json"]
    words += ["--scheduler", address, "--jobs", str(jobs)] if address else ["--jobs", str(jobs)]
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    took = time.monotonic() - began
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return took, json.loads(done.stdout)


def side_by_side(system: Path, place: Path, rounds: int = 3) -> list[float]:
    """Return how much sooner this machine makes two boots at once than one after the other, without a scheduler.

    One ratio for each round, ascending: they tell how far the machine's own speed varies.
    """

    def boot(name: str) -> subprocess.Popen[bytes]:
        words = [*BOOTLAB, "boot", str(system), "--store", str(place / name)]
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def pair(name: str, *, at_once: bool) -> float:
        began = time.monotonic()
        first = boot(f"{name}-1")
        if not at_once:
            first.wait()
        second = boot(f"{name}-2")
        if first.wait() or second.wait():
            sys.exit(f"{system} does not boot: bootlab boot {system}")
        return time.monotonic() - began

    return sorted(
        pair(f"{number}-after", at_once=False) / pair(f"{number}-beside", at_once=True) for number in range(rounds)
    )


def boots(store: Path) -> int:
    """Return how many recordings a store holds."""
    return sum(1 for _ in store.rglob("recording.json"))


def answer(document: object) -> list[str]:
    """Return what a campaign found: each variant with its verdict and times."""
    return sorted(map(json.dumps, _rows(document)))


def _rows(document: object) -> Iterator[object]:
    if isinstance(document, dict):
        if "verdict" in document:
            yield {key: value for key, value in document.items() if key not in {"recording", "recordings", "wall_s"}}
        for value in document.values():
            yield from _rows(value)
    elif isinstance(document, list):
        for value in document:
            yield from _rows(value)


def main() -> int:
    """Run the rounds, one worker and two by turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", nargs="?", type=Path, default=HERE / "examples/demo/system.toml")
    parser.add_argument("ids", nargs="*", help="techniques to try")
    parser.add_argument("--all", action="store_true", help="try all that apply, however many boots that takes")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--boots", type=int, default=40, help="least number of boots of a campaign")
    options = parser.parse_args()
    options.ids = [] if options.all else options.ids or list(FEW)
    wall: dict[int, list[float]] = {1: [], 2: []}
    found = []
    with tempfile.TemporaryDirectory(prefix="two-workers-") as folder:
        place = Path(folder)
        took, document = campaign(options.system, options.ids, place / "warm", "", os.cpu_count() or 1)
        made = boots(place / "warm")
        found.append(answer(document))
        print(f"local, 2 jobs, images built too: {made} boots, {took:.1f} s", flush=True)
        if made < options.boots:
            sys.exit(f"a campaign of {made} boots is too small: name more techniques")
        if made > 1.5 * options.boots and not options.all:
            sys.exit(f"a campaign of {made} boots is too large for {options.boots}: name fewer techniques")
        alone = side_by_side(options.system, place / "bare")
        few, many = alone[0], alone[-1]
        print(
            f"two boots at once, no scheduler: {few:.2f} to {many:.2f} times as fast as one after the other", flush=True
        )
        for number in range(options.rounds):
            for workers in (1, 2) if number % 2 == 0 else (2, 1):
                store = place / f"{number}-{workers}"
                with scheduler(workers, place / f"scratch-{number}-{workers}") as address:
                    took, document = campaign(options.system, options.ids, store, address, workers)
                wall[workers].append(took)
                found.append(answer(document))
                print(f"round {number + 1}, {workers} worker(s): {boots(store)} boots, {took:.1f} s", flush=True)
            print(f"round {number + 1}: {wall[1][-1] / wall[2][-1]:.2f} times as fast", flush=True)
    ratio = statistics.median(wall[1]) / statistics.median(wall[2])
    same = bool(found[0]) and all(one == found[0] for one in found)
    print(f"two workers are {ratio:.2f} times as fast as one (limit: {LIMIT}); answers equal: {same}")
    return 0 if ratio >= LIMIT and same else 1


if __name__ == "__main__":
    sys.exit(main())
