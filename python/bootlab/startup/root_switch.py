# SPDX-License-Identifier: MIT
"""What an initramfs's script starts on the root that it has mounted: where that program stands in the script.

Many initramfs start one program whatever `init=` says: the kernel hands the parameter to nobody (init/main.c), and
only a script that looks for it follows it. Commands: switch_root(8), run-init of klibc, chroot(8).
"""

from __future__ import annotations

import posixpath
import re

import msgspec

from bootlab.model.system import SystemDescription
from bootlab.startup import scripts, shell
from bootlab.startup.files import TreeFiles
from bootlab.startup.specialise import apply

_COMMANDS = frozenset({"switch_root", "run-init", "chroot"})
# Options of these commands with a word behind them: `-c /dev/console`, `-d CAPABILITIES`.
_WITH_WORD = frozenset({"-c", "-d"})
_VARIABLE = re.compile(r'"?\$\{?(\w+)\}?"?')


class RootSwitch(msgspec.Struct, frozen=True, kw_only=True):
    """A script that goes on with one program of the mounted root.

    `script`: its real path. `start`, `end`: the bytes of its text that name the program.
    """

    script: str
    text: bytes
    program: str
    start: int
    end: int

    def starting(self, program: str) -> str:
        """Return the script's text with another program in the place of this one."""
        return apply(self.text, [(self.start, self.end, program.encode())]).decode("utf-8", "replace")


def of_system(system: SystemDescription) -> RootSwitch | None:
    """Return where the initramfs of a mounted root names the program that it goes on with, whatever `init=` says."""
    if system.root is None or system.initramfs is None:
        return None
    return find(TreeFiles(system.initramfs.tree), system.cmdline.value("rdinit") or "/init")


def find(files: TreeFiles, init: str) -> RootSwitch | None:
    """Return the switch to the mounted root; None where no script does it, or where its program may follow `init=`."""
    found = [
        switch
        for path, started in scripts.find(files, init).scripts.items()
        if started.script is not None and (switch := _in_script(files.real(path), started.script)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _in_script(path: str, script: shell.ShellScript) -> RootSwitch | None:
    found = []
    for command in script.commands:
        number = _program_at(command)
        if number is None:
            continue
        program = command.words[number] or _constant(script, command.raw[number])
        if not program or not program.startswith("/"):
            return None
        start = _place(script.text, command, number)
        found.append(
            RootSwitch(
                script=path,
                text=script.text,
                program=program,
                start=start,
                end=start + len(command.raw[number].encode()),
            )
        )
    return found[0] if len(found) == 1 else None


def _program_at(command: shell.ShellCommand) -> int | None:
    """Return which word of a command is the program to go on with; None for another command."""
    words = command.words
    at = next((n for n, word in enumerate(words) if posixpath.basename(word or "") in _COMMANDS), None)
    # `chroot` alone runs a program and comes back.
    if at is None or (command.name != "exec" and posixpath.basename(words[at] or "") == "chroot"):
        return None
    at += 1
    while at < len(words) and (words[at] or "").startswith("-"):
        at += 2 if words[at] in _WITH_WORD else 1
    return at + 1 if at + 1 < len(words) else None


def _constant(script: shell.ShellScript, raw: str) -> str | None:
    """Return the value of a variable that the script only ever sets to one literal word; None for another word."""
    named = _VARIABLE.fullmatch(raw)
    if named is None:
        return None
    values = set(re.findall(rf"(?:^|[\s;]){named[1]}=(\S*)", script.text.decode("utf-8", "replace")))
    value = values.pop().strip("\"';") if len(values) == 1 else ""
    # What `read` or `eval` sets cannot be seen.
    dynamic = any(c.name in {"read", "eval", ".", "source"} for c in script.commands)
    return value if value and not dynamic and not set(value) & set("$`*?") else None


def _place(text: bytes, command: shell.ShellCommand, number: int) -> int:
    """Return the byte at which a word of a command stands."""
    at = command.start
    for raw in command.raw[: number + 1]:
        at = text.index(raw.encode(), at)
        end = at + len(raw.encode())
        start, at = at, end
    return start
