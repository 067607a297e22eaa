# SPDX-License-Identifier: MIT
"""Recordings made of nothing but events: console lines and the goal, each after so much work and so much waiting."""

from __future__ import annotations

from bootlab.model.recording import Line, Mark, Meta, Recording

MS = 1_000_000


def boot(*events: tuple[str, float, float], shift: int = 1) -> Recording:
    """Make a boot of (text, milliseconds of work, milliseconds of standing still) since the event before."""
    insns = idle_ns = 0
    lines: list[Line] = []
    for number, (text, work_ms, idle_ms) in enumerate(events, start=1):
        insns += round(work_ms * MS) >> shift
        idle_ns += round(idle_ms * MS)
        ns = (insns << shift) + idle_ns
        lines.append(Line(number, text, number, first_ns=ns, last_ns=ns, insns=insns))
    meta = Meta(goal_ns=lines[-1].first_ns, goal_insns=lines[-1].insns, shift=shift)
    return Recording(meta=meta, lines=tuple(lines[:-1]), marks=(Mark("power-on", 0, 0),))
