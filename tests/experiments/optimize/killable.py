# SPDX-License-Identifier: MIT
"""An optimisation of fake boots in a process of its own, to be killed: killable.py STORE LOG [LINES SECONDS].

It kills itself so many seconds after it wrote so many lines: on a busy machine, somebody else would come too late.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import threading
import time
from pathlib import Path

from bootlab import techniques
from bootlab.api.optimizing import carried_out, planned, wishes_of
from bootlab.experiments.bench import Bench
from bootlab.model.recording import Outcome
from bootlab.recordings.files import RECORDING_FILE
from tests.experiments.fake_bench import SYSTEM, FakeTarget, FakeTechnique, additive

NAMES = [f"t{n}" for n in range(10)]
OWN = (*(FakeTechnique(name) for name in NAMES), FakeTechnique("v", labels=("1", "2", "3")))
COST = additive(1000, **{name: 5 + n for n, name in enumerate(NAMES)}, v1=3, v2=20, v3=8)


def cost(params: frozenset[str]) -> float | Outcome:
    """Two of them break what they are in."""
    return Outcome.PANIC if "t3" in params or {"t5", "t8"} <= params else COST(params)


class Logged(FakeTarget):
    """Boots that take some time, each noted when it begins: with `again` when its recording was there already."""

    def __init__(self, store: Path, log: Path, lines: int, seconds: float) -> None:
        super().__init__(cost)
        self._store, self._log, self._lines, self._seconds = store, log, lines, seconds

    def boot(self, plan, folder, **rest):
        there = (self._store / "boots" / folder.name.split(".")[1] / RECORDING_FILE).is_file()
        self.note(f"{'again' if there else 'begun'} {folder.name.split('.')[1]}")
        time.sleep(0.01)
        return super().boot(plan, folder, **rest)

    def note(self, line: str) -> None:
        with self._log.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            os.write(file.fileno(), f"{line}\n".encode())
            self._lines -= 1
        if self._lines == 0:
            threading.Thread(target=self._die, daemon=True).start()

    def _die(self) -> None:
        time.sleep(self._seconds)
        os.kill(os.getpid(), signal.SIGKILL)


def main(store: Path, log: Path, lines: int = 0, seconds: float = 0) -> None:
    """Run it, and say where the result is."""
    techniques.all_techniques = lambda: OWN
    techniques.get = {one.id: one for one in OWN}.__getitem__
    target = Logged(store, log, lines, seconds)
    target.note("ready")
    with Bench(target, store, jobs=2) as bench:
        base, plan, said = planned(bench, SYSTEM, wishes_of(rounds=2))
        results = carried_out(bench, store, base, plan, said)
    sys.stdout.write(str(results.run.folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:4]), *map(float, sys.argv[4:5]))
