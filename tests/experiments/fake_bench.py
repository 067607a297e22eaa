# SPDX-License-Identifier: MIT
"""A target whose boots are sums, and techniques that set one parameter: for tests of what experiments decide."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.experiments.base import Base, establish
from bootlab.experiments.bench import Bench
from bootlab.launch.boot_plan import BootPlan, Purpose
from bootlab.launch.target import Progress, ProgressSink
from bootlab.model.change import Change, SetParam
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.model.verdict import Effect
from bootlab.recordings import recording_dir
from bootlab.techniques.base import Applies, Context, Evidence, Technique

SYSTEM = SystemDescription(
    name="fake", kernel=Kernel(image="none"), goal=Goal(console="g"), cmdline=CommandLine.parse("base")
)
MS = 1_000_000


def system(*params: str) -> SystemDescription:
    return msgspec.structs.replace(SYSTEM, cmdline=CommandLine.parse(" ".join(("base", *params))))


class FakeTarget:
    """Boots in no time; `cost` maps the set of parameters to the goal's ms, or to an Outcome, or raises."""

    def __init__(
        self, cost: Callable[[frozenset[str]], float | Outcome], *, hold: threading.Event | None = None
    ) -> None:
        self.cost = cost
        self.booted: list[str] = []
        self.hold = hold
        self.host_limit = False
        self.check: Callable[[frozenset[str]], str] = lambda _params: "same"

    def plan(self, system: SystemDescription, purpose: Purpose = "timing") -> BootPlan:
        # A dither is a part of the boot's key.
        key = "".join(c if c.isalnum() else "_" for c in f"{purpose}_{system.cmdline}_{system.clock.seed}")
        return BootPlan(system=system, purpose=purpose, key=key, info=KernelInfo(), sizes_bytes={}, sha256={})

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        folder.mkdir(parents=True)
        seed = plan.system.clock.seed
        self.booted.append(str(plan.system.cmdline) + (f" (seed {seed})" if seed != 1 else ""))
        if progress:
            progress(Progress(1, 2, "x"))
        while self.hold is not None and not self.hold.is_set() and not stop.is_set():
            time.sleep(0.005)
        params = frozenset(str(p) for p in plan.system.cmdline.params)
        found = Outcome.INTERRUPTED if stop.is_set() else self.cost(params)
        outcome = found if isinstance(found, Outcome) else Outcome.GOAL
        goal_ns = None if isinstance(found, Outcome) else int(found * MS)
        meta = Meta(
            key=plan.key, outcome=outcome, goal_ns=goal_ns, reason="because" if goal_ns is None else "",
            check_groups=((self.check(params),),), cmdline=str(plan.system.cmdline), host_limit=self.host_limit,
        )  # fmt: skip
        recording_dir.save(folder, meta, (), b"", None)
        return recording_dir.load(folder)


def additive(base_ms: float, **saved_ms: float) -> Callable[[frozenset[str]], float]:
    """Return a cost to which every parameter adds its own."""
    return lambda params: base_ms - sum(ms for name, ms in saved_ms.items() if name in params)


class FakeTechnique(Technique):
    """Sets parameters of its name, one a variant; took effect unless told otherwise."""

    title = what = why = when_not = cost = "fake"
    stage = "kernel"
    references = ("none",)

    def __init__(
        self,
        name: str,
        *,
        labels: tuple[str, ...] = ("",),
        applies: Applies | None = None,
        shown: bool = True,
        **facts: object,
    ) -> None:
        self.id = name
        self.labels = labels
        self.answer = applies or Applies.yes("always")
        self.shown = shown
        for fact, value in facts.items():
            setattr(self, fact, value)

    def applies(self, context: Context) -> Applies:
        return self.answer

    def changes(self, context: Context) -> tuple[Change, ...]:
        return tuple(
            Change(technique=self.id, label=label, ops=(SetParam(f"{self.id}{label}"),)) for label in self.labels
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        return Effect(self.shown, "seen" if self.shown else "nothing to be seen")


def base_of(bench: Bench) -> Base:
    return establish(bench, SYSTEM)
