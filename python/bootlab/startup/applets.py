# SPDX-License-Identifier: MIT
"""BusyBox in a tree: where it lies, which applets it holds, and which of them a start uses."""

from __future__ import annotations

import fnmatch
import functools
import posixpath
import re
from collections.abc import Collection, Iterable

import msgspec

from bootlab.model.recording import Diagnosis
from bootlab.model.system import SystemDescription
from bootlab.startup import scripts, shell
from bootlab.startup.files import PROGRAM_MAX_BYTES, TreeFiles, norm, steps

# applet_names of applet_tables.h: the names in byte order, each closed by a NUL.
_NAMES = re.compile(rb"(?:[a-z0-9_\[.\-]{1,24}\0){4,}")
_BANNER = re.compile(rb"BusyBox v\d+\.\d+")
_PATH = re.compile(r"(?:/[\w.+\[-]+)+")
_ASSIGNED = re.compile(r"^\s*\w+=[\"']?([\w.+-]+)[\"']?\s*$", re.MULTILINE)
# Commands whose arguments name a command.
_RUN_OTHERS = frozenset({
    "exec", "command", "busybox", "env", "nohup", "nice", "time", "xargs", "setsid", "chroot", "start-stop-daemon",
    "timeout", "find", "su", "watch", "ionice", "chrt", "taskset", "runsv", "setuidgid", "softlimit", "unshare",
    "nsenter", "getty", "inotifyd", "udhcpc", "ifup", "run-parts",
})  # fmt: skip
# Parts of ash that a script uses by a word of its own, and those that only people do.
_BY_WORD = {
    "ASH_ALIAS": ("alias", "unalias"),
    "ASH_GETOPTS": ("getopts",),
    "ASH_CMDCMD": ("command",),
    "ASH_HELP": ("help",),
    "ASH_JOB_CONTROL": ("jobs", "fg", "bg"),
}
_FOR_PEOPLE = ("ASH_MAIL", "ASH_EXPAND_PRMT", "ASH_IDLE_TIMEOUT", "ASH_HELP", "FEATURE_EDITING")
# Texts of --help; glibc's way to look users up, which in a static program would need shared libraries of one build.
_ALWAYS = (
    ("SHOW_USAGE", "n"),
    ("FEATURE_INSTALLER", "n"),
    ("USE_BB_PWD_GRP", "y"),
    ("USE_BB_SHADOW", "y"),
)


class Busybox(msgspec.Struct, frozen=True):
    """The BusyBox of a tree. `links`: paths that lead to it, by applet name."""

    path: str
    applets: frozenset[str]
    links: dict[str, tuple[str, ...]]


class Use(msgspec.Struct, frozen=True):
    """The applets that a start uses, sorted, with a word of each one's reason; `options` of the shell's optional parts.

    `unknown`: commands whose names are made as the scripts go.
    """

    reasons: dict[str, str]
    options: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...]

    @property
    def applets(self) -> tuple[str, ...]:
        """Return the names."""
        return tuple(sorted(self.reasons))


# Several techniques ask about one program, and reading it takes longer than all else they do.
@functools.lru_cache(maxsize=4)
def names_in(program: bytes) -> frozenset[str]:
    """Return the applets of a BusyBox binary, from the table of their names; empty for any other program."""
    if not _BANNER.search(program):
        return frozenset()
    best: list[bytes] = []
    for found in _NAMES.finditer(program):
        run: list[bytes] = []
        for name in found[0].split(b"\0")[:-1]:
            run = [*run, name] if run and name > run[-1] else [name]
            if len(run) > len(best):
                best = list(run)
    return frozenset(name.decode() for name in best)


def find(files: TreeFiles) -> Busybox | None:
    """Return the tree's BusyBox: what `sh` leads to, or a program of that name; None without one that can be read."""
    candidates = dict.fromkeys(files.real(p) for p in ("/bin/sh", "/bin/busybox", "/usr/bin/busybox", "/sbin/init"))
    for path in candidates:
        entry = files.entries.get(path)
        if entry is None or entry.kind != "file":
            continue
        if entry.busybox is not None:
            applets = frozenset(entry.busybox.applets)
        else:
            applets = names_in(files.data(path, PROGRAM_MAX_BYTES) or b"")
        if applets or entry.busybox is not None:
            return Busybox(path, applets, _links(files, path))
    return None


def _links(files: TreeFiles, path: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, entry in files.entries.items():
        if entry.kind == "symlink" and steps(name, files.entries)[-1] == path:
            applet = posixpath.basename(name)
            found[applet] = (*found.get(applet, ()), name)
    return found


def use(
    files: TreeFiles, busybox: Busybox, system: SystemDescription, start: scripts.Start, diagnosis: Diagnosis | None
) -> Use:
    """Return what a start uses: words of the scripts, links that were followed, what check and keep-list name."""
    using = _Using(busybox)
    read = [norm(f.path) for f in diagnosis.files if f.read] if diagnosis is not None else []
    paths, sourced = list(dict.fromkeys([*start.scripts, *read])), set[str]()
    for path in paths:
        text = files.text(path)
        if text is None:
            continue
        calls = {call.command.raw[0] for call in start.scripts[path].calls} if path in start.scripts else set()
        is_script = path in sourced or text.startswith("#!")
        using.text(path, text, calls, is_script=is_script)
        if is_script:
            # One that was looked at as a table before is looked at again as a script.
            new = [target for target in _sources(text) if target not in sourced]
            sourced.update(new)
            paths += new
    for entry in start.entries:
        using.words(entry.words, "inittab")
    for path in diagnosis.links if diagnosis is not None else ():
        if files.real(path) == busybox.path:
            using.word(posixpath.basename(path), f"{path} was followed")
    if files.real(system.init_path) == busybox.path:
        using.word(posixpath.basename(system.init_path), "it is init")
    if system.application and files.real(system.application) == busybox.path:
        using.word(posixpath.basename(system.application), "it is the application")
    using.words(system.check.command, "the check's command")
    for pattern in system.keep:
        for applet, links in busybox.links.items():
            if any(fnmatch.fnmatch(link, pattern) for link in links):
                using.word(applet, f"keep has {pattern}")
    return using.result(people=any(entry.serves_a_person for entry in start.entries))


def _sources(text: str) -> list[str]:
    """Return the files that a script reads into itself by `.`, as far as their names are plain."""
    script = shell.read(text)
    named = [c.words[1] for c in script.commands if c.name in {".", "source"} and len(c.words) > 1] if script else []
    return [name for name in named if name is not None and name.startswith("/")]


class _Using:
    def __init__(self, busybox: Busybox) -> None:
        self._busybox = busybox
        self._reasons: dict[str, str] = {}
        self._said: set[str] = set()
        self._unknown: list[str] = []

    def word(self, name: str, why: str) -> None:
        self._said.add(name)
        # The program lists its own name too, and answers to it whatever is built in.
        if name in self._busybox.applets and name != "busybox":
            self._reasons.setdefault(name, why)

    def words(self, words: Iterable[str], why: str) -> None:
        for word in words:
            self.word(posixpath.basename(word), why)
            if " " in word and (inner := shell.read(word)):
                self._script(inner, why)

    def text(self, path: str, text: str, calls: set[str], *, is_script: bool) -> None:
        # Wherever it stands, in a script or a table such as mdev.conf: a path that leads to an applet.
        for found in _PATH.findall(text):
            if any(found in links for links in self._busybox.links.values()):
                self.word(posixpath.basename(found), path)
        if not is_script:
            return
        self.word("sh", path)
        for assigned in _ASSIGNED.findall(text):
            self.word(assigned, path)
        script = shell.read(text)
        if script is None:
            # Not understood: every word may be a command.
            self.words(re.findall(r"[\w.+\[-]+", text), path)
            return
        self._script(script, path, calls)
        for interpreter in script.interpreter:
            self.word(posixpath.basename(interpreter), path)

    def _script(self, script: shell.ShellScript, why: str, calls: Collection[str] = ()) -> None:
        for command in script.commands:
            if command.words and command.words[0] is None and command.raw[0] not in calls:
                self._unknown.append(f"{why}: {command.raw[0][:60]}")
            name = posixpath.basename(command.name)
            self.word(name, why)
            if name in _RUN_OTHERS or name in {"sh", "ash"}:
                self.words((w for w in command.words[1:] if w), why)
            if name == "trap" and len(command.words) > 1 and command.words[1]:
                self.words((command.words[1],), why)
        if "RANDOM" in script.used:
            self._said.add("RANDOM")

    def result(self, *, people: bool) -> Use:
        options = [*_ALWAYS]
        if not people:
            options += [(name, "n") for name, words in _BY_WORD.items() if not self._said.intersection(words)]
            options += [(name, "n") for name in _FOR_PEOPLE if (name, "n") not in options]
            options += [("ASH_RANDOM_SUPPORT", "n")] if "RANDOM" not in self._said else []
        return Use(self._reasons, tuple(options), tuple(dict.fromkeys(self._unknown)))
