# SPDX-License-Identifier: MIT
"""What a build's output says: which objects were made, and the first error, which is the one that counts."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

_OBJECT = re.compile(r"^\s+(?:CC|AS)(?: \[M\])?\s+(\S+\.o)$")
# gcc and ld: FILE:LINE:COLUMN: error: …; as: FILE:LINE: Error: …; dtc: Error: FILE:LINE.COLUMN-… …
_ERRORS = (
    re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?: (?:fatal )?[Ee]rror: (?P<what>.*)$"),
    re.compile(r"^Error: (?P<file>[^\s:]+):(?P<line>\d+)\.\S+ (?P<what>.*)$"),
    re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+): (?P<what>.*(?:syntax error|unknown statement|invalid).*)$"),
    re.compile(r"^(?:\S*ld: )?(?P<file>[^\s:]+)(?::\(\S+\))?: (?P<what>(?:in function .*)?undefined reference to .*)$"),
    re.compile(r"^(?:\S*ld: )(?P<what>(?:cannot find .*|.*(?:overflow|will not fit|error).*))$"),
    # The compiler's driver about its options, and about an input that is not there.
    re.compile(r"^\S*(?:cc|gcc|g\+\+|cc1|clang)(?:-[\d.]+)?: (?:fatal )?error: (?P<what>.*)$"),
    re.compile(r"^ERROR: (?P<what>.*)$"),
    re.compile(r"^(?P<what>(?:/bin/)?(?:ba)?sh: .*not found)$"),
    re.compile(r"^(?P<what>.*No space left on device.*)$"),
    re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+): \*\*\* (?P<what>.*)$"),
    # Autoconf's scripts and Meson; CMake says on the next line what is wrong.
    re.compile(r"^configure: error: (?P<what>.*)$"),
    re.compile(r"^(?P<file>\S*meson\.build):(?P<line>\d+)(?::\d+)?: ERROR: (?P<what>.*)$"),
    re.compile(r"^(?P<what>CMake Error.*)$"),
)
# Scripts of one's own (ffmpeg's configure: "gcc is unable to create an executable file."), where nothing else tells.
_SCRIPTS = (
    re.compile(r"^(?!checking |-- )(?P<what>.*\b(?:[Ee]rror|ERROR|unable to|cannot|can't|failed|not found)\b.*)$"),
)
# Of ld, and of modpost, which looks at the whole kernel before it is linked.
_UNDEFINED = re.compile(r"undefined reference to `([\w.]+)'|^ERROR: modpost: \"([\w.]+)\" \[", re.MULTILINE)
_MAKE = re.compile(r"^make(?:\[\d+\])?: \*\*\* (?P<what>.*)$")


class BuildFailure(msgspec.Struct, frozen=True, kw_only=True):
    """The first error of a build; `place` is FILE:LINE where it has one."""

    what: str
    place: str = ""
    full_disk: bool = False

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.place}: {self.what}" if self.place else self.what


def made_object(line: str) -> str | None:
    """Return the object that make says it is making, or None for any other line."""
    found = _OBJECT.match(line)
    return found[1] if found else None


def undefined(log: Path) -> frozenset[str]:
    """Return what the linker did not find in the log's last run of make."""
    text = log.read_text(encoding="utf-8", errors="replace")
    found = _UNDEFINED.findall(text[max(text.rfind("\n$ make "), 0) :])
    return frozenset(name for names in found for name in names if name)


def first_error(log: Path) -> BuildFailure:
    """Find the first error of the log's last run of make."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    start = max((number for number, line in enumerate(lines) if line.startswith("$ make ")), default=-1)
    recent = [line for line in lines[start + 1 :] if line.strip()]
    full = any("No space left on device" in line for line in recent)
    for patterns in (_ERRORS, (_MAKE,), _SCRIPTS):
        for line in recent:
            for pattern in patterns:
                if found := pattern.match(line):
                    groups = found.groupdict()
                    place = f"{groups['file']}:{groups['line']}" if groups.get("line") else groups.get("file") or ""
                    return BuildFailure(what=groups["what"].strip(), place=place.removeprefix("../"), full_disk=full)
    return BuildFailure(what=recent[-1].strip() if recent else "make said nothing", full_disk=full)
