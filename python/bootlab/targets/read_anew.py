"""A kept recording read anew: another goal, check, mark or limit of the same machine needs no boot.

An exact machine does the same whatever is looked for on its console. So where a kept console reaches the new goal and
the new check, the recording that a boot would give is in it already: its beginning.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import msgspec

from bootlab.model.recording import Mark, Outcome, Recording
from bootlab.targets import recording_dir
from bootlab.targets.base import BootPlan
from bootlab.targets.marks import CONSOLE_SOURCE, console_marks
from bootlab.targets.stamps import Stamps
from bootlab.targets.watch import ConsoleWatch

# What the machine came to by itself or by virtual time, so that its console is a whole beginning.
_WHOLE = frozenset({Outcome.GOAL, Outcome.HANG, Outcome.NO_GOAL, Outcome.CHECK_FAILED})
_NS = 1_000_000_000
_SAID = "not booted again: read out of a kept boot of the same machine that had another goal, check, mark or limit"


def read_anew(kept: Path, plan: BootPlan, folder: Path) -> Recording | None:
    """Write the recording of a plan into a folder, out of a kept one of the same machine; None if it needs a boot.

    A console that ends before the goal's line or the check, a goal behind the plan's limits: only a boot tells.
    Raise UserError for a kept recording that is damaged.
    """
    old = recording_dir.load(kept, whole=True)
    stamps = recording_dir.stamps_of(kept)
    if stamps is None or old.meta.outcome not in _WHOLE or old.meta.host_limit or plan.system.clock.mode != "exact":
        return None
    watch = ConsoleWatch(None, plan.system)
    watch.feed(old.console)
    if watch.goal is None or watch.goal_line_open or not watch.checks_done or watch.panic:
        return None
    console = old.console[: max(watch.goal.line_end_bytes, watch.check_end_bytes)]
    at, end = stamps.at(watch.goal.match_end_bytes - 1), stamps.at(len(console) - 1)
    if at is None or end is None or not _within(plan, stamps.cut(len(console)), at[0], end[0]):
        return None
    stamps = stamps.cut(len(console))
    by_symbol = [m for m in old.marks if m.name != "goal" and not m.source.startswith(CONSOLE_SOURCE)]
    marks = [*by_symbol, *console_marks(plan.system, stamps, console, {m.name: m.ns for m in by_symbol})]
    marks = sorted((m for m in marks if m.ns <= end[0]), key=lambda m: m.ns)
    meta = msgspec.structs.replace(
        old.meta,
        key=plan.key,
        system_name=plan.system.name,
        outcome=Outcome.GOAL,
        reason="",
        goal_ns=at[0],
        goal_insns=at[1],
        goal_clock="virtual",
        console_bytes=len(console),
        check_groups=tuple(groups for groups in watch.check_groups if groups is not None),
        check_missing=(),
        last_initcall="",
        end_ns=None,
        lacks=plan.lacks,
        notes=(*plan.notes, f"{_SAID} ({old.meta.key[:12]})"),
        read_from=old.meta.read_from or old.meta.key,
    )
    folder.mkdir(parents=True)
    for name in (
        recording_dir.KERNEL_CONFIG_FILE,
        recording_dir.LOADER_CONFIG_FILE,
        recording_dir.PROGRAMS_FILE,
        "emulator.log",
    ):
        if (kept / name).is_file():
            shutil.copyfile(kept / name, folder / name)
    recording_dir.save(folder, meta, (*marks, Mark("goal", *at, plan.system.goal.console)), console, stamps)
    return recording_dir.load(folder)


def _within(plan: BootPlan, stamps: Stamps, goal_ns: int, end_ns: int) -> bool:
    """Tell whether a boot would have gone on until the goal and the check: no limit of virtual time ends it before."""
    limits = plan.system.limits
    times = [0, *(int(ns) for ns in stamps.ns if ns <= end_ns)]
    longest = max((after - before for before, after in itertools.pairwise(times)), default=0)
    return (
        goal_ns <= limits.virtual_s * _NS
        and longest <= limits.stall_virtual_s * _NS
        and end_ns - goal_ns <= limits.check_s * _NS
    )
