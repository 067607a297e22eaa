# SPDX-License-Identifier: MIT
"""What a quiet console cannot show is seen in a boot without `quiet`, where bootlab cannot put its agent in."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.collectors import diagnosis
from bootlab.collectors.diagnosis import loud_system
from bootlab.errors import ToolMissing
from bootlab.experiments import campaign
from bootlab.experiments.base import Base
from bootlab.experiments.bench import Bench
from bootlab.experiments.campaign import Stack
from bootlab.experiments.closer_look import CloserLook
from bootlab.experiments.selection import Selection
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.target import Target
from bootlab.model.recording import Diagnosis, Outcome, Recording
from bootlab.model.system import Initramfs, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.model.verdict import Trial, Verdict
from bootlab.recordings import recording_dir
from bootlab.recordings.files import RECORDING_FILE
from bootlab.results import assemble
from bootlab.targets.replay import ReplayTarget, fingerprint, record
from bootlab.techniques import get
from bootlab.techniques.base import Evidence
from tests.experiments.fake_bench import FakeTarget, system
from tests.experiments.test_stack_ended import Silent
from tests.techniques.recordings import evidence

NAMED = Selection(ids=("crypto-selftests",))
QUIET = system("quiet")


def cost(params: frozenset[str]) -> float | Outcome:
    return 1000 - 400 * ("cryptomgr.notests" in params) + 30 * ("quiet" not in params)


class PrintingTarget(FakeTarget):
    """A kernel that prints at level info unless it is told not to. What it boots is kept as a replay."""

    def __init__(self, replay: Path, cost=cost) -> None:
        super().__init__(cost)
        self.replay = replay
        replay.mkdir()

    def boot(self, plan: BootPlan, folder: Path, **words) -> Recording:
        made = super().boot(plan, folder, **words)
        line = plan.system.cmdline
        text = "" if line.has("quiet") else "[    0.100000] Memory: 100K/200K available (1K kernel code)\n"
        if text and line.has("cryptomgr.notests"):
            text += "[    0.200000] alg: self-tests disabled\n"
        (folder / RECORDING_FILE).unlink()
        recording_dir.save(folder, made.meta, (), f"{text}g\n".encode(), None)
        made = recording_dir.load(folder)
        if not (self.replay / fingerprint(plan.system, plan.purpose)).exists():
            record(self.replay, plan.system, plan.purpose, made, KernelInfo())
        return made


class Trials(Silent):
    """A journal that keeps the trials and the last base."""

    def __init__(self) -> None:
        self.trials: list[Trial] = []

    def trial(self, trial: Trial) -> None:
        self.trials.append(trial)

    def base(self, base: Base) -> None:
        self.notes = assemble.notes(base)


def stacked(target: Target, at: Path, own: SystemDescription = QUIET) -> tuple[Stack, Trials]:
    journal = Trials()
    with Bench(target, at, jobs=1) as bench:
        return campaign.stack(bench, own, NAMED, journal), journal


def replayed(tmp_path: Path, name: str) -> tuple[Stack, Trials]:
    own = msgspec.structs.replace(QUIET, target="replay", recordings=str(tmp_path / "replay"))
    return stacked(ReplayTarget(own, Cache(tmp_path / "cache")), tmp_path / name, own)


def test_a_quiet_system_without_a_tree_shows_its_effects_in_a_boot_without_quiet(tmp_path: Path):
    target = PrintingTarget(tmp_path / "replay")
    stacked(target, tmp_path / "made")
    found, journal = replayed(tmp_path, "played")
    assert [change.id for change in found.stacked.changes] == ["crypto-selftests"]
    assert [trial.verdict for trial in journal.trials] == [Verdict.FASTER]
    said = "alg: self-tests disabled (console of a boot with loglevel=7)"
    assert journal.trials[0].effect.evidence == found.stacked.steps[0].effect.evidence == said
    assert found.stacked.recording.meta.cmdline == "base quiet cryptomgr.notests", "what is handed over stays quiet"
    assert found.stacked.recording.meta.goal_ns == 600_000_000, "and is timed as it is"
    assert journal.notes[-1].endswith("taken from boots with loglevel=7 in the place of quiet")
    loud = [line for line in target.booted if "loglevel=7" in line]
    assert sorted(loud) == ["base cryptomgr.notests loglevel=7", "base loglevel=7"], "one of each side"


def test_a_replay_without_such_boots_shows_no_effect(tmp_path: Path):
    stacked(PrintingTarget(tmp_path / "replay"), tmp_path / "made")
    for folder in (tmp_path / "replay").iterdir():
        if folder.is_dir() and "loglevel=7" in recording_dir.load(folder).meta.cmdline:
            shutil.rmtree(folder)
    found, journal = replayed(tmp_path, "played")
    assert found.stacked.changes == ()
    assert [trial.verdict for trial in journal.trials] == [Verdict.NO_EFFECT]
    assert journal.notes[-1] == "no diagnostic boot: the system has no root tree for the agent"


@pytest.mark.parametrize("fails", ["base loglevel=7", "base cryptomgr.notests loglevel=7"])
def test_a_boot_without_quiet_that_fails_proves_nothing(tmp_path: Path, fails: str):
    target = PrintingTarget(
        tmp_path / "replay",
        lambda params: Outcome.HANG if params == frozenset(fails.split()) else cost(params),
    )
    found, journal = stacked(target, tmp_path / "made")
    assert found.stacked.changes == ()
    assert [trial.verdict for trial in journal.trials] == [Verdict.NO_EFFECT]


def test_a_missing_compiler_is_named_before_anything_boots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def missing(arch: str) -> Path:
        raise ToolMissing(f"{arch}-gcc", package="gcc", needed_for="to build the agent of diagnostic boots")

    monkeypatch.setattr(diagnosis, "agent_path", missing)
    target = FakeTarget(cost)
    own = msgspec.structs.replace(QUIET, initramfs=Initramfs(tree=FileTree.of({"/init": Entry(kind="file", text="")})))
    with Bench(target, tmp_path, jobs=1) as bench, pytest.raises(ToolMissing, match="x86_64-gcc"):
        campaign.stack(bench, own, NAMED, Silent())
    assert target.booted == []


def test_quiet_and_loglevel_go():
    assert str(loud_system(system("quiet", "loglevel=3", "x")).cmdline) == "base x loglevel=7"
    assert loud_system(system("loglevel=7")) == system("loglevel=7")


def test_when_another_boot_is_wanted():
    quiet, base = evidence("quiet"), evidence("base")
    agent = _look(base, evidence("base", diagnostic="diagnostic").diagnosis)
    assert agent.wanted(get("crypto-selftests"), quiet)
    assert not agent.wanted(get("crypto-selftests"), base)
    assert not agent.wanted(get("quiet"), quiet)
    assert agent.wanted(get("initcall-blacklist"), base)
    assert not agent.wanted(get("initcall-blacklist"), evidence("base", diagnostic="diagnostic"))
    messages = _look(base)
    assert messages.wanted(get("crypto-selftests"), quiet)
    assert not messages.wanted(get("crypto-selftests"), msgspec.structs.replace(quiet, loud=base.recording))
    assert not messages.wanted(get("initcall-blacklist"), quiet), "no message shows it"
    assert not _look(quiet).wanted(get("crypto-selftests"), quiet), "the base has no messages"


def _look(base: Evidence, seen: Diagnosis | None = None) -> CloserLook:
    own = Base(system=base.system, recording=base.recording, diagnosis=seen, info=KernelInfo())
    return CloserLook(None, own)  # type: ignore[arg-type] # it boots nothing
