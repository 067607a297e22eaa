"""The laboratory on recordings: results are written as they come."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.errors import TargetError, UserError
from bootlab.experiments.bench import Quiet
from bootlab.experiments.selection import Selection
from bootlab.laboratory import Laboratory
from bootlab.model.system import Clockwork
from bootlab.results import file as results_file
from bootlab.store import runs
from bootlab.systemfile import load
from tests.conftest import REPLAYED


@pytest.fixture
def lab(tmp_path):
    with Laboratory(tmp_path / "store", cache=tmp_path / "cache", jobs=2) as opened:
        yield opened


@pytest.fixture
def system():
    return load(REPLAYED)


def test_a_run_that_breaks_off_shows_what_it_had(lab, system, tmp_path):
    # "nowatchdog" was never recorded: its boot raises when "lpj-preset", which takes one boot, is judged already.
    with pytest.raises(TargetError):
        lab.try_(system, Selection(ids=("lpj-preset", "nowatchdog")))
    (run,) = runs.all_runs(tmp_path / "store")
    results = results_file.load(run.results)
    assert [t.change.id for t in results.trials] == ["lpj-preset"]
    assert results.base.goal_ns


def test_the_same_again_boots_nothing(lab, system, tmp_path):
    lab.try_(system, Selection(ids=("quiet",)))
    made = lab.bench(system).boots_made
    _, results = lab.try_(system, Selection(ids=("quiet",)))
    # The base twice, its diagnosis, four dithers of it, five boots of the variant: what was seen to boot alike is not
    # booted for that again.
    assert lab.bench(system).boots_made == made == 12
    assert len(runs.all_runs(tmp_path / "store")) == 2
    assert results.techniques[0].id == "quiet"


def test_fresh_boots_again(lab, system):
    first, _ = lab.boot(system)
    again, _ = lab.boot(system)
    anew, _ = lab.boot(system, fresh=True)
    more, _ = lab.boot(system, fresh=True)
    assert first.path == again.path
    assert len({first.path, anew.path, more.path}) == 3


def test_repeat_never_takes_a_kept_boot(lab, system):
    one, _ = lab.repeat(system, 2)
    two, equality = lab.repeat(system, 3)
    assert len({r.path for r in (*one, *two)}) == 5
    assert equality.equal


def test_no_stack_on_the_hosts_clock(lab, system):
    free = msgspec.structs.replace(system, clock=Clockwork(mode="free"))
    with pytest.raises(UserError, match="exact") as caught:
        lab.stack(free)
    assert "bootlab try" in caught.value.hint


def test_phases_are_told(tmp_path, system):
    said = []

    class Observer(Quiet):
        def phase(self, name, expected_boots):
            said.append(name)

    with Laboratory(tmp_path / "s", cache=tmp_path / "c", observer=Observer()) as lab:
        lab.stack(system, Selection(ids=("quiet", "crypto-selftests", "no-timer-check")))
    assert said[:4] == ["base", "base under dithers", "try", "stack"]
    assert "proof of the stack" in said
