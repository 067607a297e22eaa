# SPDX-License-Identifier: MIT
"""The scripts that a root tree's init starts, and from which place each is called."""

from __future__ import annotations

import fnmatch
import posixpath
import re

import msgspec

from bootlab.startup import inittab, shell
from bootlab.startup.files import TreeFiles

DEPTH_MAX = 4
SCRIPTS_MAX = 500
# Names that Debian's run-parts takes (run-parts(8)), and BusyBox's (debianutils/run_parts.c: invalid_name).
_DEBIAN_NAME = re.compile(r"[A-Za-z0-9_-]+")
_BUSYBOX_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a script from which other scripts are started.

    `command` is what stands there. `paths`: the scripts, in the order of their start. `arguments`: how they are called,
    as written. `variable`: of the loop whose turn each script is; "" for a single call and for run-parts.
    """

    command: shell.ShellCommand
    paths: tuple[str, ...]
    arguments: tuple[str, ...]
    variable: str = ""


class StartedScript(msgspec.Struct, frozen=True, kw_only=True):
    """A script that is started. `calls`: those that it starts itself. `why_not`: why it could not be read."""

    path: str
    script: shell.ShellScript | None = None
    calls: tuple[Call, ...] = ()
    why_not: str = ""


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What init starts. `first`: scripts that are called by init itself, or init. `scripts`: all, by path."""

    init: str
    first: tuple[str, ...] = ()
    scripts: dict[str, StartedScript] = {}
    entries: tuple[inittab.InittabLine, ...] = ()
    why_not: str = ""

    def called(self) -> list[tuple[StartedScript, Call]]:
        """Return every place from which scripts are started."""
        return [(started, call) for started in self.scripts.values() for call in started.calls]


def find(root: TreeFiles, init: str) -> Start:
    """Return what a tree's init starts. Scripts are told by their text; what a program does cannot be seen."""
    first: tuple[str, ...] = ()
    entries: tuple[inittab.InittabLine, ...] = ()
    why_not = ""
    text = root.text(init)
    if text is not None and text.startswith("#!"):
        first = (init,)
        last = _handed_on(root, init, text)
        if last is not None:
            entries, more = _of_table(root)
            first += more
    elif root.entry(init) is None:
        why_not = f"{init} is not in the tree"
    else:
        entries, first = _of_table(root)
        if not first:
            why_not = f"{init} is a program, and no inittab names a start script"
    scripts: dict[str, StartedScript] = {}
    for path in first:
        _follow(root, path, scripts, 0)
    return Start(init=init, first=first, scripts=scripts, entries=entries, why_not=why_not)


def _handed_on(root: TreeFiles, path: str, text: str) -> str | None:
    """Return the init that a script becomes (`exec /sbin/init`), or None."""
    script = shell.read(text)
    for command in script.commands if script else ():
        if command.name == "exec" and len(command.words) > 1 and not command.apart:
            target = command.words[1] or ""
            if posixpath.basename(target) == "init" and target != path and root.entry(target) is not None:
                return target
    return None


def _of_table(root: TreeFiles) -> tuple[tuple[inittab.InittabLine, ...], tuple[str, ...]]:
    table = root.text("/etc/inittab")
    if table is None:
        default = inittab.DEFAULT_SCRIPT
        return (), (default,) if root.text(default) is not None else ()
    entries = inittab.parse(table)
    found = []
    for entry in inittab.in_order(entries):
        words = entry.words
        if words and posixpath.basename(words[0]) in shell.SHELLS:
            words = words[1:]
        if words and words[0].startswith("/") and (root.text(words[0]) or "").startswith("#!"):
            found.append(words[0])
    return entries, tuple(dict.fromkeys(found))


def _follow(root: TreeFiles, path: str, scripts: dict[str, StartedScript], depth: int) -> None:
    if path in scripts or len(scripts) >= SCRIPTS_MAX or depth > DEPTH_MAX:
        return
    text = root.text(path)
    if text is None:
        scripts[path] = StartedScript(path=path, why_not="it is not text" if root.entry(path) else "it does not exist")
        return
    script = shell.read(text)
    if script is None:
        scripts[path] = StartedScript(path=path, why_not="its shell syntax is not understood")
        return
    calls = tuple(_calls(root, script))
    scripts[path] = StartedScript(path=path, script=script, calls=calls)
    for call in calls:
        for called in call.paths:
            _follow(root, called, scripts, depth + 1)


def _calls(root: TreeFiles, script: shell.ShellScript) -> list[Call]:
    found = []
    for command in script.commands:
        words, raw = command.words, command.raw
        if words and posixpath.basename(words[0] or "") in shell.SHELLS and len(words) > 1:
            words, raw = words[1:], raw[1:]
        loop = next(
            (lp for lp in script.loops if lp.start <= command.start < lp.end and _is(raw[0], lp.variable)), None
        )
        if loop is not None:
            if paths := _glob(root, loop.words):
                found.append(Call(command=command, paths=paths, arguments=raw[1:], variable=loop.variable))
        elif posixpath.basename(words[0] or "") == "run-parts":
            if call := _run_parts(root, command):
                found.append(call)
        elif (path := words[0]) and path.startswith("/") and (root.text(path) or "").startswith("#!"):
            found.append(Call(command=command, paths=(path,), arguments=raw[1:]))
    return found


def _is(raw: str, variable: str) -> bool:
    return raw.strip('"') in {f"${variable}", f"${{{variable}}}"}


def _glob(root: TreeFiles, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a loop's words expand to in the tree; nothing when one is not literal."""
    found: list[str] = []
    for word in words:
        folder, name = posixpath.split(word)
        if any(c in word for c in "$`\"'\\") or any(c in folder for c in "*?["):
            return ()
        if not any(c in name for c in "*?["):
            found += [word] if root.text(word) is not None else []
            continue
        found += [
            path
            for path in root.below(folder)
            if fnmatch.fnmatchcase(posixpath.basename(path), name)
            and not posixpath.basename(path).startswith(".")
            and root.text(path) is not None
        ]
    return tuple(found)


def _run_parts(root: TreeFiles, command: shell.ShellCommand) -> Call | None:
    """Return the scripts of `run-parts [-a ARGUMENT] FOLDER`; None with any other option."""
    arguments: list[str] = []
    words = list(command.words[1:])
    while words and (words[0] or "").startswith("-"):
        option = words.pop(0) or ""
        if option in {"-a", "--arg"} and words and words[0]:
            arguments.append(words.pop(0) or "")
        elif option.startswith("--arg="):
            arguments.append(option.removeprefix("--arg="))
        else:
            return None
    if len(words) != 1 or not words[0]:
        return None
    programs = [p for p in ("/bin/run-parts", "/usr/bin/run-parts") if root.entry(p) is not None]
    shape = _DEBIAN_NAME if programs and "busybox" not in root.real(programs[0]) else _BUSYBOX_NAME
    paths = tuple(
        path
        for path in root.below(words[0])
        if shape.fullmatch(posixpath.basename(path)) and root.runs(path) and root.text(path) is not None
    )
    return Call(command=command, paths=paths, arguments=tuple(arguments)) if paths else None
