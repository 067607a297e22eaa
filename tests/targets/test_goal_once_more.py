# SPDX-License-Identifier: MIT
"""A restart that keeps the power on: it ends at the goal once more, behind the restart and not before it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bootlab.analysis.stages import stages_of, timeline_of
from bootlab.launch import qemu_launch
from bootlab.launch.ending import Decided, Ending
from bootlab.launch.watch import ConsoleWatch
from bootlab.model.recording import Outcome
from bootlab.model.shutdown import DOWN_FUNCTIONS, Shutdown
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.recordings.stamps import KERNEL_2_MARK, USER_2_MARK, StampFile
from bootlab.results.document import BootSummary
from bootlab.targets import shutdown
from bootlab.targets.asked_end import AskedEnd, _Again
from tests.recordings.test_stamps import stamp_file
from tests.targets.test_shutdown import PLAN

SYSTEM = SystemDescription(
    name="box",
    kernel=Kernel(image="/k"),
    goal=Goal(console="box:~# "),
    marks=(("rc-scripts", "^rc: "),),
    shutdown=Shutdown(ask="typed", typed="again", until="goal"),
)
BEFORE = b"rc: start\nbox:~# "
# The shell prompts again before the system goes down.
ASKED = b"again\nbox:~# "
SOFT = b"[  OK  ] Reached target x - Reboot System Userspace.\nsystemd[1]: Soft-rebooting.\nrc: start\nbox:~# "
NAMES = ("start-kernel", "kexec", *DOWN_FUNCTIONS)
KEXEC = {NAMES.index("kernel_kexec"): 50, NAMES.index("kexec"): 55, KERNEL_2_MARK: 60, USER_2_MARK: 62}


def machine(folder, console: bytes, marks: dict[int, int]) -> tuple[_Again, AskedEnd]:
    """Return who looks for the goal in a console of which each byte took a nanosecond."""
    watch = ConsoleWatch(None, SYSTEM)
    watch.feed(BEFORE)
    found = AskedEnd(decided=Decided(Ending(Outcome.GOAL), watch), how="typed", goal_ns=17, asked_ns=23, asked_insns=23)
    written(folder, console, marks)
    return _Again(SimpleNamespace(system=SYSTEM), folder, found), found


def written(folder, console: bytes, marks: dict[int, int]) -> None:
    (folder / qemu_launch.CONSOLE_FILE).write_bytes(console)
    rows = [(end, end, end) for end in range(1, len(console) + 1)]
    table = {number: (1, ns, ns) for number, ns in marks.items()}
    (folder / qemu_launch.STAMP_FILE).write_bytes(stamp_file(rows, stamped=len(console), marks=table))


@pytest.mark.parametrize(("last", "marks"), [(SOFT, {}), (b"x" * 40 + b"\nrc: start\nbox:~# ", KEXEC)])
def test_the_prompt_before_the_restart_is_not_the_end(tmp_path, last, marks):
    again, found = machine(tmp_path, BEFORE + ASKED, {})
    assert [again.seen(found.asked_ns) for _ in range(3)] == [0, 0, 0]
    whole = BEFORE + ASKED + last
    written(tmp_path, whole, marks)
    # A line that is still open may grow.
    assert [again.seen(found.asked_ns) for _ in range(2)] == [0, len(whole)]


def test_another_kernel_that_came_before_the_asking_is_no_restart(tmp_path):
    again, found = machine(tmp_path, BEFORE + ASKED, {KERNEL_2_MARK: 5})
    assert [again.seen(found.asked_ns) for _ in range(3)] == [0, 0, 0]


def recorded(folder, last: bytes, marks: dict[int, int]):
    console = BEFORE + ASKED + last
    _, found = machine(folder, console + b"late", marks)
    plan = PLAN.__class__(**{name: getattr(PLAN, name) for name in PLAN.__struct_fields__} | {
        "system": SYSTEM, "mark_names": NAMES})  # fmt: skip
    assert StampFile(folder / qemu_launch.STAMP_FILE).read(len(console)) is not None
    end = AskedEnd(
        decided=found.decided, how="typed", goal_ns=17, asked_ns=23, asked_insns=23, again_bytes=len(console)
    )
    (folder / "ends.bin").write_bytes(b"")
    return shutdown.record(plan, folder, end, 1.0), len(console)


def test_a_soft_reboot_has_its_stages(tmp_path):
    recording, end = recorded(tmp_path, SOFT, {})
    assert (recording.meta.outcome, recording.meta.goal_ns) == (Outcome.GOAL, end - 23)
    assert [stage.name for stage in stages_of(recording)] == ["stopping services", "soft reboot", "RC scripts"]
    # The lines of units before it are the way down's.
    said = next(mark for mark in recording.marks if mark.name == "soft-reboot")
    assert said.ns == (BEFORE + ASKED + SOFT).index(b"ing.\n") + len("ing") - 23
    assert recording.console.endswith(b"box:~# ")
    assert BootSummary.of(recording, timeline_of(recording)).whole == "asked to goal"


def test_a_restart_by_kexec_has_its_stages(tmp_path):
    recording, end = recorded(tmp_path, b"x" * 40 + b"\nrc: start\nbox:~# ", KEXEC)
    assert recording.meta.goal_ns == end - 23
    assert [stage.name for stage in stages_of(recording)] == [
        "stopping services", "devices down", "kexec", "kernel 2", "user space 2", "RC scripts"
    ]  # fmt: skip
    assert recording.marks[0].name == "asked"
