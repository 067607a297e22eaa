# SPDX-License-Identifier: MIT
"""Makes the recordings that tests play back: boots a small system and three techniques on it, in real machines.

Run it when the recording's format or the boots that the laboratory makes have changed:
`BOOTLAB_KERNEL=… python -m tests.replay.record` (about sixty boots).
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import threading
from pathlib import Path

import msgspec

from bootlab import api
from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.launch.boot_plan import BootPlan, Purpose
from bootlab.launch.target import ProgressSink
from bootlab.model.recording import Meta, Recording
from bootlab.model.system import SystemDescription
from bootlab.recordings import recording_dir
from bootlab.systemfile import load
from bootlab.targets import replay
from bootlab.targets.qemu import QemuTarget

HERE = Path(__file__).resolve().parent
FIXTURE = HERE / "fixture"
SYSTEM = HERE / "system.toml"
TECHNIQUES = ("quiet", "crypto-selftests", "no-timer-check", "lpj-preset")
TECHNIQUES_SOURCE = Path(replay.__file__).resolve().parents[1] / "techniques"


class RecordingTarget:
    """A QEMU target that adds every boot to a replay folder."""

    def __init__(self, cache: Cache, folder: Path) -> None:
        self._qemu = QemuTarget(cache)
        self._folder = folder
        self._lock = threading.Lock()
        self._asked: dict[str, SystemDescription] = {}

    def plan(self, system: SystemDescription, purpose: Purpose = "timing") -> BootPlan:
        plan = self._qemu.plan(system, purpose)
        # A plan's system has its kernel built; a replay is asked for the one that names how.
        self._asked[plan.key] = system
        return plan

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        recording = self._qemu.boot(plan, folder, stop=stop, progress=progress)
        sys.stderr.write(f"{plan.purpose} {recording.meta.outcome} {recording.meta.goal_ns} {recording.meta.cmdline}\n")
        if recording.meta.outcome.value != "interrupted":
            with self._lock:
                place = replay.record(self._folder, self._asked[plan.key], plan.purpose, recording, _small(plan.info))
                _neutral(place)
        return recording


def _small(info: KernelInfo) -> KernelInfo:
    """Keep of the configuration only what a technique asks for: all of it is a quarter of a megabyte."""
    text = "\n".join(path.read_text() for path in TECHNIQUES_SOURCE.rglob("*.py"))
    named = {w.removeprefix("CONFIG_") for w in re.findall(r"\b[A-Z][A-Z0-9_]{3,}\b", text)}
    config = {k: v for k, v in info.config.items() if k.removeprefix("CONFIG_") in named}
    return msgspec.structs.replace(info, config=config, config_source=Path(info.config_source).name)


def _neutral(place: Path) -> None:
    """Take this machine's folders out of the command and what the emulator said out of the recording."""
    recording = recording_dir.load(place)
    plain = re.sub(rb"/[^\s,\"]*/", b"", msgspec.json.encode(recording.meta))
    meta = msgspec.structs.replace(msgspec.json.decode(plain, type=Meta), wall_s=0.0)
    (place / "emulator.log").unlink(missing_ok=True)
    if meta.purpose == "diagnostic":
        # Read for its text alone, and ten times as long as the others.
        (place / "stamps.npz").unlink(missing_ok=True)
    # Written and packed again, for the digests of what is left.
    recording_dir.save(place, meta, recording.marks, recording.console, None)
    recording_dir.pack(place)


def main() -> None:
    """Boot everything and write the fixture anew."""
    system = msgspec.structs.replace(load(SYSTEM), target="qemu", recordings=None)
    shutil.rmtree(FIXTURE, ignore_errors=True)
    FIXTURE.mkdir()
    with tempfile.TemporaryDirectory() as work:
        target = RecordingTarget(Cache(Path(work) / "cache"), FIXTURE)
        opened = api.System(system, store=Path(work) / "store", cache=Path(work) / "cache", jobs=2, target=target)
        results = opened.stack(*TECHNIQUES)
        for technique in TECHNIQUES:
            # A single one is compared with fewer boots of the base, and takes more of its own.
            opened.try_(technique)
        opened.boot(diagnostic=True)
    for trial in results.trials:
        sys.stderr.write(f"{trial.change.id}: {trial.verdict.value}, saved {trial.saved_ns} ns. {trial.reason}\n")
    size = sum(path.stat().st_size for path in FIXTURE.rglob("*") if path.is_file())
    sys.stderr.write(f"{FIXTURE}: {size} bytes in {len(list(FIXTURE.iterdir()))} entries\n")


if __name__ == "__main__":
    main()
