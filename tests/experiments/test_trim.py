# SPDX-License-Identifier: MIT
"""Trimming against a machine that is a function of its tree: what is watched, what is missing, what is put back."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import MeasurementError, TargetError, UserError
from bootlab.experiments.base import BaseFailedError
from bootlab.experiments.bench import Bench
from bootlab.experiments.trim import TrimRequest, trim
from bootlab.experiments.trim_table import trim_table
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.accesses import Access, Accesses, MethodState
from bootlab.model.recording import Meta, Outcome
from bootlab.model.system import Check, Goal, Initramfs, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.recordings import recording_dir


def file(text="x"):
    return Entry(kind="file", text=text, mode=0o755)


TREE = {
    "/init": file("#!/bin/sh\n"),
    "/bin/sh": file(),
    "/etc/conf": file("conf" * 10),
    "/etc/hidden": file("hidden"),
    "/usr/bin/checker": file("c" * 50),
    **{f"/usr/share/doc/{number}": file("d" * 100) for number in range(30)},
}


class Machine:
    """Boots a tree: `needs` are files without which it says `words` and does not come to its goal."""

    def __init__(self, *, used=(), by_check=(), needs=(), words="", works=True):
        self.used, self.by_check, self.needs, self.words, self.works = used, by_check, needs, words, works
        self.booted: list[str] = []

    def plan(self, system, purpose="timing"):
        names = ",".join(path for path, _ in system.tree.entries)
        key = Cache.__module__ + str(abs(hash((names, str(system.cmdline), purpose))))
        return BootPlan(
            system=system, purpose=purpose, key=key.replace(".", ""), info=KernelInfo(),
            sizes_bytes={"initramfs": len(names)}, sha256={},
        )  # fmt: skip

    def boot(self, plan, folder, *, stop, progress=None):
        folder.mkdir(parents=True)
        entries, line = plan.system.tree.as_dict(), plan.system.cmdline
        missing = [path for path in self.needs if path not in entries]
        watched = line.has("BOOTLAB_ACCESSES")
        self.booted.append("watched" if watched else "check" if line.has("BOOTLAB_CHECK") else "timing")
        said = [self.words.format(path) for path in missing if self.words]
        if line.has("BOOTLAB_INIT"):
            said += self.report(entries, line, watched=watched)
        elif not missing:
            said.append("goal")
        good = not missing or line.has("BOOTLAB_INIT")
        console = "".join(f"{text}\n" for text in said).encode()
        meta = Meta(
            key=plan.key, outcome=Outcome.GOAL if good else Outcome.HANG, reason="" if good else "it hangs",
            goal_ns=len(entries) * 1000 if good else None, artefact_bytes=dict(plan.sizes_bytes),
        )  # fmt: skip
        recording_dir.save(folder, meta, (), console, None)
        return recording_dir.load(folder)

    def report(self, entries, line, *, watched):
        body = []
        if watched:
            body.append(f"method fanotify {'yes' if self.works else 'no'} all that it sees")
            body.append("method tracing no there is none")
            body += [f"seen fanotify b r init {quote(path)}" for path in self.used if path in entries]
            body += [f"seen fanotify c x checker {quote(path)}" for path in self.by_check if path in entries]
        if line.has("BOOTLAB_CHECK"):
            ok = all(path in entries for path in self.by_check)
            body += ["run 42" if ok else "run not found", f"exit {0 if ok else 127}"]
        return ["@BL1 begin", *(f"@BL1 {text}" for text in body), f"@BL1 end {len(body)}"]


@pytest.fixture
def run(tmp_path):
    def go(machine, request=None, *, tree=TREE, keep=(), check=True, **more):
        system = SystemDescription(
            name="fake", target="replay", kernel=Kernel(image="none"), goal=Goal(console="goal"),
            initramfs=Initramfs(tree=FileTree.of(tree), keep=keep),
            check=Check(command=("/usr/bin/checker",)) if check else Check(), **more,
        )  # fmt: skip
        with Bench(machine, tmp_path / "store", jobs=1) as bench:
            return trim(bench, system, request or TrimRequest())

    return go


def kept(done):
    return {file.path for file in done.result.kept}


USED = ("/etc/conf",)
CHECKED = ("/usr/bin/checker",)


def test_what_is_used_and_what_only_the_check_needs_stays(run):
    done = run(Machine(used=USED, by_check=CHECKED))
    assert kept(done) == {"/init", "/bin/sh", "/etc/conf", "/usr/bin/checker"}
    assert done.result.passed
    reasons = {file.path: file.reason for file in done.result.files}
    assert reasons["/usr/bin/checker"] == "check"
    assert reasons["/usr/share/doc/3"] == "never used"
    assert [one.broken for one in done.result.rounds] == [""]
    assert done.result.after.file_bytes < done.result.before.file_bytes / 10
    assert {path for path, _ in done.system.tree.entries} == kept(done)


def test_a_console_that_names_the_missing_file_puts_it_back(run):
    machine = Machine(used=USED, by_check=CHECKED, needs=("/etc/hidden",), words="app: {}: No such file or directory")
    done = run(machine)
    assert "/etc/hidden" in kept(done)
    first, second = done.result.rounds
    assert first.broken.startswith("hang")
    assert [(b.path, b.why) for b in first.put_back] == [
        ("/etc/hidden", "the console says: app: /etc/hidden: No such file or directory")
    ]
    assert second.broken == ""


def test_a_name_without_its_folder_is_enough(run):
    done = run(Machine(used=USED, by_check=CHECKED, needs=("/etc/hidden",), words="cannot open hidden {0:.0}"))
    assert done.result.rounds[0].put_back[0].path == "/etc/hidden"


def test_a_machine_that_says_nothing_is_searched_by_halving(run):
    needs = ("/etc/hidden", "/usr/share/doc/17")
    machine = Machine(used=USED, by_check=CHECKED, needs=needs)
    done = run(machine)
    assert kept(done) == {"/init", "/bin/sh", "/etc/conf", "/usr/bin/checker", *needs}
    assert {b.path for one in done.result.rounds for b in one.put_back} == set(needs)
    assert all("by halving" in b.why for one in done.result.rounds for b in one.put_back)


def test_a_second_run_boots_nothing(run):
    machine = Machine(used=USED, by_check=CHECKED, needs=("/etc/hidden",))
    first = run(machine)
    count = len(machine.booted)
    assert run(machine).result == first.result
    assert len(machine.booted) == count


def test_keep_lists_stay(run):
    done = run(Machine(used=USED, by_check=CHECKED), TrimRequest(keep=("/usr/share/doc/1*",)), keep=("/etc/hid*",))
    assert {"/usr/share/doc/1", "/usr/share/doc/17", "/etc/hidden"} <= kept(done)
    assert "/usr/share/doc/2" not in kept(done)


def test_a_dry_run_boots_no_trimmed_system(run):
    machine = Machine(used=USED, by_check=CHECKED)
    done = run(machine, TrimRequest(dry_run=True))
    assert machine.booted == ["timing", "check", "watched"]
    assert (done.result.passed, done.recording, done.result.rounds) == (None, None, ())
    assert done.result.after.image_bytes is None


def test_a_list_from_a_board_takes_the_place_of_the_watched_boot(run):
    given = Accesses(
        methods=(MethodState(name="given", works=True, text=""),),
        seen=(Access(path="/etc/conf", method="given", kind="read"),),
    )
    machine = Machine(used=USED, by_check=CHECKED)
    done = run(machine, TrimRequest(given=given))
    assert done.result.passed
    assert {f.path: f.detail for f in done.result.kept}["/usr/bin/checker"] == "named by the check's command"


def test_hard_links_are_counted_once(run):
    one = Entry(kind="file", text="h" * 1000, mode=0o644, linked="h")
    tree = {**TREE, "/usr/lib/a": one, "/usr/lib/b": one}
    before = run(Machine(used=USED, by_check=CHECKED), TrimRequest(dry_run=True), tree=tree).result.before
    assert before.file_bytes == sum(len(entry.text) for entry in TREE.values()) + 1000


def test_without_a_check_the_goal_decides(run):
    done = run(Machine(used=USED), check=False)
    assert not done.result.checked
    assert "there is no [check]" in trim_table(done.result).headline
    assert kept(done) == {"/init", "/bin/sh", "/etc/conf"}


def test_methods_that_do_not_work_are_an_error_that_says_why(run):
    with pytest.raises(MeasurementError, match="tracing: there is none"):
        run(Machine(used=USED, works=False))
    with pytest.raises(MeasurementError, match="no method can observe"):
        run(Machine(used=USED), TrimRequest(methods=("atime",)))


def test_no_tree_and_a_base_that_fails(run):
    with pytest.raises(UserError, match="no tree of files"):
        run(Machine(), tree={})
    with pytest.raises(BaseFailedError):
        run(Machine(needs=("/not/there",)))


class Never(Machine):
    """Works only as a whole."""

    def boot(self, plan, folder, *, stop, progress=None):
        self.needs = () if len(plan.system.tree.entries) >= len(TREE) else ("/never",)
        return super().boot(plan, folder, stop=stop, progress=progress)


def test_a_system_that_works_only_as_a_whole_is_given_up(run):
    with pytest.raises(TargetError, match="does not work, and"):
        run(Never(used=USED))


def test_a_path_on_the_console_puts_back_nothing_that_is_merely_named_alike(run):
    tree = {**TREE, "/usr/share/doc/app": file(), "/usr/bin/etc": file()}
    machine = Machine(used=USED, by_check=CHECKED, needs=("/etc/hidden",), words="app: {}: No such file or directory")
    done = run(machine, tree=tree)
    # The one who complains may be named like a dropped file; its path is not taken apart.
    assert kept(done) & {"/usr/bin/etc", "/etc/hidden"} == {"/etc/hidden"}
