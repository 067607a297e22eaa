"""When systemd's units ran, out of the lines that it prints on the console: nothing is changed for it.

Lines: src/core/job.c (job_start_message_format(), job_done_message_format()), src/core/manager.c
(manager_status_printf()). A unit's name stands first (`status-unit-format` combined or name, as Debian builds it).
Where only the description is printed, or a name is cut, the units of the tree tell whose it is. Units that start and
end silently (slices of systemd itself, most devices) are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from bootlab.startup.units import Ran, Unit

# A line that is cut in its middle may have lost the end of a colour, or its beginning.
_COLOURS = re.compile(r"\x1b(?:\[[\d;]*[A-Za-z]?)?")
_END_OF_COLOUR = re.compile(r"\[?(?:\d[\d;]*)?m(?= - )")
_BEGUN = re.compile(
    r"^ {9}(?:Starting|Mounting|Activating swap|Unmounting) (\S.*?)(?:\.\.\.|\N{HORIZONTAL ELLIPSIS})?$"
)
_DONE = re.compile(
    r"^\[(?:  OK  |FAILED|DEPEND)\] (?:Started|Finished|Mounted|Listening on|Reached target|Set up automount|"
    r"Created slice|Activated swap|Found device|Failed to (?:start|mount|listen on)|Dependency failed for) (\S.*?)\.?$"
)
_NAME = re.compile(r"[\w:.\\@-]{1,255}\.(?:service|socket|target|mount|automount|swap|path|timer|slice|scope|device)")
_CUT = "\N{HORIZONTAL ELLIPSIS}"
_LINE_MAX = 400


def times(lines: Iterable[tuple[str, int | None]], known: Mapping[str, Unit] | None = None) -> dict[str, Ran]:
    """Return when each unit ran, by name, on the clock of the lines' times.

    `known`: the units of the tree, for consoles that show descriptions. One that is neither is called by its words.
    """
    by_words = {words: name for name, unit in (known or {}).items() if (words := unit.description)}
    by_words |= {f"{name} - {unit.description}": name for name, unit in (known or {}).items()}
    begun: dict[str, int] = {}
    found: dict[str, Ran] = {}
    for text, ns in lines:
        if ns is None:
            continue
        plain = _COLOURS.sub("", text[:_LINE_MAX]).rstrip()
        if match := _BEGUN.match(plain):
            begun.setdefault(_named(match[1], by_words), ns)
        elif (match := _DONE.match(plain)) and (name := _named(match[1], by_words)) not in found:
            found[name] = Ran(name, begun.get(name), ns)
    return found


def _named(words: str, by_words: Mapping[str, str]) -> str:
    first = words.partition(" ")[0]
    if _NAME.fullmatch(first):
        return first
    before, cut, behind = words.partition(_CUT)
    if cut:
        # A line is made to fit the terminal: its middle goes, and with it the name's end.
        behind = _END_OF_COLOUR.sub("", behind, count=1) if _END_OF_COLOUR.match(behind) else behind
        found = {name for text, name in by_words.items() if text.startswith(before) and text.endswith(behind)}
        return found.pop() if len(found) == 1 else words
    return by_words.get(words, words)
