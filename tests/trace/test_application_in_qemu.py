# SPDX-License-Identifier: MIT
"""What was planted in an application's start, found by the trace of a real kernel without anything in the guest."""

import os
from pathlib import Path

import msgspec
import pytest

from bootlab.advice.application import advise
from bootlab.builders.cache import Cache, default_folder
from bootlab.experiments import profile as application
from bootlab.experiments.bench import Bench
from bootlab.experiments.traced_boot import trace_boot
from bootlab.systemfile.loader import load
from bootlab.targets.qemu import QemuTarget

pytestmark = pytest.mark.qemu
EXAMPLE = Path(__file__).parents[2] / "examples" / "slow-start" / "system.toml"


@pytest.fixture(scope="module")
def found(debian_kernel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("profile")
    system = load(EXAMPLE, environ={**os.environ, "BOOTLAB_KERNEL": str(debian_kernel)})
    patient = msgspec.structs.replace(system.limits, wall_s=900, stall_wall_s=300)
    system = msgspec.structs.replace(system, limits=patient)
    cache = Cache(default_folder())
    with Bench(QemuTarget(cache), folder / "store", cache=cache, jobs=1) as bench:
        traced = trace_boot(bench, system, application.REQUEST)
    return application.profile(traced.trace)


def test_each_planted_wait_has_its_length(found):
    lengths = {(one.count, round((one.asked_ns or 0) / 1e6)) for one in found.sleeps if one.pid == 1}
    assert lengths == {(8, 100), (1, 1000), (3, 50)}
    (polled,) = found.polled
    assert (polled.tries, polled.came) == (8, True)
    assert 800e6 < (polled.took_ns or 0) < 810e6
    (poll,) = [wait for wait in found.waits if wait.call == "poll"]
    assert 200e6 < poll.took_ns < 205e6


def test_the_calls_are_counted(found):
    opens = next(call for call in found.calls if call.call == "openat")
    # 40 files that are not there, 8 looks for the device, and what the loader tries before it finds libc.
    assert opens.errors >= 48
    assert opens.count - opens.errors >= 4
    assert len(found.processes) == 3
    assert all(one.count > 10 for one in found.faults)


def test_the_advice_names_all_of_it(found):
    own = [one.id for one in advise(found) if not one.background]
    assert own == ["sleeps", "polls-for-file", "timeout", "sleeps", "missing-files"]
