# SPDX-License-Identifier: MIT
"""What a console costs on lines of several rates: rows out of boots that are sums."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.experiments.console_pace import ConsolePace
from bootlab.model.recording import Meta, Outcome
from bootlab.model.system import Clockwork
from bootlab.recordings import recording_dir
from bootlab.views.table import markdown, terminal
from tests.experiments.fake_bench import MS, SYSTEM, FakeTarget

FREE = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))
LOUD = b"".join(b"[    0.%06d] line %d of the kernel\r\n" % (number, number) for number in range(100))
PROGRAM = b"g is there\r\n"


class Line(FakeTarget):
    """A guest that computes for 500 ms and then waits for its line, some share of what the model says."""

    def __init__(self, share: float = 1.0) -> None:
        super().__init__(lambda _params: 0)
        self.share = share
        self.fail_at = -1

    def plan(self, system, purpose="timing"):
        plan = super().plan(system, purpose)
        return msgspec.structs.replace(plan, key=f"{plan.key}_{system.machine.console_baud}")

    def boot(self, plan, folder, *, stop, progress=None):
        folder.mkdir(parents=True)
        baud = plan.system.machine.console_baud
        quiet = plan.system.cmdline.has("quiet")
        self.booted.append(f"{baud} {quiet}")
        console = PROGRAM if quiet else LOUD + PROGRAM
        goal_ns = 500 * MS + len(self.booted) * 1000
        if baud:
            goal_ns += int(self.share * len(console) * 10 * 1_000_000_000 / baud)
        outcome = Outcome.HANG if baud == self.fail_at else Outcome.GOAL
        meta = Meta(
            key=plan.key, outcome=outcome, goal_ns=goal_ns if outcome is Outcome.GOAL else None,
            reason="" if outcome is Outcome.GOAL else "the console was quiet", console_bytes=len(console),
            cmdline=str(plan.system.cmdline), goal_clock="wall",
        )  # fmt: skip
        recording_dir.save(folder, meta, (), console, None)
        return recording_dir.load(folder)


def run(tmp_path, target: Line, *ids: str, **arguments):
    with Bench(target, tmp_path / "store", cache=Cache(tmp_path / "cache"), jobs=1) as bench:
        return compare(ConsolePace(*ids, **arguments), bench, FREE)


def test_a_line_adds_what_the_model_says_and_quiet_saves_it(tmp_path):
    target = Line()
    found = run(tmp_path, target, bauds=(9_600, 115_200), rounds=3)
    rows = {(row.title, row.values["baud"]): row for row in found.rows}
    assert [key for key in rows if key[1] == 0] == [("as it is", 0), ("Quiet console", 0)]
    loud, quiet = rows[("as it is", 9_600)], rows[("Quiet console", 9_600)]
    assert loud.values["model_ns"] == round((len(LOUD) + len(PROGRAM)) * 10 * 1_000_000_000 / 9_600)
    assert loud.values["share"] == pytest.approx(1, abs=1e-3)
    assert quiet.ns("saved_ns") == pytest.approx(len(LOUD) * 10 / 9_600 * 1e9, rel=1e-3)
    assert quiet.ns("model_saved_ns") == pytest.approx(len(LOUD) * 10 / 9_600 * 1e9, rel=1e-3)
    assert quiet.proved
    assert "gone" in quiet.proof
    assert loud.ns("saved_ns") is None
    # Every line is booted as often, and no round as the one before.
    assert sorted(target.booted[1:]) == sorted(["0 False", "0 True", "9600 False", "9600 True"] * 3
                                               + ["115200 False", "115200 True"] * 3)  # fmt: skip
    assert target.booted[1:7] != target.booted[7:13]
    assert "saves" in found.headline
    assert "9 600" in found.headline.replace("\u202f", " ")
    assert "wall ms" in markdown.section(found)
    assert terminal.view(found, everything=True) is not None


def test_a_share_of_the_model_is_not_told_where_the_boots_scatter_more(tmp_path):
    found = run(tmp_path, Line(), bauds=(4_000_000,), rounds=40)
    quiet = next(row for row in found.rows if row.values["baud"] and row.title == "Quiet console")
    # 12 characters take 30 µs; the boots of this cell lie up to 0.2 ms apart.
    assert quiet.values["share"] is None
    assert quiet.values["model_ns"] == 30_000


def test_a_boot_faster_than_its_line_proves_that_there_was_none(tmp_path):
    found = run(tmp_path, Line(share=0.1), bauds=(1_200,), rounds=1)
    loud = next(row for row in found.rows if row.id == "base-1200")
    assert not loud.proved
    assert loud.proof == "a boot was faster than its line carries characters"


def test_a_system_that_does_not_boot_on_a_line_is_told(tmp_path):
    target = Line()
    target.fail_at = 9_600
    found = run(tmp_path, target, bauds=(9_600,), rounds=2)
    failed = [row for row in found.rows if not row.ok]
    assert [row.id for row in failed] == ["base-9600", "quiet-9600"]
    assert failed[0].reason == "hang: the console was quiet"
    assert failed[0].ns("goal_ns") is None


def test_exact_mode_has_no_line(tmp_path):
    bench = Bench(Line(), tmp_path / "store", cache=Cache(tmp_path / "cache"), jobs=1)
    with bench, pytest.raises(UserError, match="free mode") as fault:
        compare(ConsolePace(), bench, SYSTEM)
    assert "clock.mode" in fault.value.hint


def test_the_same_question_goes_on_with_its_own_boots(tmp_path):
    target = Line()
    first = run(tmp_path, target, bauds=(115_200,), rounds=3)
    made = len(target.booted)
    assert run(tmp_path, target, bauds=(115_200,), rounds=3).rows == first.rows
    assert len(target.booted) == made, "nothing is booted twice"
    assert run(tmp_path, target, bauds=(115_200,), rounds=3, seed=2).rows != first.rows
    assert len(target.booted) == 2 * made, "another order is another day"
