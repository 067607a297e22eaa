# SPDX-License-Identifier: MIT
"""User space as a boot shows it: systemd's units on the virtual clock, and the chain that the goal waited for."""

from __future__ import annotations

import re

from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import Span
from bootlab.startup import unit_lines, units
from bootlab.startup.files import TreeFiles
from bootlab.startup.units import SystemdUnit, UnitRun

LANE = "units"
_UNIT = re.compile(r"([\w:.@-]+)\\?\.(service|socket|target|mount)\b")


def unit_spans(recording: Recording, system: SystemDescription | None = None) -> tuple[Span, ...]:
    """Return each unit that the console shows, as an interval from its start to its end; at once where one was seen."""
    known = _known(system)
    # What an initrd's systemd started counts where the real root's does not start it again.
    ran = _ran(recording, known, 0) | _ran(recording, known, _switched_ns(recording))
    return tuple(_span(one) for one in ran.values())


def critical_chain(recording: Recording, system: SystemDescription) -> tuple[Span, ...]:
    """Return the unit that the goal names and, step by step, the one whose end it waited for, out of one timing boot.

    Without a unit in the goal: the unit of the application, else the last that was done by then. Nothing where the
    console shows no units, or the tree's units are not known (startup.units says what of their order is read).
    """
    known = _known(system)
    ran = _ran(recording, known, _switched_ns(recording))
    if not known or not ran:
        return ()
    name = _of_goal(system, known, ran, recording.meta.goal_ns)
    return tuple(_span(one) for one in units.critical_chain(known, ran, name)) if name is not None else ()


def _known(system: SystemDescription | None) -> dict[str, SystemdUnit]:
    files = TreeFiles.of(system) if system is not None else None
    if system is None or files is None or not units.is_systemd(files, system.init_path):
        return {}
    return units.read(files)


def _switched_ns(recording: Recording) -> int:
    """Return when an initrd was left, which may have started units of the same names; 0 without one."""
    mark = recording.mark("switch-root")
    return mark.ns if mark is not None else 0


def _ran(recording: Recording, known: dict[str, SystemdUnit], since_ns: int) -> dict[str, UnitRun]:
    lines = ((line.text, line.first_ns) for line in recording.lines if (line.first_ns or 0) >= since_ns)
    return unit_lines.times(lines, known)


def _of_goal(
    system: SystemDescription, known: dict[str, SystemdUnit], ran: dict[str, UnitRun], goal_ns: int | None
) -> str | None:
    if (found := _UNIT.search(system.goal.console)) is not None:
        name = f"{found[1]}.{found[2]}".replace("\\", "")
        if name in ran:
            return name
    files = TreeFiles.of(system)
    if files is not None and system.application is not None:
        unit = units.of_program(files, known, system.application)
        if unit is not None and unit.name in ran:
            return unit.name
    done = [one for one in ran.values() if goal_ns is None or one.done_ns <= goal_ns]
    return max(done, key=lambda one: one.done_ns).name if done else None


def _span(ran: UnitRun) -> Span:
    start_ns = ran.start_ns if ran.start_ns is not None else ran.done_ns
    return Span(name=ran.name, lane=LANE, start_ns=start_ns, duration_ns=ran.done_ns - start_ns)
