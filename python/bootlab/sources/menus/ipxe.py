# SPDX-License-Identifier: MIT
"""iPXE's scripts: the first kernel that is booted, with its initrds and command line (ipxe.org/cmd).

Gone through from the top, as on a machine that gets its address at once and presses no key; no menu is chosen from.
"""

from __future__ import annotations

import re
import urllib.parse

from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.paths import below
from bootlab.sources.menus.words import filled

_LOADS = {"kernel": "kernel", "linux": "kernel", "imgfetch": "initrd", "initrd": "initrd", "module": "initrd"}
# Options with a value; a word that begins with two dashes and stands alone has none.
_WITH_VALUE = frozenset({"--name", "-n", "--timeout", "-t"})


def parse_ipxe(text: str, source: str, folder: str) -> BootEntry | None:
    """Return what a script boots first; None where it loads no kernel. Paths count from the script's `folder`."""
    variables: dict[str, str] = {}
    kernel, line, initrds = "", "", []
    for raw in text.splitlines():
        words = filled(re.split(r"\s(?:\|\||&&)\s", raw)[0], variables).split()
        command = words[0] if words else ""
        if command == "set" and len(words) > 1:
            variables[words[1]] = " ".join(words[2:])
        elif command in _LOADS:
            path, rest = _uri(words[1:])
            if _LOADS[command] == "kernel":
                kernel, line = path, rest
            elif path:
                initrds.append(below(folder, path))
        elif command == "imgargs":
            line = " ".join(words[2:])
        elif command == "boot":
            break
    if not kernel:
        return None
    return BootEntry(
        title=source.rpartition("/")[2],
        kernel=below(folder, kernel),
        initrds=tuple(initrds),
        cmdline=" ".join(word for word in line.split() if not word.startswith("initrd=")),
        source=source,
        default=True,
    )


def _uri(words: list[str]) -> tuple[str, str]:
    """Return the path that a command loads, of an address what stands behind its host, and the words behind it."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _WITH_VALUE else 1
    if at >= len(words):
        return "", ""
    try:
        parts = urllib.parse.urlsplit(words[at])
    except ValueError:
        return "", ""
    return (parts.path if parts.scheme else words[at]), " ".join(words[at + 1 :])
