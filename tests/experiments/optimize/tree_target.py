# SPDX-License-Identifier: MIT
"""Fake boots of a system with a root tree: what they cost and print depends on the files that are there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import msgspec

from bootlab.launch.boot_plan import BootPlan
from bootlab.model.change import Change, DropFiles
from bootlab.model.recording import Meta, Outcome
from bootlab.model.system import Initramfs, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.recordings import recording_dir
from tests.experiments.fake_bench import MS, SYSTEM, FakeTarget, FakeTechnique

FILES = tuple(f"/lib/{name}" for name in "abcdefghijklmnop")
OWN = ("/init", *FILES)


def with_tree(system: SystemDescription = SYSTEM) -> SystemDescription:
    tree = FileTree(tuple((path, Entry(kind="file", text=path)) for path in OWN))
    return msgspec.structs.replace(system, initramfs=Initramfs(tree=tree, compression="none"))


class TreeTarget(FakeTarget):
    """`cost`: of parameters and files, ms or an outcome; `says`: what a failed boot prints; `answers`: a check's.

    `reports`: what the agent of a diagnostic boot says, of the parameters; `stays_on`: whether the machine does.
    """

    def __init__(
        self,
        cost: Callable[[frozenset[str], frozenset[str]], float | Outcome],
        *,
        says: Callable[[frozenset[str]], str] = lambda _files: "",
        answers: Callable[[tuple[str, ...], frozenset[str]], tuple[str, int]] = lambda _words, _files: ("", 0),
        reports: Callable[[frozenset[str]], tuple[str, ...]] = lambda _params: (),
        stays_on: Callable[[frozenset[str]], bool] = lambda _params: False,
    ) -> None:
        super().__init__(lambda _params: 0)
        self.of, self.says, self.answers, self.reports, self.stays_on = cost, says, answers, reports, stays_on

    def plan(self, system: SystemDescription, purpose="timing") -> BootPlan:
        files = ",".join(path for path, _ in system.tree.entries)
        text = f"{purpose} {system.cmdline} {system.clock.seed} {files} {_words(system)}"
        plan = super().plan(system, purpose)
        return msgspec.structs.replace(plan, key=hashlib.sha256(text.encode()).hexdigest()[:32])

    def boot(self, plan, folder, *, stop, progress=None):
        del stop, progress
        folder.mkdir(parents=True)
        system = plan.system
        files = frozenset(path for path, _ in system.tree.entries)
        self.booted.append(f"{plan.purpose} {plan.key}")
        params = frozenset(str(p) for p in system.cmdline.params)
        found = self.of(params, files)
        if "BOOTLAB_OFF=1" in params and self.stays_on(params):
            found = Outcome.HANG
        outcome = found if isinstance(found, Outcome) else Outcome.GOAL
        goal_ns = None if isinstance(found, Outcome) else int(found * MS)
        text = self.says(files) if goal_ns is None else ""
        if plan.purpose == "diagnostic" and (said := self.reports(params)):
            text = "".join(f"@BL1 {line}\n" for line in said)
            text = f"@BL1 begin\n{text}@BL1 end {len(said)}\n"
        if plan.purpose == "check":
            line, status = self.answers(_words(system), files)
            text = f"@BL1 begin\n@BL1 run {line}\n@BL1 exit {status}\n@BL1 end 2\n"
        meta = Meta(
            key=plan.key, outcome=outcome, goal_ns=goal_ns, reason="because" if goal_ns is None else "",
            artefact_bytes={"initramfs": 1000 * len(files)},
        )  # fmt: skip
        recording_dir.save(folder, meta, (), text.encode(), None)
        return recording_dir.load(folder)


def _words(system: SystemDescription) -> tuple[str, ...]:
    entry = system.tree.get("/bootlab-check")
    return tuple((entry.text or "").splitlines()) if entry is not None else ()


class Slim(FakeTechnique):
    """Leaves files out, all in one change."""

    def __init__(self, name: str = "slim", paths: tuple[str, ...] = FILES, **facts: object) -> None:
        super().__init__(name, **facts)
        self.paths = paths

    def changes(self, context):
        there = context.system.tree.as_dict()
        paths = tuple(path for path in self.paths if path in there)
        return (Change(technique=self.id, ops=(DropFiles(paths),)),) if paths else ()
