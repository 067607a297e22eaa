# SPDX-License-Identifier: MIT
"""Goals and marks of a system file: guessed from a tree, then taken from what a first boot printed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from bootlab.logs import log_facts, user_lines
from bootlab.logs.log_facts import LogFacts
from bootlab.logs.user import UserLine
from bootlab.sources.facts import RootFacts
from bootlab.systemfile import goal_candidates
from bootlab.systemfile.goal_candidates import GoalCandidate, literal, signs_of
from bootlab.systemfile.printed import Printed

_INITS = {
    "system-v": ("INIT: version .* booting", "System V's init"),
    "openrc": ("OpenRC .* is starting up", "OpenRC"),
    "runit": ("^- runit: enter stage: /etc/runit/1", "runit"),
    "s6": ("^s6-rc: info: service .*: starting", "s6-rc"),
    "finit": ("^Finit ", "Finit"),
}
"""Of inits that start services by scripts: a pattern of their first words that no version is a part of, and a name."""
_OTHERS_MAX = 6
_UNITS = r"^\S*\[\S*  OK  \S*\]|^ {9}Starting "
"""systemd's lines of units, with and without colours (src/core/manager.c: manager_status_printf())."""


class Goals(msgspec.Struct, frozen=True, kw_only=True):
    """The goal, what else could be one, and marks by name. `sure`: a boot has shown it, and nothing before it matches.

    `application`: the program whose unit the goal names, "" where it is none's. `stuck`: the line by which the boot
    asked for a person's help and did not go on; "" where it went on.
    """

    goal: GoalCandidate = GoalCandidate("login:", "a login prompt", kind="prompt")
    others: tuple[GoalCandidate, ...] = ()
    marks: tuple[tuple[str, GoalCandidate], ...] = ()
    sure: bool = False
    application: str = ""
    stuck: str = ""

    @property
    def certainty(self) -> str:
        """How sure the goal is, in words."""
        if not self.sure:
            return "guessed: no boot has shown it"
        meaning = "; what it means is not known" if self.goal.kind == "unknown" else ""
        return f"the first boot showed it, and nothing before it matches{meaning}"

    @classmethod
    def guessed(cls, root: RootFacts | None, log: LogFacts | None) -> Goals:
        """Return what a tree or somebody's log lets expect."""
        printed = _of_log(log) if log is not None else Printed(())
        seen = goal_candidates.candidates(log.user, root, printed) if log is not None else []
        if log is not None and seen:
            return cls(goal=seen[0], others=tuple(seen[1:_OTHERS_MAX]), marks=marks(log.user, root, None, printed))
        if root is not None and root.hostname:
            return cls(goal=GoalCandidate(literal(f"{root.hostname} login:"), "the login prompt", kind="prompt"))
        return cls()


def _of_log(log: LogFacts) -> Printed:
    texts = [""] * (log.user[-1].index + 1 if log.user else 0)
    for line in log.user:
        texts[line.index] = line.text
    return Printed(tuple(texts))


def from_log(path: Path) -> Goals:
    """Return what one boot in somebody's log lets expect. Raise UserError where it holds none."""
    return Goals.guessed(None, log_facts.read(path))


def from_boot(printed: Printed, root: RootFacts | None) -> Goals | None:
    """Return the goal and the marks that a boot's lines offer; None when nothing of user space can be one."""
    user = user_lines.of_console(printed.of_user_space)
    seen = goal_candidates.candidates(user, root, printed)
    stuck = goal_candidates.stuck(user, root, printed.begin)
    if not seen:
        return Goals(stuck=stuck) if stuck else None
    return Goals(
        goal=seen[0],
        others=tuple(seen[1 : _OTHERS_MAX + 1]),
        marks=marks(user, root, seen[0], printed),
        sure=True,
        application=_program(seen[0], root),
        stuck=stuck,
    )


def _program(goal: GoalCandidate, root: RootFacts | None) -> str:
    """Return what the unit of a goal runs."""
    named = (unit for unit in (root.units if root is not None else ()) if literal(unit.name) in goal.pattern)
    return next((unit.program for unit in named), "")


def marks(
    lines: Sequence[UserLine], root: RootFacts | None, goal: GoalCandidate | None, printed: Printed
) -> tuple[tuple[str, GoalCandidate], ...]:
    """Return the marks that begin a stage: the first unit or start script, and the start of the goal's application.

    Where the goal names no unit, the application is the last one that starts. Times are those of first matches.
    """
    applications = {unit.name for unit in root.units} if root is not None else set()
    named = {name for name in applications if goal is not None and literal(name) in goal.pattern}
    found: dict[str, GoalCandidate] = {}
    for line in lines:
        if line.index < printed.begin:
            continue
        signs = signs_of(line)
        for kind in signs.keys() & _INITS.keys():
            pattern, name = _INITS[kind]
            found.setdefault("rc-scripts", GoalCandidate(pattern, f"start of {name}"))
        greeting = signs.get("greeting") or signs.get("start-script")
        if greeting and "units" not in found:
            found.setdefault("rc-scripts", GoalCandidate(literal(greeting), "start of the start scripts"))
        elif "unit-status" in signs and "units" not in found:
            # systemd greets before it runs the generators; the start of its units is what scripts are elsewhere.
            found.pop("rc-scripts", None)
            found["units"] = GoalCandidate(_UNITS, "systemd's first unit")
        starting = signs.get("unit-starting", "")
        if starting in (named or applications):
            found["application"] = GoalCandidate(rf"Starting {literal(starting)}", "start of the application")
    return tuple((name, _timed(seen, printed)) for name, seen in found.items())


def _timed(seen: GoalCandidate, printed: Printed) -> GoalCandidate:
    match = printed.first(seen.pattern, printed.begin)
    return msgspec.structs.replace(seen, ns=match.ns) if match is not None else seen
