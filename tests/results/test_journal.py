# SPDX-License-Identifier: MIT
"""Runs on recordings: results are written as they come, and what was booted is not booted again."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.api import System
from bootlab.errors import TargetError, UserError
from bootlab.experiments.bench import SilentObserver
from bootlab.model.system import Clockwork
from bootlab.results import file as results_file
from bootlab.store import runs
from bootlab.systemfile import load
from tests.conftest import REPLAYED


class Noted(SilentObserver):
    """Remembers what was said."""

    def __init__(self):
        self.phases = []
        self.made = 0

    def phase(self, name, expected_boots):
        self.phases.append(name)

    def boot_ended(self, label, recording, *, reused):
        self.made += not reused


@pytest.fixture
def observer():
    return Noted()


@pytest.fixture
def system(tmp_path, observer):
    return System(load(REPLAYED), store=tmp_path / "store", cache=tmp_path / "cache", jobs=2, observer=observer)


def test_a_run_that_breaks_off_shows_what_it_had(system, tmp_path):
    # "nowatchdog" was never recorded: its boot raises, before or after "lpj-preset" is judged.
    with pytest.raises(TargetError):
        system.try_("lpj-preset", "nowatchdog")
    (run,) = runs.all_runs(tmp_path / "store")
    results = results_file.load(run.results)
    assert [t.change.id for t in results.trials] == ["lpj-preset"]
    assert results.base.goal_ns


def test_the_same_again_boots_nothing(system, observer, tmp_path):
    system.try_("quiet")
    made = observer.made
    results = system.try_("quiet").data
    # The base twice, its diagnosis, four dithers of it, five boots of the variant: what was seen to boot alike is not
    # booted for that again.
    assert observer.made == made == 12
    assert len(runs.all_runs(tmp_path / "store")) == 2
    assert results.techniques[0].id == "quiet"


def test_fresh_boots_again(system):
    boots = [system.boot(fresh=fresh).recording.path for fresh in (False, False, True, True)]
    assert boots[0] == boots[1]
    assert len(set(boots)) == 3


def test_repeat_never_takes_a_kept_boot(system):
    one, _ = system.repeat_recordings(2)
    two, equality = system.repeat_recordings(3)
    assert len({r.path for r in (*one, *two)}) == 5
    assert equality.equal


def test_no_stack_on_the_hosts_clock(system):
    free = system.like(msgspec.structs.replace(system.value, clock=Clockwork(mode="free")))
    with pytest.raises(UserError, match="exact") as caught:
        free.stack()
    assert "bootlab try" in caught.value.hint


def test_phases_are_told(system, observer):
    system.stack("quiet", "crypto-selftests", "no-timer-check")
    assert observer.phases[:4] == ["base", "base under dithers", "try", "stack"]
    assert "proof of the stack" in observer.phases
