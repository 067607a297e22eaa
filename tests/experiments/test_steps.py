# SPDX-License-Identifier: MIT
"""The way of a system's steps: what stands on what, which proof counts, and what is left out."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest

from bootlab.collectors import mapped_files
from bootlab.errors import UserError
from bootlab.experiments import steps
from bootlab.experiments.base import BaseFailedError
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.model.boot_loader import Loader
from bootlab.model.cmdline import CommandLine, Param
from bootlab.model.recording import Diagnosis, Mark, Meta, Outcome, Recording
from bootlab.model.step_change import after_step
from bootlab.model.steps import Step
from bootlab.model.system import Goal, Initramfs, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.recordings import recording_dir
from bootlab.views.table.cells import state
from tests.experiments.fake_bench import MS, FakeTarget

TREE = FileTree.of(
    {
        "/bin/app": Entry(kind="symlink", target="../usr/bin/real"),
        "/usr/bin/real": Entry(kind="file", text="x" * 100),
        "/usr/lib/a.so": Entry(kind="file", text="x" * 20),
        "/usr/share/doc/a": Entry(kind="file", text="x"),
    }
)
MAPS = (
    "1 10000-20000 r-xp 00000000 00:02 7          /usr/bin/real",
    "1 b6f00000-b6f10000 r-xp 00000000 00:02 8          /usr/lib/a.so",
    "1 b6f10000-b6f20000 rw-p 00010000 00:02 8          /usr/lib/a.so",
    "30 10000-20000 r-xp 00000000 00:02 9          /bootlab-agent",
)


def system(*made: Step, line: str = "base") -> SystemDescription:
    return SystemDescription(
        name="app", kernel=Kernel(image="k"), goal=Goal(console="ready", name="first use"), target="replay",
        cmdline=CommandLine.parse(line), initramfs=Initramfs(tree=TREE), application="/bin/app", steps=made,
    )  # fmt: skip


class Target(FakeTarget):
    """Boots whose console names the tree's files and the parameters; a diagnostic one reports the agent's maps."""

    def __init__(
        self, ends: Callable[[SystemDescription], Outcome] = lambda _: Outcome.GOAL, marks: tuple[Mark, ...] = ()
    ) -> None:
        super().__init__(lambda _: 1.0)
        self.ends = ends
        self.marks = marks

    def plan(self, system, purpose="timing"):
        plan = super().plan(system, purpose)
        files = "_".join(path.strip("/").replace("/", "_") for path, _ in system.tree.entries)
        return msgspec.structs.replace(plan, key=f"{plan.key}_{len(files)}", sizes_bytes={"initramfs": len(files)})

    def boot(self, plan, folder, *, stop, progress=None):
        del stop, progress
        folder.mkdir(parents=True)
        self.booted.append(plan.purpose)
        words = [f"has {path}" for path, _ in plan.system.tree.entries] + [f"says {plan.system.cmdline}"]
        if plan.purpose == "diagnostic":
            words = ["@BL1 begin", *(f"@BL1 proc maps {line}" for line in MAPS), f"@BL1 end {len(MAPS)}"]
        outcome = self.ends(plan.system)
        meta = Meta(
            key=plan.key, outcome=outcome, reason="panic", artefact_bytes=plan.sizes_bytes, check_groups=(("sum",),),
            goal_ns=len(plan.system.tree.entries) * MS, goal_clock="virtual", cmdline=str(plan.system.cmdline),
        )  # fmt: skip
        recording_dir.save(folder, meta, self.marks, "".join(f"{word}\n" for word in words).encode(), None)
        return recording_dir.load(folder)


def climbed(tmp_path, start: SystemDescription, target: Target | None = None):
    with Bench(target or Target(), tmp_path) as bench:
        return compare(steps.Steps(), bench, start)


def test_each_step_stands_on_those_before_it(tmp_path):
    smaller = Step(name="smaller", title="No documentation", remove=("/usr/share/*",), gone="has /usr/share")
    put = Step(name="put", tree=FileTree.of({"/new": Entry(kind="file", text="")}), shown="has /new", published="-1 ms")
    found = climbed(tmp_path, system(smaller, put))
    assert [(row.id, row.ok, row.proved) for row in found.rows] == [
        ("as-it-is", True, True), ("smaller", True, True), ("put", True, True),
    ]  # fmt: skip
    assert [row.values["tree_files"] for row in found.rows] == [3, 2, 3]
    assert found.rows[1].proof == "gone: has /usr/share/doc/a"
    assert (found.rows[1].values["what"], found.rows[2].values["what"]) == ("1 files less", "1 files more")
    assert found.rows[2].values["published"] == "-1 ms"
    first = found.rows[0].values
    sizes = [first[name] for name in ("application_bytes", "libraries", "library_bytes", "processes")]
    assert sizes == [100, 1, 20, 1]


def test_behind_a_boot_loader_the_stages_of_each_row_add_up_to_the_whole_time(tmp_path):
    put = Step(name="put", tree=FileTree.of({"/new": Entry(kind="file", text="")}), shown="has /new")
    chain = msgspec.structs.replace(system(put), loader=Loader(card="card.img"))
    names = ("power-on", "spl", "u-boot", "kernel-entry")
    marks = tuple(Mark(name, at * MS // 2, at) for at, name in enumerate(names))
    found = climbed(tmp_path, chain, Target(marks=marks))
    for row in found.rows:
        stages = {key: value for key, value in row.values.items() if key.startswith("stage:")}
        assert list(stages) == ["stage:firmware", "stage:SPL", "stage:U-Boot", "stage:kernel set-up"]
        assert sum(stages.values()) == row.values["goal_ns"]
    assert found.headline.startswith(
        "app: from power-on to first use 4.000 to 5.000 ms: 1.2 times as long, +25.0 %; from the first program"
    )
    assert any(table.columns == ("title", *stages) for table in found.tables)


def test_boots_are_made_once(tmp_path):
    start = system(Step(name="quieter", set=(Param("quiet"),), shown="says base quiet"))
    target = Target()
    first = climbed(tmp_path, start, target)
    made = len(target.booted)
    assert climbed(tmp_path, start, target) == first
    assert len(target.booted) == made


def test_what_is_not_seen_is_not_proved(tmp_path):
    made = (
        Step(name="never", drop=("base",), shown="says nothing like it"),
        Step(name="before", set=(Param("a"),), shown="has /bin/app"),
        Step(name="still", set=(Param("b"),), gone="has /bin/app"),
        Step(name="mapped", remove=("/usr/share/*",), gone="mapped /usr/bin/real /usr/lib/a.so"),
    )
    found = climbed(tmp_path, system(*made))
    assert [row.ok for row in found.rows] == [True] * 5
    assert [row.proved for row in found.rows[1:]] == [False] * 4
    texts = [row.proof.partition(":")[0] for row in found.rows[1:]]
    assert texts == ["not seen", "it was there before", "it is still there", "it is still there"]


def test_a_step_whose_boot_the_host_ended_is_unknown_and_not_failed(tmp_path):
    class Killed(Target):
        def boot(self, plan, folder, *, stop, progress=None):
            made = super().boot(plan, folder, stop=stop, progress=progress)
            if not plan.system.cmdline.has("bad"):
                return made
            meta = msgspec.structs.replace(
                made.meta, outcome=Outcome.EMULATOR_DIED, host_limit=True, reason="QEMU was ended by SIGKILL",
                ended_by="outside", end_ns=len(self.booted),
            )  # fmt: skip
            return recording_dir.restate(folder, made, meta)

    made = (Step(name="bad", set=(Param("bad"),), shown="x"), Step(name="good", set=(Param("a"),), shown="says base a"))
    rows = climbed(tmp_path, system(*made), Killed()).rows
    assert [row.verdict for row in rows] == ["", "unknown", ""]
    assert rows[1].reason.startswith("left out: the host ended the boot: QEMU was ended by SIGKILL")
    assert state(rows[1]).startswith("unknown: ")
    assert rows[2].proved


def test_a_step_that_fails_is_left_out_of_what_follows(tmp_path):
    def ends(system: SystemDescription) -> Outcome:
        return Outcome.PANIC if system.cmdline.has("bad") else Outcome.GOAL

    made = (
        Step(name="bad", set=(Param("bad"),), shown="bad"),
        Step(name="unknown", technique="app-as-init:twice"),
        Step(name="nothing", technique="root-in-initramfs"),
        Step(name="missing", remove=("/none/*",), shown="y"),
        Step(name="nobody", technique="no-such-technique"),
        Step(name="good", set=(Param("good"),), shown="good"),
    )
    found = climbed(tmp_path, system(*made), Target(ends))
    assert [row.ok for row in found.rows] == [True, False, False, False, False, False, True]
    assert found.rows[1].reason == "left out: panic: panic"
    assert "proposes app-as-init here, not app-as-init:twice" in found.rows[2].reason
    assert "has nothing to change here: bootlab packs no root" in found.rows[3].reason
    assert "nothing in the tree matches remove = '/none/*'" in found.rows[4].reason
    assert "there is no technique 'no-such-technique'" in found.rows[5].reason
    assert found.rows[6].cmdline == "base good"


def test_a_technique_brings_its_own_proof(tmp_path):
    found = climbed(tmp_path, system(Step(name="init", technique="app-as-init")))
    assert found.rows[1].ok
    assert found.rows[1].cmdline == "base rdinit=/bin/app"
    # This console holds no line of the kernel's about its init.
    assert not found.rows[1].proved


def test_systems_without_a_way(tmp_path):
    with pytest.raises(UserError, match="has no steps"):
        climbed(tmp_path, system())
    bare = msgspec.structs.replace(system(Step(name="x", remove=("/a",), shown="y")), initramfs=None)
    with pytest.raises(UserError, match="no root tree"):
        after_step(bare, bare.steps[0])
    with pytest.raises(BaseFailedError):
        climbed(tmp_path / "other", system(Step(name="x", technique="y")), Target(lambda _: Outcome.PANIC))


def test_of_a_long_line_what_matched_is_quoted():
    around = steps._around(re.compile("middle"), f"{'x' * 300} middle {'y' * 300}")
    assert around == f"…{'x' * 39} middle {'y' * 39}…"
    assert steps._around(re.compile("b"), " a b c\n") == "a b c"


def test_removing_leaves_what_is_kept_and_replaces_programs():
    step = Step(name="x", remove=("/usr/*",), keep=("/usr/lib/*",), arguments=("-v",))
    changed = after_step(system(line="a -- old"), step)
    assert [path for path, _ in changed.tree.entries] == ["/bin/app", "/usr/lib/a.so"]
    assert str(changed.cmdline) == "a -- -v"


@pytest.mark.parametrize("text", ["", "rubbish", "1 2-3 r-xp", "x" * 100_000, "1 a-b r-xp 0 0:0 0 [stack]"])
def test_reports_without_mappings_tell_nothing(text):
    diagnosis = Diagnosis(recording=Recording(meta=Meta(), lines=(), marks=()), proc={"maps": text})
    assert mapped_files.processes(diagnosis) is None
    assert mapped_files.lines(mapped_files.processes(None)) == ()
