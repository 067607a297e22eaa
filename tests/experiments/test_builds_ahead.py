"""Kernels of independent candidates are asked for at once, where workers build them, and nowhere else."""

from __future__ import annotations

import os
import threading

import msgspec
import pytest

from bootlab.builders.cache import Cache
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

    def obtain(self, order, _observer):
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


def test_without_workers_nothing_is_asked_for(tmp_path, systems):
    with Bench(FakeTarget(additive(100)), tmp_path / "s", cache=Cache(tmp_path)) as bench:
        bench.build_ahead([systems()])
    assert not (tmp_path / "kernels").exists()
