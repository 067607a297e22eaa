# SPDX-License-Identifier: MIT
"""What differs between two systems that were booted, and what their boots show of it.

A parameter that a technique of the catalogue sets is proved as that technique proves it. Of everything else is said
what was booted, and which lines only one side printed: never that something ran because it was there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from bootlab.history.gate import Difference
from bootlab.model.cmdline import Param
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.techniques.base import Evidence, Technique
from bootlab.techniques.evidence import bare, quote, rejected
from bootlab.techniques.parameter import ParameterTechnique

_NAMED_MAX = 4
_LINES_MAX = 5
_COMMAND_LINE = ("Command line: ", "Kernel command line: ")
_CHANGING = re.compile(r"0x[0-9a-f]+|[0-9a-f]{8,}|\d+", re.IGNORECASE)
"""What differs between two boots that do the same: numbers, addresses, digests."""


def between(
    base: SystemDescription,
    new: SystemDescription,
    base_boots: Sequence[Recording],
    new_boots: Sequence[Recording],
    catalogue: Iterable[Technique],
) -> tuple[Difference, ...]:
    """Say what differs between both systems, and what their boots show of it. There is a boot of each side."""
    before = Evidence(system=base, recording=base_boots[0])
    after = Evidence(system=new, recording=new_boots[0])
    found = [
        *_parameters(before, after, tuple(catalogue)),
        *_files(base.tree, new.tree),
        *_artefacts(base_boots[0], new_boots[0]),
        *_lines(base_boots, new_boots),
    ]
    return tuple(found)


def _parameters(before: Evidence, after: Evidence, catalogue: tuple[Technique, ...]) -> Iterator[Difference]:
    old, new = before.system.cmdline, after.system.cmdline
    more = [param for param in new.params if param not in old.params]
    less = [param for param in old.params if param not in new.params]
    for param in more:
        values = " ".join(str(one) for one in old.all(param.key))
        verb = f"has another value on the command line: {values} before" if values else "is new on the command line"
        yield _parameter(f"{param} {verb}", param, more, (before, after), catalogue)
    for param in less:
        if not new.all(param.key):
            what = f"{param} is gone from the command line"
            gone = _parameter(what, param, less, (after, before), catalogue)
            yield msgspec.structs.replace(gone, removed=True)


def _parameter(
    what: str, param: Param, own: list[Param], sides: tuple[Evidence, Evidence], catalogue: tuple[Technique, ...]
) -> Difference:
    """Say what the boot with a parameter shows of it, the second of `sides`, beside the one without."""
    if line := rejected(sides[1], param.key):
        return Difference(what=what, shown=f"the kernel does not know it: {line}", active=False)
    for technique in catalogue:
        if not isinstance(technique, ParameterTechnique) or technique.extends or param not in technique.sets:
            continue
        if not all(wanted in own for wanted in technique.sets):
            continue
        effect = technique.took_effect(*sides)
        # Where nothing is shown, the boot need not tell: a silent console does not.
        active = True if effect.shown else None
        return Difference(what=what, shown=effect.evidence, technique=technique.id, active=active)
    return Difference(what=what)


def _files(base: FileTree | None, new: FileTree | None) -> Iterator[Difference]:
    if base is None or new is None:
        return
    old, now = base.as_dict(), new.as_dict()
    more = [path for path in now if path not in old]
    less = [path for path in old if path not in now]
    other = [path for path in now if path in old and not _same(old[path], now[path])]
    for paths, verb, removed in ((more, "new in", False), (less, "gone from", True), (other, "changed in", False)):
        if paths:
            named = ", ".join(quote(path) for path in paths[:_NAMED_MAX])
            rest = f" and {len(paths) - _NAMED_MAX} more" if len(paths) > _NAMED_MAX else ""
            yield Difference(what=f"{verb} the root tree: {named}{rest}", removed=removed)


def _same(old: Entry, new: Entry) -> bool:
    """Tell whether two entries are the same, wherever their contents come from."""
    if old == new:
        return True
    plain = [msgspec.structs.replace(entry, source=None) for entry in (old, new)]
    if plain[0] != plain[1] or old.source is None or new.source is None:
        return False
    try:
        return Path(old.source).read_bytes() == Path(new.source).read_bytes()
    except OSError:
        return False


def _artefacts(base: Recording, new: Recording) -> Iterator[Difference]:
    """Name the files that the machine got which differ: of a new file, a boot shows that its image was booted."""
    old, now = base.meta.artefact_sha256, new.meta.artefact_sha256
    for name in sorted(old.keys() | now.keys()):
        if old.get(name) != now.get(name):
            yield Difference(what=f"the boots have another {name}")


def _lines(base: Sequence[Recording], new: Sequence[Recording]) -> Iterator[Difference]:
    """Quote lines that every boot of one side printed and no boot of the other."""
    every_old, every_new = ([_forms(boot) for boot in side] for side in (base, new))
    for own, others, who, removed in (
        (every_new, every_old, "only the new boots print", False),
        (every_old, every_new, "only the base's boots print", True),
    ):
        known: set[str] = set().union(*others)
        lines = [line for form, line in own[0].items() if form not in known and all(form in one for one in own)]
        if lines:
            rest = f" (and {len(lines) - _LINES_MAX} more lines)" if len(lines) > _LINES_MAX else ""
            said = "; ".join(lines[:_LINES_MAX])
            yield Difference(what=f"{who}: {said}{rest}", removed=removed)


def _forms(boot: Recording) -> dict[str, str]:
    """Return each line of a boot, fit to be quoted, by its form without what differs anyway."""
    texts = (bare(line.text).strip() for line in boot.lines)
    return {_CHANGING.sub("#", text): quote(text) for text in texts if text and not text.startswith(_COMMAND_LINE)}
