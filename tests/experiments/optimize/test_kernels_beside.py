# SPDX-License-Identifier: MIT
"""Idle workers build the kernels that `--shrink` may ask for next: the same answer, sooner, none built twice."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import BuildError, KernelBuildError
from bootlab.experiments.base import Base
from bootlab.experiments.optimize import shrinking
from bootlab.experiments.optimize.halving import Family
from bootlab.experiments.optimize.unused_options import Unused
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.system import Kernel, KernelBuild
from bootlab.techniques.base import Evidence
from tests.experiments.fake_bench import SYSTEM

COUNT = 24
BUILT = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=KernelBuild()))


def off(system):
    return frozenset(name for change in system.kernel.build.changes for name, value in change if value == "n")


class Workers:
    """A bench whose kernels take a turn each, so many at a time; its boots take none."""

    def __init__(self, folder, jobs, *, unlinked, broken):
        self.cache = Cache(folder)
        self.guesses = jobs - 1
        self.unlinked, self.broken = unlinked, broken
        self.now = 0
        self.done: list[frozenset[str]] = []
        self.ends: dict[frozenset[str], int] = {}
        self.guessed: set[frozenset[str]] = set()

    def decided(self, _text):
        pass

    def phase(self, *_):
        pass

    def build_ahead(self, systems):
        for one in map(off, systems):
            self.guessed.discard(one)
            self._begin(one)

    def build_guessed(self, systems):
        wanted = {off(system) for system in systems}
        for one in self.guessed - wanted:
            self.ends.pop(one, None)
        self.guessed = {one for one in wanted if self._begin(one)}

    def boot(self, system, _label):
        mine = off(system)
        self._begin(mine)
        self.now = max(self.now, self.ends.get(mine, 0))
        for one in [one for one, end in self.ends.items() if end <= self.now]:
            del self.ends[one]
            self.done.append(one)
        assert mine in self.done
        if named := sorted(self.unlinked & mine):
            raise KernelBuildError("ld: undefined reference", missing=frozenset({f"f{named[0]}"}))
        outcome = Outcome.PANIC if self.broken & mine else Outcome.GOAL
        return Recording(meta=Meta(key="k", outcome=outcome, reason="because", goal_ns=1), lines=(), marks=())

    def _begin(self, one):
        if one in self.done:
            return False
        self.ends.setdefault(one, self.now + 1)
        assert len(self.ends) <= self.guesses + 1, "no more kernels at a time than there are workers"
        return True


@pytest.fixture(scope="module")
def shrunk():
    """Return a function that shrinks a kernel; it returns what came of it, and the bench."""
    names = [f"O{number}" for number in range(COUNT)]
    families = [
        Family(name=name, members=frozenset({name}), tier=2 * (number > 15)) for number, name in enumerate(names)
    ]
    unused = Unused(families=families, kept={}, option_of={f"f{name}": name for name in names})
    recording = Recording(meta=Meta(key="base", outcome=Outcome.GOAL), lines=(), marks=())
    standing = Evidence(system=BUILT, recording=recording)
    base = Base(system=BUILT, recording=recording, diagnosis=None, info=KernelInfo())

    def run(jobs, unlinked=(), broken=(), settled=lambda *_: {}, done=()):
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            bench = Workers(Path(folder), jobs, unlinked=frozenset(unlinked), broken=frozenset(broken))
            bench.done += done
            patch.setattr(shrinking, "unused_options", lambda *_args, **_rest: unused)
            patch.setattr(shrinking, "KernelBuilder", lambda _cache: SimpleNamespace(settled=settled))
            patch.setattr(shrinking, "is_kernel_built", lambda system, *_: off(system) in bench.done)
            found = shrinking.shrink_kernel(bench, base, standing, ())
            return found, bench

    return run


OPTIONS = st.sets(st.integers(0, COUNT - 1).map("O{}".format), max_size=5)


@given(OPTIONS, OPTIONS, st.integers(2, 8))
def test_with_workers_the_answer_is_the_same_and_no_kernel_is_built_twice(shrunk, unlinked, broken, jobs):
    alone, here = shrunk(1, unlinked, broken)
    found, bench = shrunk(jobs, unlinked, broken)
    for field in ("dropped", "kept", "asked", "questions", "change"):
        assert getattr(found, field) == getattr(alone, field)
    assert len(bench.done) == len(set(bench.done))
    assert set(here.done) <= set(bench.done)
    assert bench.now <= here.now
    assert not bench.ends, "nothing is built on when the search is over"


def test_kernels_side_by_side_take_fewer_turns(shrunk):
    turns = [shrunk(jobs, broken=("O3", "O18"))[1].now for jobs in (1, 2, 4, 8)]
    assert turns[0] > turns[1] > turns[2] >= turns[3]


def test_where_the_first_works_nothing_else_is_built(shrunk):
    found, bench = shrunk(4)
    assert len(found.dropped) == COUNT
    assert bench.now == 1
    assert not bench.ends


def test_a_run_that_goes_on_builds_nothing_for_answers_that_are_there(shrunk):
    found, first = shrunk(4, broken=("O3", "O18"))
    again, second = shrunk(4, broken=("O3", "O18"), done=first.done)
    assert (again.dropped, again.questions) == (found.dropped, found.questions)
    assert second.now == 0
    assert second.done == first.done


def test_a_guess_that_cannot_be_configured_ends_nothing(shrunk):
    def settled(_build, _arch, options):
        if len(options) < COUNT:
            raise BuildError("the kernel's own tool failed", hint="none")
        return {}

    found, _ = shrunk(4, settled=settled)
    assert len(found.dropped) == COUNT
