# SPDX-License-Identifier: MIT
"""What glibc's dynamic loader says of itself on the console of a diagnostic boot (`LD_DEBUG=statistics`).

Source: elf/rtld.c print_statistics(), elf/dl-fini.c of glibc 2.36. Each line begins with the process's number and a
tab. Where the processor's cycles cannot be read (ARM) the lines with times are missing.
"""

from __future__ import annotations

import re

from bootlab.model.recording import Loading, Recording

_LINE = re.compile(r"^ {0,12}(\d{1,10}):\t {0,40}([a-z ]{1,60}): {1,40}(\d{1,18})(?: cycles)?(?: \(|$)")
_FIELDS = {
    "total startup time in dynamic loader": "total_cycles",
    "time needed for relocation": "relocation_cycles",
    "time needed to load objects": "load_cycles",
    "number of relocations": "relocations",
    "number of relocations from cache": "from_cache",
    "number of relative relocations": "relative",
    "final number of relocations": "late",
}
_PROGRAMS_MAX = 10_000


def loading_of(recording: Recording) -> tuple[Loading, ...]:
    """Return the statistics of each program's start, in the order in which they began."""
    found: list[tuple[int, dict[str, int]]] = []
    latest: dict[int, int] = {}
    for line in recording.lines:
        match = _LINE.match(line.text[:200].rstrip())
        if match is None or match[2] not in _FIELDS:
            continue
        pid, field = int(match[1]), _FIELDS[match[2]]
        at = latest.get(pid)
        # A process that starts another program in its place begins anew.
        if at is None or field in found[at][1]:
            if len(found) == _PROGRAMS_MAX:
                break
            at = latest[pid] = len(found)
            found.append((pid, {}))
        found[at][1][field] = int(match[3])
    return tuple(Loading(pid=pid, **fields) for pid, fields in found if "relocations" in fields)
