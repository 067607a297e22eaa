# SPDX-License-Identifier: MIT
"""A kept recording read anew: another goal, check, mark or limit of the same machine needs no boot.

An exact machine does the same whatever is looked for on its console. So where a kept console tells how the boot of a
plan ends, the recording that this boot would give is in it already: its beginning. That holds for failures too.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.ending import Decided
from bootlab.launch.marks import CONSOLE_SOURCE, console_marks, with_real_switch
from bootlab.model.recording import Mark, Outcome, Recording
from bootlab.recordings import assembly, recording_dir
from bootlab.recordings.assembly import Heard
from bootlab.recordings.stamps import Stamps

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
    if old.meta.machine_key != plan.machine_key:
        return None
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
    if any(mark.name == "pivot-root" for mark in by_symbol):
        by_symbol = with_real_switch(by_symbol, console, stamps)
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
    own = plan.system.kernel.config
    # The same image may have been booted as a file of which nobody knew how it was built.
    if own and Path(own).is_file() and not (folder / recording_dir.KERNEL_CONFIG_FILE).exists():
        shutil.copyfile(own, folder / recording_dir.KERNEL_CONFIG_FILE)
    goal_ns, goal_insns = at if at is not None else (None, None)
    heard = Heard(console=console, stamps=stamps, marks=tuple(marks), goal_ns=goal_ns, goal_insns=goal_insns)
    meta = assembly.told_again(
        old.meta,
        plan,
        ending,
        heard,
        watch.check_groups,
        end_ns=None,
        known_ns=decided.known_ns,
        stopped=decided.stopped,
        notes=(
            *watch.notes,
            f"{_SAID} ({old.meta.key[:12]})",
        ),
        read_from=old.meta.read_from or old.meta.key,
    )
    return assembly.write(folder, meta, heard)


def _decided(old: Recording, stamps: Stamps, plan: BootPlan) -> Decided | None:
    """Return how a boot of the plan ends that prints the old one's console; None where that is not known."""
    # It needs NumPy, which a boot loads while its machine runs.
    from bootlab.launch.virtual_ending import decide  # noqa: PLC0415

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
