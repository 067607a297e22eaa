# SPDX-License-Identifier: MIT
"""An optimisation of real machines in a process of its own, to be killed: killable_boots.py STORE LOG KERNEL."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

from bootlab import techniques
from bootlab.api.optimizing import carried_out, planned, wishes_of
from bootlab.builders.cache import Cache
from bootlab.experiments.bench import Bench
from bootlab.model.change import Change, SetParam
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Goal, Kernel, Machine, SystemDescription
from bootlab.recordings.files import RECORDING_FILE
from bootlab.targets.qemu import QemuTarget
from tests.experiments.fake_bench import FakeTechnique

SAVED = {"a": 40, "b": 60, "c": 25, "d": 80, "e": 35}
"""Letters `w` on the command line that a technique takes away: the guest waits for each."""


class Shorter(FakeTechnique):
    """Sets the parameter of its name to a shorter, or a longer, wait."""

    def changes(self, context):
        return tuple(
            Change(technique=self.id, label=label, ops=(SetParam(self.id, "w" * int(label or 0)),))
            for label in self.labels
        )


OWN = (*(Shorter(name) for name in SAVED), Shorter("slower", labels=("120",)), Shorter("v", labels=("9", "2", "30")))


class Logged:
    """The emulator, each boot noted when it begins: with `again` when its recording was there already."""

    def __init__(self, target: QemuTarget, store: Path, log: Path) -> None:
        self._target, self._store, self._log = target, store, log

    def plan(self, system, purpose="timing"):
        return self._target.plan(system, purpose)

    def boot(self, plan, folder, **rest):
        key = folder.name.split(".")[1]
        there = (self._store / "boots" / key / RECORDING_FILE).is_file()
        self.note(f"{'again' if there else 'begun'} {key}")
        return self._target.boot(plan, folder, **rest)

    def note(self, line: str) -> None:
        with self._log.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            os.write(file.fileno(), f"{line}\n".encode())


def main(store: Path, log: Path, kernel: Path) -> None:
    """Run it, and say where the result is."""
    techniques.all_techniques = lambda: OWN
    techniques.get = {one.id: one for one in OWN}.__getitem__
    waits = " ".join(f"{name}={'w' * count}" for name, count in SAVED.items())
    system = SystemDescription(
        name="small",
        machine=Machine(memory_mib=32),
        kernel=Kernel(image=str(kernel)),
        goal=Goal(console="GOAL"),
        cmdline=CommandLine.parse(f"console=ttyS0 slower=w v={'w' * 20} {waits}"),
    )
    cache = Cache(store.parent / "cache")
    target = Logged(QemuTarget(cache), store, log)
    target.note("ready")
    with Bench(target, store, cache=cache, jobs=1) as bench:
        base, plan, said = planned(bench, system, wishes_of(rounds=1))
        results = carried_out(bench, store, base, plan, said)
    sys.stdout.write(str(results.run.folder))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
