# SPDX-License-Identifier: MIT
"""When systemd's units ran, by what it prints: on the console, for which nothing is changed, or in the kernel's log.

Lines: src/core/job.c (job_start_message_format(), job_done_message_format()), src/core/manager.c
(manager_status_printf()). A unit's name stands first (`status-unit-format` combined or name, as Debian builds it).
Where only the description is printed, or a name is cut, the units of the tree tell whose it is. Units that start and
end silently (slices of systemd itself, most devices) are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from bootlab import _core
from bootlab.startup.units import NAME, SystemdUnit, UnitRun

# A line that is cut in its middle may have lost the end of a colour, or its beginning.
_COLOURS = re.compile(r"\x1b(?:\[[\d;]*[A-Za-z]?)?")
_END_OF_COLOUR = re.compile(r"\[?(?:\d[\d;]*)?m(?= - )")
_BEGINS = "(?:Starting|Mounting|Activating swap|Unmounting)"
_ENDS = (
    "(?:Started|Finished|Mounted|Listening on|Reached target|Set up automount|Created slice|Activated swap|"
    "Found device|Failed to (?:start|mount|listen on)|Dependency failed for)"
)
_BEGUN = re.compile(rf"^ {{9}}{_BEGINS} (\S.*?)(?:\.\.\.|\N{{HORIZONTAL ELLIPSIS}})?$")
_DONE = re.compile(rf"^\[(?:  OK  |FAILED|DEPEND)\] {_ENDS} (\S.*?)\.?$")
_SENDER = "systemd[1]: "
_BEGUN_IN_LOG = re.compile(rf"{_BEGINS} (\S+\.\w+)(?: - |\.\.\.)")
_DONE_IN_LOG = re.compile(rf"{_ENDS} (\S+\.\w+)(?: - |\.)")
_CUT = "\N{HORIZONTAL ELLIPSIS}"
_LINE_MAX = 400


def times(
    lines: Iterable[tuple[str, int | None]], known: Mapping[str, SystemdUnit] | None = None
) -> dict[str, UnitRun]:
    """Return when each unit ran, by name, on the clock of the lines' times.

    `known`: the units of the tree, for consoles that show descriptions. One that is neither is called by its words.
    """
    by_words = {words: name for name, unit in (known or {}).items() if (words := unit.description)}
    by_words |= {f"{name} - {unit.description}": name for name, unit in (known or {}).items()}
    begun: dict[str, int] = {}
    found: dict[str, UnitRun] = {}
    for text, ns in lines:
        if ns is None:
            continue
        plain = _COLOURS.sub("", text[:_LINE_MAX]).rstrip()
        if match := _BEGUN.match(plain):
            begun.setdefault(_named(match[1], by_words), ns)
        elif (match := _DONE.match(plain)) and (name := _named(match[1], by_words)) not in found:
            found[name] = UnitRun(name, begun.get(name), ns)
    return found


def times_in_log(log: Iterable[str]) -> dict[str, UnitRun]:
    """Return when each unit ran, out of a kernel log that systemd wrote to (`systemd.log_target=kmsg`)."""
    begun: dict[str, int] = {}
    found: dict[str, UnitRun] = {}
    for line in log:
        _, sender, said = _core.kernel_message(line[:_LINE_MAX]).partition(_SENDER)
        ns = _core.kernel_stamp_ns(line[:_LINE_MAX]) if sender else None
        if ns is None:
            continue
        if match := _BEGUN_IN_LOG.match(said):
            begun.setdefault(match[1], ns)
        elif (match := _DONE_IN_LOG.match(said)) and match[1] not in found:
            found[match[1]] = UnitRun(match[1], begun.get(match[1]), ns)
    return found


def _named(words: str, by_words: Mapping[str, str]) -> str:
    first = words.partition(" ")[0]
    if NAME.fullmatch(first):
        return first
    before, cut, behind = words.partition(_CUT)
    if cut:
        # A line is made to fit the terminal: its middle goes, and with it the name's end.
        behind = _END_OF_COLOUR.sub("", behind, count=1) if _END_OF_COLOUR.match(behind) else behind
        found = {name for text, name in by_words.items() if text.startswith(before) and text.endswith(behind)}
        return found.pop() if len(found) == 1 else words
    return by_words.get(words, words)
