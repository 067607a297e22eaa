# SPDX-License-Identifier: MIT
"""What a start script does that would reach beyond itself if it ran in the shell that starts it.

A script that is a program of its own may leave, change folder or set traps: all of it ends with its process. Within
another shell each of that must be kept apart (a subshell, which costs a fork and saves the exec), or the script must
stay a program (its `$0`, its `$$`).
"""

from __future__ import annotations

import re

import msgspec

from bootlab.startup import shell
from bootlab.startup.files import TreeFiles

# Commands that change their shell for good.
_CHANGES_SHELL = {
    "cd": "changes the folder (cd)",
    "pushd": "changes the folder (pushd)",
    "popd": "changes the folder (popd)",
    "trap": "sets a trap",
    "umask": "sets the umask",
    "ulimit": "sets limits",
    "exec": "replaces its shell or its files (exec)",
    "wait": "waits for its jobs",
    "eval": "runs text that is made as it goes (eval)",
    "alias": "sets an alias",
    "unalias": "removes an alias",
    "readonly": "makes variables read-only",
    "getopts": "reads options (getopts)",
    "set": "sets options of its shell (set)",
    "shopt": "sets options of its shell (shopt)",
    "unset": "unsets variables or functions",
    "jobs": "looks at its jobs",
}
_SOURCES = frozenset({".", "source"})
# What a script is told of itself as a process; in a subshell, `$$` is still the one of the shell around it.
_OF_ITS_OWN = {"0": "its name ($0)", "$": "its process number ($$)", "PPID": "its parent ($PPID)"}
_FUNCTION_CHARS = re.compile(r"[^A-Za-z0-9_]")


class Hazards(msgspec.Struct, frozen=True):
    """Why a script needs a process of its own: `stays` a program, or a `subshell`; empty when neither."""

    stays: tuple[str, ...] = ()
    subshell: tuple[str, ...] = ()


def of_script(root: TreeFiles, script: shell.ShellScript, *, tested: bool) -> Hazards:
    """Return what a script does beyond itself. `tested`: the status of its call decides something."""
    stays, apart = _of_text(script, tested=tested)
    for command in script.commands:
        if command.apart or command.name not in _SOURCES:
            continue
        path = command.words[1] if len(command.words) > 1 else None
        text = root.text(path) if path and path.startswith("/") else None
        sourced = shell.read(text) if text is not None else None
        if sourced is None:
            apart.append(f"sources {command.raw[1] if len(command.raw) > 1 else 'nothing'}, which is not known")
            continue
        more_stays, more_apart = _of_text(sourced, tested=tested)
        stays += more_stays
        apart += more_apart
        if any(c.name == "exit" and not c.apart for c in sourced.commands):
            apart.append(f"sources {path}, which may leave (exit)")
        if any(c.name in _SOURCES for c in sourced.commands):
            apart.append(f"sources {path}, which sources more")
    return Hazards(tuple(dict.fromkeys(stays)), tuple(dict.fromkeys(apart)))


def _of_text(script: shell.ShellScript, *, tested: bool) -> tuple[list[str], list[str]]:
    stays = [f"uses {what}" for name, what in _OF_ITS_OWN.items() if name in script.used]
    apart = ["starts jobs in the background (&)"] if script.background else []
    for command in script.commands:
        name = command.name
        if name in {"break", "continue"} and not command.loops and not command.function and not command.apart:
            stays.append(f"has a {name} outside of a loop")
        if command.apart:
            continue
        if name == "set" and command.words[1:2] != ("--",):
            # `set -e` is off wherever a status is tested, and stays off in a subshell there.
            (stays if tested else apart).append(_CHANGES_SHELL["set"])
        elif name in _CHANGES_SHELL and name != "set":
            apart.append(_CHANGES_SHELL[name])
        elif name == "exit" and command.function:
            apart.append(f"leaves from within a function (exit in {command.function})")
    return stays, apart


def function_name(path: str, taken: set[str]) -> str:
    """Return a name for the function that a script becomes, and note it as taken."""
    stem = "rc_" + _FUNCTION_CHARS.sub("_", path.rsplit("/", 1)[-1])[:40]
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    taken.add(name)
    return name
