"""Goals and marks of a system file: guessed from a tree, then taken from what a first boot printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.sources import boot_log
from bootlab.sources.facts import LogFacts, RootFacts

_LOGIN = re.compile(r"(?:^|\s)(\S+ login:)\s*$")
_UNIT = re.compile(r"\b(?:Started|Listening on) (\S+\.(?:service|socket|target))\b")
_STARTING = re.compile(r"\bStarting (\S+\.service)\b")
_TARGET = re.compile(r"\bReached target ((?:multi-user|graphical)\.target)\b")
_ENTER = re.compile(r"(Please press Enter to activate this console)")
_SHELL = re.compile(r"^(?:\S+:)?[~/]\S* ?[#$] ?$")
_WELCOME = re.compile(r"^\s*(Welcome to) .*!$")
_RC = re.compile(r"^(Starting (?:syslogd|klogd|mdev|network|udev|version|watchdog|dropbear|sshd)\b)", re.IGNORECASE)
# The first words of inits that start services by scripts (sysvinit src/init.c, OpenRC src/rc.c, runit src/runit.c,
# s6-rc): as they stand, and as a pattern that no version is a part of.
_INITS = (
    (re.compile(r"^\s*INIT: version \S+ booting"), "INIT: version .* booting", "System V's init"),
    # In colours.
    (re.compile(r"^\s*(?:\x1b\[[\d;]*m)*OpenRC .{1,60} is starting up"), "OpenRC .* is starting up", "OpenRC"),
    (re.compile(r"^- runit: enter stage: /etc/runit/1"), "^- runit: enter stage: /etc/runit/1", "runit"),
    (re.compile(r"^s6-rc: info: service \S+: starting"), "^s6-rc: info: service .*: starting", "s6-rc"),
    (re.compile(r"^Finit \S*\s?v?\d"), "^Finit ", "Finit"),
)
_SEABIOS = re.compile(r"^.*?Booting from (?:ROM|Hard Disk|DVD/CD|Floppy)\.{2,3}")
_OTHERS_MAX = 6
_UNITS = r"^\S*\[\S*  OK  \S*\]|^ {9}Starting "
"""systemd's lines of units, with and without colours (src/core/manager.c: manager_status_printf())."""


class Seen(msgspec.Struct, frozen=True):
    """A line that may be a goal or a mark: its pattern, what it is, and when it came on the virtual clock."""

    pattern: str
    what: str
    ns: int | None = None


class Goals(msgspec.Struct, frozen=True, kw_only=True):
    """The goal, what else could be one, and marks by name. `sure`: a boot has shown it.

    `application`: the program whose unit the goal names, "" where it is none's.
    """

    goal: Seen = Seen("login:", "a login prompt")
    others: tuple[Seen, ...] = ()
    marks: tuple[tuple[str, Seen], ...] = ()
    sure: bool = False
    application: str = ""

    @classmethod
    def guessed(cls, root: RootFacts | None, log: LogFacts | None) -> Goals:
        """Return what a tree or somebody's log lets expect."""
        if log is not None and log.lines:
            seen = candidates([(line, None) for line in log.lines], root)
            if seen:
                return cls(
                    goal=seen[0], others=tuple(seen[1:_OTHERS_MAX]), marks=marks([(x, None) for x in log.lines], root)
                )
        if root is not None and root.hostname:
            return cls(goal=Seen(re.escape(f"{root.hostname} login:").replace(r"\ ", " "), "the login prompt"))
        return cls()


def from_log(path: Path) -> Goals:
    """Return what the last boot in somebody's log lets expect. Raise UserError where it holds none."""
    return Goals.guessed(None, boot_log.look(path))


def from_boot(lines: list[tuple[str, int | None]], root: RootFacts | None) -> Goals | None:
    """Return the goal and the marks that a boot's lines (with their times) offer; None when nothing of user space."""
    seen = candidates(lines, root)
    if not seen:
        return None
    return Goals(
        goal=seen[0],
        others=tuple(seen[1 : _OTHERS_MAX + 1]),
        marks=marks(lines, root, seen[0]),
        sure=True,
        application=_program(seen[0], root),
    )


def _program(goal: Seen, root: RootFacts | None) -> str:
    """Return what the unit of a goal runs."""
    named = (unit for unit in (root.units if root is not None else ()) if _literal(unit.name) in goal.pattern)
    return next((unit.program for unit in named), "")


def candidates(lines: list[tuple[str, int | None]], root: RootFacts | None) -> list[Seen]:
    """Return what could be the goal, the best first: an application's unit, a login prompt, a target, the last line."""
    applications = {unit.name: unit.description for unit in root.units} if root is not None else {}
    units: list[Seen] = []
    prompts: list[Seen] = []
    targets: list[Seen] = []
    last: Seen | None = None
    for text, ns in _of_user_space(lines):
        if (found := _UNIT.search(text)) and found[1] in applications:
            name = applications[found[1]] or found[1]
            units.append(Seen(rf"Started {_literal(found[1])}", f"{name} was started", ns))
        elif found := _TARGET.search(text):
            targets.append(Seen(rf"Reached target {_literal(found[1])}", f"{found[1]} was reached", ns))
        elif found := _LOGIN.search(text):
            prompts.append(Seen(_literal(found[1]), "the login prompt", ns))
        elif found := _ENTER.search(text):
            prompts.append(Seen(_literal(found[1]), "BusyBox asks for Enter", ns))
        elif _SHELL.match(text):
            prompts.append(Seen(rf"^{_literal(text.strip())}", "a shell's prompt", ns))
        elif len(text.strip()) >= 6 and not text.lstrip().startswith(("[", "random:")):
            last = Seen(_literal(text.strip()[:80]), "the last line of user space", ns)
    found_all = [*reversed(units), *prompts[:1], *reversed(targets[-1:]), *([last] if last is not None else [])]
    return list({seen.pattern: seen for seen in found_all}.values())


def _of_user_space(lines: list[tuple[str, int | None]]) -> Iterator[tuple[str, int | None]]:
    """Give the lines that the kernel did not print; one that it wrote into ends there."""
    for text, ns in lines:
        kernels = _core.kernel_part(text)
        # SeaBIOS ends without a line's end: where the kernel is quiet, user space writes behind it.
        own = _SEABIOS.sub("", text if kernels is None else text.removesuffix(kernels))
        if own.strip():
            # The time of a line's last byte is the kernel's then.
            yield own, ns if kernels is None else None


def marks(
    lines: list[tuple[str, int | None]], root: RootFacts | None, goal: Seen | None = None
) -> tuple[tuple[str, Seen], ...]:
    """Return the marks that begin a stage: the first unit or start script, and the start of the goal's application.

    Where the goal names no unit, the application is the last one that starts.
    """
    applications = {unit.name for unit in root.units} if root is not None else set()
    named = {name for name in applications if goal is not None and _literal(name) in goal.pattern}
    found: dict[str, Seen] = {}
    for text, ns in _of_user_space(lines):
        for first_words, pattern, name in _INITS:
            if first_words.match(text):
                found.setdefault("rc-scripts", Seen(pattern, f"start of {name}", ns))
        greeting = _WELCOME.match(text) or _RC.match(text)
        if greeting and "units" not in found:
            found.setdefault("rc-scripts", Seen(_literal(greeting[1]), "start of the start scripts", ns))
        elif re.match(_UNITS, text) and "units" not in found:
            # systemd greets before it runs the generators; the start of its units is what scripts are elsewhere.
            found.pop("rc-scripts", None)
            found["units"] = Seen(_UNITS, "systemd's first unit", ns)
        starting = _STARTING.search(text)
        if starting and starting[1] in (named or applications):
            found["application"] = Seen(rf"Starting {_literal(starting[1])}", "start of the application", ns)
    return tuple(found.items())


def _literal(text: str) -> str:
    return re.sub(r"\\([ #&~:/,-])", r"\1", re.escape(text))
