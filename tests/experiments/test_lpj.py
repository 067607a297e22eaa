# SPDX-License-Identifier: MIT
"""The five tests of a preset and the saving by tick rate, on a target that takes presets as kernels do."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import MeasurementError, UserError
from bootlab.experiments.base import BaseFailedError
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.experiments.lpj import LpjRates, LpjTests, base_value, recalibrated
from bootlab.launch.boot_plan import BootPlan, Purpose
from bootlab.launch.target import ProgressSink
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.system import Goal, Kernel, KernelBuild, Machine, SystemDescription
from bootlab.recordings import recording_dir
from bootlab.views.table import markdown

SYSTEM = SystemDescription(
    name="board",
    kernel=Kernel(image="", build=KernelBuild()),
    goal=Goal(console="up"),
    machine=Machine(arch="arm", type="vexpress-a9"),
    cmdline=CommandLine.parse("console=ttyAMA0 quiet"),
)
LOOPS_PER_S = 31_129_600
MS = 1_000_000


class Calibrating:
    """Boots kernels that calibrate; `merge` joins the boot loader's line and the compiled-in one."""

    def __init__(self, *, computed: bool = False, stuck: bool = False, deaf: bool = False) -> None:
        self.computed = computed
        self.stuck = stuck
        self.deaf = deaf
        self.lines: list[str] = []

    def plan(self, system: SystemDescription, purpose: Purpose = "timing") -> BootPlan:
        key = f"{hash((str(system.cmdline), system.kernel)) & 0xFFFFFFFFFFFF:x}"
        return BootPlan(system=system, purpose=purpose, key=key, info=KernelInfo(), sizes_bytes={}, sha256={})

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        folder.mkdir(parents=True)
        options = {name: value for change in plan.system.kernel.build.changes for name, value in change}
        line = self.merge(str(plan.system.cmdline), options)
        self.lines.append(line)
        hz = next((int(name[3:]) for name in options if name.startswith("HZ_")), 100)
        words = dict(word.partition("=")[::2] for word in line.split())
        asked = 0 if self.deaf else int(words.get("lpj") or 0)
        lpj = asked or LOOPS_PER_S // hz
        mips = f"{lpj // (500000 // hz)}.{lpj // (5000 // hz) % 100:02d} BogoMIPS (lpj={lpj})"
        form, cost_ms = "loop... ", 8800 // hz
        if asked:
            form, cost_ms = "loop (skipped) preset value.. ", 0
        elif self.computed:
            form, cost_ms = "loop (skipped), value calculated using timer frequency.. ", 0
        console = (
            f"[    0.000000] Linux version 6.1.192 (a@b) #1\n[    0.000000] Kernel command line: {line}\n"
            f"[    0.010000] Calibrating delay {form}{mips}\n[    0.{10 + cost_ms:03d}000] CPU: Testing write buffer\n"
            "[    0.700000] Run /init as init process\nup\n"
        ).encode()
        outcome = Outcome.HANG if self.stuck else Outcome.GOAL
        goal_ns = None if self.stuck else (700 + cost_ms) * MS
        recording_dir.save(folder, Meta(key=plan.key, outcome=outcome, goal_ns=goal_ns), (), console, None)
        return recording_dir.load(folder)

    @staticmethod
    def merge(passed: str, options: dict[str, str]) -> str:
        inside = options.get("CMDLINE", "").strip('"')
        if options.get("CMDLINE_EXTEND") == "y":
            return f"{passed} {inside}"
        return passed or inside


@pytest.fixture
def bench(tmp_path):
    def make(target: Calibrating) -> Bench:
        opened.append(Bench(target, tmp_path))
        return opened[-1]

    opened: list[Bench] = []
    yield make
    for one in opened:
        one.__exit__(None, None, None)


def run_tests(bench: Bench, system: SystemDescription, way=None):
    return compare(LpjTests(way), bench, system)


def savings(bench: Bench, system: SystemDescription, rates_hz: tuple[int, ...]):
    return compare(LpjRates(*rates_hz), bench, system)


def test_five_tests_pass_where_the_boot_loaders_line_wins(bench):
    matrix = run_tests(bench(Calibrating()), SYSTEM)
    assert matrix.sound
    assert matrix.facts == {"way": "fallback", "lpj": 311296, "hz": 100}
    assert [row.values["got"] for row in matrix.rows] == [
        "calibrates 311296", "preset 311297", "preset 311296", "preset 311297", "calibrates 311296",
    ]  # fmt: skip
    assert [row.values["saved_ns"] for row in matrix.rows] == [0, 88 * MS, 88 * MS, 88 * MS, 0]


def test_a_fallback_is_tested_without_a_line_of_the_boot_loader(bench):
    target = Calibrating()
    matrix = run_tests(bench(target), SYSTEM)
    assert matrix.rows[2].cmdline == ""
    assert matrix.rows[2].values["compiled_in"] == "console=ttyAMA0 lpj=311296"
    assert all("quiet" not in line for line in target.lines)


def test_an_appended_preset_wins_and_two_tests_say_so(bench):
    matrix = run_tests(bench(Calibrating()), SYSTEM, "appended")
    assert [row.ok for row in matrix.rows] == [True, True, True, False, False]
    assert matrix.rows[3].values["got"] == "preset 311296"
    assert "FAIL" in markdown.page(matrix)


def test_a_kernel_that_computes_its_value_is_not_tested(bench):
    with pytest.raises(MeasurementError, match="does not calibrate"):
        run_tests(bench(Calibrating(computed=True)), SYSTEM)


def test_a_base_that_does_not_boot_is_said(bench):
    with pytest.raises(BaseFailedError):
        base_value(bench(Calibrating(stuck=True)), SYSTEM)


def test_an_image_without_a_source_is_not_tested(bench):
    image = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="zImage"))
    for call in (run_tests, lambda b, s: savings(b, s, (100,))):
        with pytest.raises(UserError, match="is not built"):
            call(bench(Calibrating()), image)


def test_the_saving_falls_with_the_rate(bench):
    sweep = savings(bench(Calibrating()), SYSTEM, (100, 250, 1000))
    assert [row.values["saved_ns"] for row in sweep.rows] == [88 * MS, 35 * MS, 8 * MS]
    assert [row.values["lpj"] for row in sweep.rows] == [311296, 124518, 31129]
    assert "| 1000 | 31129 | 8.000 |" in markdown.section(sweep)


def test_a_preset_that_is_not_taken_is_no_saving(bench):
    with pytest.raises(MeasurementError, match="did not use the preset"):
        savings(bench(Calibrating(deaf=True)), SYSTEM, (100,))


def test_recalibration_overrules_a_preset(bench):
    target = Calibrating()
    preset = msgspec.structs.replace(SYSTEM, cmdline=CommandLine.parse("console=ttyAMA0 lpj=5"))
    assert recalibrated(bench(target), preset).found.source == "measured"
    assert target.lines == ["console=ttyAMA0 lpj=0"]


def test_rates_are_booted_side_by_side_once_the_first_calibrates(tmp_path):
    class Pairs(Calibrating):
        """Ends no boot but the first and the last before another one has begun."""

        def __init__(self):
            super().__init__()
            self.both = threading.Barrier(2)

        def boot(self, plan, folder, *, stop, progress=None):
            made = super().boot(plan, folder, stop=stop, progress=progress)
            if 1 < len(self.lines) < 6:
                self.both.wait(timeout=60)
            return made

    target = Pairs()
    with Bench(target, tmp_path, jobs=2) as bench:
        found = savings(bench, SYSTEM, (100, 250, 1000))
    assert [row.title for row in found.rows] == ["100", "250", "1000"]
    assert len(target.lines) == 6
