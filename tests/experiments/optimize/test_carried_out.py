# SPDX-License-Identifier: MIT
"""Carrying a plan out, on fake boots: what is said first, what lies in `optimized/` at the end."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from bootlab import techniques
from bootlab.api import optimizing
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.shrinking import Shrinking, UnusedOptions
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.system import Goal, Kernel, KernelBuild
from bootlab.results import file as results_file
from bootlab.store import runs
from tests.experiments.fake_bench import SYSTEM, FakeTarget, FakeTechnique, additive


@pytest.fixture
def bench(tmp_path, monkeypatch):
    own = (FakeTechnique("a"), FakeTechnique("b"))
    monkeypatch.setattr(techniques, "all_techniques", lambda: own)
    monkeypatch.setattr(techniques, "get", {one.id: one for one in own}.__getitem__)
    with Bench(FakeTarget(additive(1000, a=100, b=-20)), tmp_path, jobs=1) as found:
        yield found


def test_the_plan_is_said_before_the_first_step(bench, tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(Bench, "decided", lambda _bench, text: said.append(text.strip()))
    base, plan, applies = optimizing.planned(bench, SYSTEM, optimizing.wishes_of())
    optimizing.carried_out(bench, tmp_path, base, plan, applies)
    assert said[0] == "plan, command line: a, b"
    assert said[1].startswith("About ")
    assert "boots" in said[1]
    assert any(text.startswith("kept ") for text in said[2:])


def test_a_run_that_is_cut_off_before_its_reports_goes_on(bench, tmp_path, monkeypatch):
    """It counts as ended only when they are there."""

    def cut(*_args):
        raise KeyboardInterrupt

    base, plan, applies = optimizing.planned(bench, SYSTEM, optimizing.wishes_of())
    with monkeypatch.context() as patched:
        patched.setattr("bootlab.api.results.Results.markdown", cut)
        with pytest.raises(KeyboardInterrupt):
            optimizing.carried_out(bench, tmp_path, base, plan, applies)
    (cut_off,) = runs.all_runs(tmp_path)
    assert (cut_off.folder / runs.CAMPAIGN_FILE).is_file()
    optimizing.carried_out(bench, tmp_path, base, plan, applies)
    (run,) = runs.all_runs(tmp_path)
    assert not (run.folder / runs.CAMPAIGN_FILE).exists()
    names = {path.name for path in (run.folder / "optimized").iterdir()}
    assert {"report.html", "report.md", "by-hand.sh", "cmdline.txt", "system.toml"} <= names
    assert [change.id for change in results_file.load(run.folder).stack.changes] == ["a"]


def test_another_system_or_plan_is_another_run(bench, tmp_path):

    _, plan, applies = optimizing.planned(bench, SYSTEM, optimizing.wishes_of())
    own = techniques.all_techniques()
    optimizing.OptimizeJournal(tmp_path, SYSTEM, plan, applies, own, reproduce="x")
    optimizing.OptimizeJournal(tmp_path, SYSTEM, msgspec.structs.replace(plan, jobs=9), applies, own, reproduce="x")
    assert len(list((tmp_path / "runs").iterdir())) == 1, "how fast a machine is decides nothing"
    other = msgspec.structs.replace(plan, final=("/bin/x",))
    optimizing.OptimizeJournal(tmp_path, SYSTEM, other, applies, own, reproduce="x")
    system = msgspec.structs.replace(SYSTEM, goal=Goal(console="other"))
    optimizing.OptimizeJournal(tmp_path, system, plan, applies, own, reproduce="x")
    assert len(list((tmp_path / "runs").iterdir())) == 3


def test_the_kernels_texts_lead_from_the_base_to_the_result_and_say_why_what_is_on_stays():
    def plan(**options):
        config = {f"CONFIG_{name}": value for name, value in options.items()}
        return BootPlan(
            system=SYSTEM, purpose="timing", key="k", info=KernelInfo(config=config), sizes_bytes={}, sha256={}
        )

    built = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=KernelBuild()))
    shrinking = Shrinking(
        technique=UnusedOptions(("NET",)),
        change=None,
        dropped=("NET",),
        kept={"BLOCK": "panic: no root"},
        asked=2,
        needed={"TTY": "tty_write() ran when programs ran"},
    )
    found = SimpleNamespace(system=built, shrinking=shrinking)
    before = plan(NET="y", TTY="y", BLOCK="y", X86="y", HZ="250", LOCALVERSION='""')
    after = plan(NET="n", TTY="y", BLOCK="y", X86="y", HZ="100", LOCALVERSION='""')
    texts = optimizing._kernel_texts(before, after, found)
    assert set(texts["kernel.fragment"].splitlines()) == {"# CONFIG_NET is not set", "CONFIG_HZ=100"}
    assert "CONFIG_TTY=y\n" in texts["kernel.config"]
    assert texts["kernel.kept"].splitlines() == [
        "CONFIG_BLOCK: panic: no root",
        "CONFIG_TTY: tty_write() ran when programs ran",
        "CONFIG_X86: no function of the traced boots is known to be its own: it was not offered",
    ]
    assert optimizing._kernel_texts(before, after, SimpleNamespace(system=SYSTEM, shrinking=None)) == {}
