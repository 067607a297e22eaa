# SPDX-License-Identifier: MIT
"""Makes the recordings of preset tests that tests play back: builds kernels and boots them, in real machines.

Run it when the recording's format or these boots have changed: `BOOTLAB_BUSYBOX=... python -m tests.replay.record_lpj`.
Kernels are taken from the user's cache; without them it builds five.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import msgspec

from bootlab import api
from bootlab.builders.cache import Cache, default_folder
from bootlab.experiments.lpj import LpjRates, LpjTests
from bootlab.systemfile import load
from tests.replay.record import HERE, RecordingTarget

FIXTURE = HERE / "fixture-lpj"
SYSTEM = HERE / "lpj.toml"
# HZ=100 is the base itself: its boots are kept under the name of the tests.
RATES_HZ = (250, 1000)


def main() -> None:
    """Boot everything and write the fixture anew."""
    shutil.rmtree(FIXTURE, ignore_errors=True)
    FIXTURE.mkdir()
    system = msgspec.structs.replace(load(SYSTEM), target="qemu", recordings=None)
    cache = default_folder()
    with tempfile.TemporaryDirectory() as work:
        target = RecordingTarget(Cache(cache), FIXTURE)
        opened = api.System(system, store=Path(work) / "store", cache=cache, jobs=2, target=target)
        for experiment in (LpjTests(), LpjTests("appended"), LpjRates(*RATES_HZ)):
            opened.compare(experiment)
        opened.delay_loop(anew=True)
    # Nothing here asks for the configuration that the kernel was built with, and it is most of a recording.
    for path in FIXTURE.rglob("kernel.config"):
        path.unlink()


if __name__ == "__main__":
    main()
