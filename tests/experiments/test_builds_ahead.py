# SPDX-License-Identifier: MIT
"""Kernels of independent candidates are asked for at once, where workers build them, and nowhere else."""

from __future__ import annotations

import os
import threading
import time

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.kbuild.make_run import BuildStopped
from bootlab.experiments.bench import Bench
from bootlab.experiments.builds_ahead import BuildsAhead
from bootlab.experiments.stack import Stacker
from bootlab.experiments.trials import try_all
from bootlab.model.system import Kernel
from tests.builders.kbuild.fake_tree import make_tree, request
from tests.experiments.fake_bench import SYSTEM, FakeTarget, FakeTechnique, additive, base_of


class Asked(Bench):
    """Notes whose kernels are asked for ahead."""

    def __init__(self, *words, **rest):
        super().__init__(*words, **rest)
        self.asked: list[list[str]] = []

    def build_ahead(self, systems):
        self.asked.append([str(system.cmdline).removeprefix("base ") for system in systems])


class Elsewhere:
    """Workers that all leave every kernel to others."""

    def __init__(self):
        self.asked: list[str] = []
        self.ended = False
        self.together = threading.Barrier(2)

    def obtain(self, order, _observer, _stop):
        self.together.wait(30)
        self.asked.append(order.key)
        return False

    def end(self):
        self.ended = True


@pytest.fixture
def systems(tmp_path, monkeypatch):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bison", "flex", "bc"):
        (tools / name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tools}")
    tree = make_tree(tmp_path / "linux")

    def made(*options, **fields):
        build = request(tree, changes=(options,) if options else (), **fields)
        return msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=build))

    return made


def test_a_campaign_asks_for_all_that_is_independent(tmp_path):
    techniques = tuple(FakeTechnique(name) for name in ("a", "b", "c"))
    with Asked(FakeTarget(additive(100, a=10, b=30, c=20)), tmp_path, jobs=2) as bench:
        tried = try_all(bench, base_of(bench), techniques)
        assert bench.asked == [["a", "b", "c"]]
        bench.asked.clear()
        Stacker(bench, tried.base, techniques).run(tried.trials)
    greedy = [["b", "b c"], ["b c", "b c a"], ["b c a"]]
    assert bench.asked == [*greedy, ["c a", "b a", "b c"]], "winners are expected to stay; each is left out once"


def test_a_group_that_fails_is_asked_for_in_halves(tmp_path):
    techniques = tuple(FakeTechnique(name) for name in ("a", "b"))
    changes = [technique.changes(None)[0] for technique in techniques]
    with Asked(FakeTarget(additive(100)), tmp_path, jobs=2) as bench:
        stacker = Stacker(bench, base_of(bench), techniques)
        stacker.ahead([(changes[0],), (changes[1],)])
        stacker.ahead([(changes[0],), (changes[1],)], kept=True)
        stacker.prefetch(tuple(changes))
    assert bench.asked == [["a", "b"], ["a", "a b"], ["a", "b"]]


def test_each_kernel_is_asked_for_once_and_none_is_built_here(tmp_path, systems):
    elsewhere = Elsewhere()
    with Bench(FakeTarget(additive(100)), tmp_path / "s", cache=Cache(tmp_path), jobs=2, elsewhere=elsewhere) as bench:
        bench.build_ahead([systems(), SYSTEM, systems(), systems(prebuilt="/boot/vmlinuz")])
        bench.build_ahead([systems(("C", "y"))])
        while len(elsewhere.asked) < 2:
            assert not elsewhere.together.broken
    assert elsewhere.ended
    assert len(set(elsewhere.asked)) == 2
    assert not list((tmp_path / "kernels").glob("built/*"))


def test_what_is_wrong_with_a_kernel_is_said_by_its_boot(tmp_path, systems):
    ahead = BuildsAhead(Elsewhere(), Cache(tmp_path), 1, None)
    ahead.ask([systems(("B", "y"), ("A", "n"))])
    ahead.end()


class Waiting:
    """Workers that build until somebody stops them, or `go`."""

    def __init__(self):
        self.go = threading.Event()
        self.said: list[tuple[str, str]] = []
        self.changed = threading.Condition()

    def obtain(self, order, _observer, stop):
        self._say("began", order)
        while not self.go.is_set() and not stop.is_set():
            time.sleep(0.005)
        self._say("stopped" if stop.is_set() else "built", order)
        if stop.is_set():
            raise BuildStopped("the build was stopped")
        return False

    def machines(self):
        return 3

    def end(self):
        self.go.set()

    def _say(self, word, order):
        with self.changed:
            self.said.append((word, order.key))
            self.changed.notify_all()

    def wait(self, word, count):
        """Wait until so many builds came so far; return their keys."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self._those(word)) >= count, 60)
            return self._those(word)

    def _those(self, word):
        return [key for said, key in self.said if said == word]


def test_a_guess_is_ended_when_it_cannot_come_any_more_and_stays_when_it_came(tmp_path, systems):
    elsewhere = Waiting()
    one, two, three = systems(("A", "n")), systems(("B", "y")), systems(("C", "y"))
    with Bench(FakeTarget(additive(100)), tmp_path / "s", cache=Cache(tmp_path), jobs=4, elsewhere=elsewhere) as bench:
        assert bench.guesses == 2, "one for each machine that is idle"
        bench.build_guessed([one, two])
        elsewhere.wait("began", 2)
        bench.build_ahead([one])
        bench.build_guessed([three])
        elsewhere.wait("began", 3)
        (stopped,) = elsewhere.wait("stopped", 1)
        bench.build_guessed([three, two])
        assert elsewhere.wait("began", 4)[3] == stopped, "what was ended is asked for again"
        bench.build_guessed([])
        elsewhere.wait("stopped", 3)
        elsewhere.go.set()
        (built,) = elsewhere.wait("built", 1)
    assert built != stopped
    assert not list((tmp_path / "kernels").glob("built/*"))


def test_without_workers_nothing_is_asked_for(tmp_path, systems):
    with Bench(FakeTarget(additive(100)), tmp_path / "s", cache=Cache(tmp_path)) as bench:
        bench.build_ahead([systems()])
        bench.build_guessed([systems()])
        assert bench.guesses == 0
    assert not (tmp_path / "kernels").exists()
