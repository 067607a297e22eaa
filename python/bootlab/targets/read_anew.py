"""A kept recording read anew: another goal, check, mark or limit of the same machine needs no boot.

An exact machine does the same whatever is looked for on its console. So where a kept console tells how the boot of a
plan ends, the recording that this boot would give is in it already: its beginning. That holds for failures too.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from bootlab.model.recording import Mark, Meta, Outcome, Recording
from bootlab.targets import recording_dir
from bootlab.targets.base import BootPlan
from bootlab.targets.ending import Decided
from bootlab.targets.marks import CONSOLE_SOURCE, console_marks
from bootlab.targets.stamps import Stamps
from bootlab.targets.virtual_ending import decide

# What the machine came to by itself or by virtual time, so that its console is a whole beginning.
_WHOLE = frozenset(
    {Outcome.GOAL, Outcome.HANG, Outcome.NO_GOAL, Outcome.CHECK_FAILED, Outcome.PANIC, Outcome.NO_CONSOLE}
)
_SAID = "not booted again: read out of a kept boot of the same machine that had another goal, check, mark or limit"


def read_anew(kept: Path, plan: BootPlan, folder: Path) -> Recording | None:
    """Write the recording of a plan into a folder, out of a kept one of the same machine; None if it needs a boot.

    A console that ends before the plan's goal, check or limit: only a boot tells.
    Raise UserError for a kept recording that is damaged.
    """
    old = recording_dir.load(kept, whole=True)
    stamps = recording_dir.stamps_of(kept)
    if stamps is None or old.meta.outcome not in _WHOLE or old.meta.host_limit or plan.system.clock.mode != "exact":
        return None
    decided = _decided(old, stamps, plan)
    if decided is None or decided.ending.host_limit:
        return None
    watch, ending = decided.watch, decided.ending
    console = old.console[: watch.size_bytes]
    if watch.goal is not None and ending.outcome is Outcome.GOAL:
        console = console[: max(watch.goal.line_end_bytes, watch.check_end_bytes)]
    stamps = stamps.cut(len(console))
    at = stamps.at(watch.goal.match_end_bytes - 1) if watch.goal is not None else None
    end = stamps.at(len(console) - 1) if ending.outcome is Outcome.GOAL else None
    if ending.outcome is Outcome.GOAL and (at is None or end is None):
        return None
    by_symbol = [m for m in old.marks if m.name != "goal" and not m.source.startswith(CONSOLE_SOURCE)]
    marks = [*by_symbol, *console_marks(plan.system, stamps, console, {m.name: m.ns for m in by_symbol})]
    marks = sorted((m for m in marks if end is None or m.ns <= end[0]), key=lambda m: m.ns)
    if at is not None:
        marks.append(Mark("goal", *at, plan.system.goal.console))
    folder.mkdir(parents=True)
    for name in (
        recording_dir.KERNEL_CONFIG_FILE,
        recording_dir.LOADER_CONFIG_FILE,
        recording_dir.PROGRAMS_FILE,
        "emulator.log",
    ):
        if (kept / name).is_file():
            shutil.copyfile(kept / name, folder / name)
    recording_dir.save(folder, _meta(old.meta, plan, decided, at, len(console)), tuple(marks), console, stamps)
    return recording_dir.load(folder)


def _decided(old: Recording, stamps: Stamps, plan: BootPlan) -> Decided | None:
    """Return how a boot of the plan ends that prints the old one's console; None where that is not known."""
    meta = old.meta
    last_ns = int(stamps.ns.max()) if len(stamps.ns) else 0
    return decide(
        plan.system,
        old.console,
        stamps,
        now_ns=max(last_ns, meta.known_ns or 0),
        exit_code=0 if meta.stopped == "exited" else None,
        halted=meta.stopped == "halted",
        emulator_words=str,
    )


def _meta(old: Meta, plan: BootPlan, decided: Decided, at: tuple[int, int] | None, console_bytes: int) -> Meta:
    watch, ending = decided.watch, decided.ending
    checks = list(zip(plan.system.check.console, watch.check_groups, strict=True))
    return msgspec.structs.replace(
        old,
        key=plan.key,
        system_name=plan.system.name,
        outcome=ending.outcome,
        reason=ending.reason,
        goal_ns=None if at is None else at[0],
        goal_insns=None if at is None else at[1],
        goal_clock="virtual",
        console_bytes=console_bytes,
        check_groups=tuple(groups for _, groups in checks if groups is not None),
        check_missing=tuple(pattern for pattern, groups in checks if groups is None),
        last_initcall=ending.last_initcall,
        end_ns=None,
        known_ns=decided.known_ns,
        stopped=decided.stopped,
        lacks=plan.lacks,
        notes=(*plan.notes, f"{_SAID} ({old.key[:12]})"),
        read_from=old.read_from or old.key,
    )
