# SPDX-License-Identifier: MIT
"""A shutdown in QEMU: planned behind a boot, and recorded with a time that begins when the system was asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.launch import qemu_launch
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.emulator import Emulator
from bootlab.launch.ending import Ending
from bootlab.launch.ends import ASKS_FILE, Ends, loaded
from bootlab.launch.marks import CONSOLE_SOURCE, pattern_marks, read_marks
from bootlab.model.launch import Launch
from bootlab.model.recording import Mark, Outcome, Recording
from bootlab.model.shutdown import DOWN_FUNCTIONS, DOWN_PATTERNS, OFF_FUNCTIONS, SOFT_REBOOT
from bootlab.model.timeline import ASKED, KEXEC_MARKS
from bootlab.recordings import assembly
from bootlab.recordings.assembly import Heard
from bootlab.recordings.stamps import StampFile, Stamps
from bootlab.targets.asked_end import AskedEnd, require_end


def down(
    plan: BootPlan, keyed: Callable[[Launch, tuple[str, ...]], BootPlan], found: Emulator, cache: Cache
) -> BootPlan:
    """Return the plan of the shutdown behind a boot, where the system asks for that. Raise UserError where none can be.

    A diagnosis or a check is one of the boot.
    """
    said = plan.system.shutdown
    if said is None or plan.purpose != "timing":
        return plan
    require_end(plan)
    if plan.launch is None:
        return plan
    if said.until == "off" and not set(OFF_FUNCTIONS) & set(plan.mark_names):
        raise UserError(
            f"the kernel's symbols name none of {', '.join(OFF_FUNCTIONS)}: nothing shows when the machine was off",
            hint="name its System.map or vmlinux as kernel.symbols",
        )
    asked = Ends.of(said)
    launch = plan.launch.with_plugin(loaded(asked, found, cache.root))
    # No boot is read out of it: its console and its times are those of the way down.
    return msgspec.structs.replace(
        plan,
        launch=launch,
        key=keyed(launch, (plan.key, asked.text, *(("until goal",) if said.until == "goal" else ()))).key,
        machine_key="",
        ends=asked,
        notes=(*plan.notes, f"the way down: time begins when the system was asked ({asked.text})"),
    )


def record(plan: BootPlan, folder: Path, asked: AskedEnd, wall_s: float) -> Recording:
    """Put the recording of a shutdown together, of a boot that reached its goal. Raise OSError."""
    console = (folder / qemu_launch.CONSOLE_FILE).read_bytes()
    stamp_path = folder / qemu_launch.STAMP_FILE
    stamps = StampFile(stamp_path).read(len(console))
    hole = stamps.written.hole(len(console)) if stamps is not None and stamps.written is not None else ""
    marks = _marks(plan, console, stamps, asked) if stamps is not None and asked.asked_ns else ()
    off = next((mark for mark in marks if mark.name in OFF_FUNCTIONS), None)
    if stamps is not None and asked.again_bytes and (at := stamps.at(asked.again_bytes - 1)):
        goal = plan.system.goal.console
        off = Mark("goal", at[0] - asked.asked_ns, at[1] - asked.asked_insns, f"{CONSOLE_SOURCE}{goal}")
    ending = Ending(Outcome.GOAL)
    if asked.interrupted:
        ending = Ending(Outcome.INTERRUPTED, "stopped from outside")
    elif hole:
        ending = Ending(Outcome.CONSOLE_INCOMPLETE, hole, host_limit=True)
    elif asked.trouble:
        ending = Ending(Outcome.HANG, asked.trouble, host_limit=asked.host_limit)
    elif not asked.asked_ns:
        ending = Ending(Outcome.NO_GOAL, "the machine went down by itself, before it was asked to")
    elif off is None:
        ending = Ending(Outcome.NO_GOAL, "the machine was off, but the kernel came to none of its last functions")
    heard = Heard(console=console, stamps=stamps)
    if stamps is not None and asked.asked_ns:
        heard = _heard(plan, console, stamps, marks, asked, off if ending.outcome is Outcome.GOAL else None)
    meta = assembly.meta_of(plan, ending, heard, wall_s=wall_s)
    stamp_path.unlink(missing_ok=True)
    (folder / ASKS_FILE).unlink(missing_ok=True)
    return assembly.write(folder, meta, heard)


def _marks(plan: BootPlan, console: bytes, stamps: Stamps, asked: AskedEnd) -> tuple[Mark, ...]:
    found: list[Mark] = []
    for number, name in enumerate(plan.mark_names):
        seen = stamps.marks.get(number)
        if name in DOWN_FUNCTIONS and seen is not None:
            found.append(Mark(name, seen.ns, seen.insns, f"first instruction of {name}()"))
    if asked.again_bytes:
        found += [
            mark for mark in read_marks(plan.system, plan.mark_names, stamps, console) if mark.name in KEXEC_MARKS
        ]
    behind = [mark for mark in found if mark.ns >= asked.asked_ns]
    shifted = [_shifted(mark, asked) for mark in behind]
    return (Mark(ASKED, 0, 0, asked.how), *sorted(shifted, key=lambda mark: mark.ns))


def _soft_reboot(printed: bytes, stamps: Stamps) -> list[Mark]:
    said = [found.end() for found in re.finditer(SOFT_REBOOT.encode(), printed)]
    at = stamps.at(said[-1] - 1) if said else None
    return [Mark("soft-reboot", *at, f"{CONSOLE_SOURCE}{SOFT_REBOOT}")] if at is not None else []


def _shifted(mark: Mark, asked: AskedEnd) -> Mark:
    insns = None if mark.insns is None else mark.insns - asked.asked_insns
    return Mark(mark.name, mark.ns - asked.asked_ns, insns, mark.source)


def _heard(
    plan: BootPlan, console: bytes, stamps: Stamps, marks: tuple[Mark, ...], asked: AskedEnd, off: Mark | None
) -> Heard:
    """Cut the console to what was printed on the way down, with times from there on."""
    first = int(stamps.ns.searchsorted(asked.asked_ns, side="left"))
    # What comes behind the kernel's last function comes because the host was slow to end the machine.
    last = len(stamps.ns) if off is None else int(stamps.ns.searchsorted(asked.asked_ns + off.ns, side="right"))
    start = int(stamps.ends[first - 1]) if first else 0
    end = int(stamps.ends[last - 1]) if last > first else start
    cut = msgspec.structs.replace(
        stamps,
        ends=stamps.ends[first:last] - start,
        ns=stamps.ns[first:last] - asked.asked_ns,
        insns=stamps.insns[first:last] - asked.asked_insns,
        marks={},
        settled_bytes=end - start,
    )
    printed = console[start:end]
    shown = pattern_marks(DOWN_PATTERNS, printed, cut, 0)
    if asked.again_bytes:
        shown += _soft_reboot(printed, cut)
        times = {mark.name: mark.ns for mark in (*marks, *shown)}
        # What the system's own marks name comes again, behind the restart.
        begin_ns = max(times.get(name, 0) for name in ("soft-reboot", *KEXEC_MARKS))
        shown += pattern_marks(plan.system.marks, printed, cut, begin_ns)
    marks = tuple(sorted((*marks, *shown), key=lambda mark: mark.ns))
    if off is None:
        return Heard(console=printed, stamps=cut, marks=marks)
    goal = Mark("goal", off.ns, off.insns, off.source)
    return Heard(console=printed, stamps=cut, marks=(*marks, goal), goal_ns=off.ns, goal_insns=off.insns)
