# SPDX-License-Identifier: MIT
"""An exact system that does not boot alike twice is refused, once, with its causes."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.experiments import self_check
from bootlab.experiments.bench import Bench
from bootlab.model.system import Clockwork
from bootlab.recordings import recording_dir
from tests.experiments.fake_bench import SYSTEM, FakeTarget, additive
from tests.launches import launch


class Drifting(FakeTarget):
    """Each boot comes a little later."""

    def __init__(self):
        super().__init__(lambda _params: 100 + len(self.booted))

    def boot(self, plan, folder, *, stop, progress=None):
        recording = super().boot(plan, folder, stop=stop, progress=progress)
        # Its user has named another clock, which is one of the known causes.
        return recording_dir.restate(
            folder, recording, msgspec.structs.replace(recording.meta, launch=launch("-rtc", "base=utc"))
        )


def test_an_exact_system_is_booted_twice_and_no_more(tmp_path):
    target = FakeTarget(additive(100))
    for _ in range(2):
        with Bench(target, tmp_path) as bench:
            self_check.require_exact(bench, SYSTEM)
    assert len(target.booted) == 2


def test_an_inexact_one_is_refused_with_causes(tmp_path):
    with Bench(Drifting(), tmp_path, jobs=1) as bench, pytest.raises(self_check.InexactError) as caught:
        self_check.require_exact(bench, SYSTEM)
    assert caught.value.exit_code == 5
    assert "does not boot the same way twice" in caught.value.message
    assert "the real-time clock follows the host" in caught.value.message
    assert "--inexact" in caught.value.hint


def test_the_hosts_clock_is_not_asked(tmp_path):
    free = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))
    target = Drifting()
    with Bench(target, tmp_path) as bench:
        self_check.require_exact(bench, free)
    assert target.booted == []
