#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attack what bootlab keeps: flipped bits, kill -9, two commands on one store, two containers on one store.

Usage: kept_files.py SYSTEM.toml [--samples 2000] [--healed 20] [--kills 20] [--pairs 10] [--only NAME...]

The system is booted once. Then:
bits      each bit of recording.json and results.json is turned over, and samples of every other file that is kept (the
          recording's, the cache's documents); what is read must be the same value or a sentence, never another value
healed    a bit of a recording is turned over and the same command given: it must say so and give the same result
kills     the command is killed with SIGKILL at a random moment, again and again; then it must end as undisturbed
pairs     two commands at once on an empty store: one boot, two equal results; every second time the second command
          runs in a PID namespace of its own, as in a container
Prints a line for each, as JSON. Exit code 1 when anything was otherwise.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bootlab.builders.cache import default_folder
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import UserError
from bootlab.recordings import recording_dir, sealed
from bootlab.results import file as results_file

BOOTLAB = [sys.executable, "-m", "bootlab.cli"]
ATTACKS = ("bits", "healed", "kills", "pairs")
OWN_NUMBERS = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]


def main() -> int:
    """Run the attacks; return the exit code."""
    asked = argparse.ArgumentParser(description=str(__doc__), formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("system", type=Path)
    asked.add_argument("--samples", type=int, default=2000, help="bits of each large file")
    asked.add_argument("--healed", type=int, default=20, help="damaged recordings that the command must heal")
    asked.add_argument("--kills", type=int, default=20)
    asked.add_argument("--pairs", type=int, default=10)
    asked.add_argument("--only", nargs="+", choices=ATTACKS, help="these attacks alone")
    asked.add_argument("--store", type=Path, help="an empty folder to work in (default: a temporary one)")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="bootlab-attack-") as temporary:
        attack = Attack(given.system, given.store or Path(temporary))
        for name in given.only or ATTACKS:
            getattr(attack, name)(given.samples if name == "bits" else getattr(given, name))
    return 1 if attack.failed else 0


class Attack:
    """One system, booted once undisturbed: its result is what every other must be."""

    def __init__(self, system: Path, folder: Path) -> None:
        """Boot it into `folder/whole`."""
        self._system = system.resolve()
        self._folder = folder
        self._random = random.Random(1)
        self.failed = False
        self._store = folder / "whole"
        began = time.monotonic()
        self._result = result(self._run(self._store).stdout)
        self._boot_s = time.monotonic() - began
        (self._place,) = (self._store / "boots").glob("[!.]*")

    def bits(self, samples: int) -> None:
        """Flip bits under the readers."""
        for path, read in self._kept():
            raw = path.read_bytes()
            before = read()
            whole = path.name in {recording_dir.RECORDING_FILE, "results.json"}
            counts: Counter[str] = Counter()
            try:
                for changed in self._flipped(raw, len(raw) * 8 if whole else samples):
                    path.write_bytes(changed)
                    counts[outcome(read, before)] += 1
            finally:
                path.write_bytes(raw)
            bad = bool(counts.keys() - {"a sentence", "the same value", "made again"})
            self._tell("bits", {"file": path.name, "bytes": len(raw), **counts}, bad=bad)

    def healed(self, number: int) -> None:
        """Damage the recording, give the same command, and compare."""
        path = self._place / recording_dir.RECORDING_FILE
        good = 0
        for changed in self._flipped(path.read_bytes(), number):
            path.write_bytes(changed)
            done = self._run(self._store, check=False)
            aside = self._place.parent / ".damaged" / self._place.name / recording_dir.RECORDING_FILE
            # A bit that leaves the values as they were is no damage.
            seen = path.read_bytes() == changed or (aside.is_file() and aside.read_bytes() == changed)
            again = self._run(self._store, check=False)
            good += seen and result(done.stdout) == result(again.stdout) == self._result
        self._tell("healed", {"damaged": number, "healed": good}, bad=good != number)

    def kills(self, number: int) -> None:
        """Kill the command at random moments, then let it end."""
        store = self._folder / "killed"
        killed = 0
        for _ in range(number):
            with subprocess.Popen(self._words(store), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(self._random.uniform(0.05, 1.1) * self._boot_s)
                killed += process.poll() is None
                process.kill()
        same = result(self._run(store, check=False).stdout) == self._result
        left = sorted(path.name for path in (store / "boots").glob(".*.*"))
        self._tell("kills", {"killed": killed, "same": same, "half-made": left}, bad=not same or bool(left))

    def pairs(self, number: int) -> None:
        """Start two commands at once."""
        once = same = 0
        for pair in range(number):
            store = self._folder / f"pair-{pair}"
            before = OWN_NUMBERS if pair % 2 and has_namespaces() else []
            started = [
                subprocess.Popen(
                    [*words, *self._words(store)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
                )
                for words in ([], before)
            ]
            outputs = [process.communicate()[0] for process in started]
            same += all(result(output) == self._result for output in outputs)
            # How long a boot took on the host is never the same twice.
            once += len({wall_s(output) for output in outputs}) == 1
            shutil.rmtree(store)
        self._tell("pairs", {"pairs": number, "one boot": once, "same": same}, bad=not once == same == number)

    def _kept(self) -> Iterator[tuple[Path, Callable[[], Any]]]:
        key = recording_dir.load(self._place).meta.key
        for path in sorted(path for path in self._place.iterdir() if path.is_file()):
            yield path, lambda: recording_dir.load(self._place, whole=True, key=key)
        for path in (self._store / "runs").glob("*/results.json"):
            yield path, lambda path=path: results_file.load(path)
        for path in sorted((default_folder() / "kernelinfo").glob("*.json"))[-2:]:
            copy = self._folder / path.name
            shutil.copyfile(path, copy)
            yield copy, lambda copy=copy: sealed.kept(copy, KernelInfo)

    def _flipped(self, raw: bytes, number: int) -> Iterator[bytes]:
        bits = range(len(raw) * 8)
        chosen = bits if number >= len(bits) else self._random.sample(bits, number)
        for bit in chosen:
            changed = bytearray(raw)
            changed[bit // 8] ^= 1 << bit % 8
            yield bytes(changed)

    def _words(self, store: Path) -> list[str]:
        return [*BOOTLAB, "boot", str(self._system), "--json", "--store", str(store)]

    def _run(self, store: Path, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self._words(store), capture_output=True, text=True, check=check)

    def _tell(self, attack: str, said: dict[str, object], *, bad: bool) -> None:
        self.failed = self.failed or bad
        sys.stdout.write(f"{json.dumps({'attack': attack, 'failed': bad, **said})}\n")
        sys.stdout.flush()


def outcome(read: Callable[[], Any], before: Any) -> str:
    """Say what came of reading a damaged file."""
    try:
        found = read()
    except UserError:
        return "a sentence"
    except Exception as fault:  # noqa: BLE001 - what may come out of a reader is what is asked here
        return f"a traceback: {type(fault).__name__}"
    if found is None:
        return "made again"
    return "the same value" if found == before else "another value"


def result(output: str) -> tuple[object, ...]:
    """Return what a boot's answer says, without names of stores and times of the host."""
    try:
        base = json.loads(output)["results"]["base"]
    except (ValueError, KeyError):
        return ("no answer", output[:200])
    return base["outcome"], base["goal_ns"], base["goal_insns"], base["key"]


def wall_s(output: str) -> object:
    """Return how long the boot took that an answer is of."""
    try:
        return json.loads(output)["results"]["base"]["wall_s"]
    except (ValueError, KeyError):
        return output


def has_namespaces() -> bool:
    """Tell whether this user may make PID namespaces."""
    return bool(shutil.which("unshare")) and subprocess.run([*OWN_NUMBERS, "true"], check=False).returncode == 0


if __name__ == "__main__":
    raise SystemExit(main())
