# SPDX-License-Identifier: MIT
"""What a first program will print, where it is a script that can be read before it runs: said while the kernel boots.

Only scripts of commands whose output is known are judged (echo, mount, sleep, …). The kernel's own lines are not known,
so this never ends a boot: it is a word to whoever waits for it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bootlab.model.console_port import printed_elsewhere
from bootlab.model.system import SystemDescription
from bootlab.startup import shell
from bootlab.startup.files import TreeFiles

_SCRIPT_MAX_BYTES = 64 << 10
_ALIKE = 0.85
_LITERAL_LEAST = 6
# They print nothing that a goal would wait for, and end.
_QUIET = frozenset({
    ":", "[", "test", "true", "false", "cd", "export", "set", "unset", "umask", "trap", "wait", "mount", "umount",
    "mkdir", "mknod", "ln", "chmod", "chown", "cp", "mv", "rm", "touch", "sleep", "usleep", "hostname", "insmod",
    "modprobe", "sync", "stty", "break", "continue",
})  # fmt: skip
_ENDS = frozenset({"reboot", "poweroff", "halt"})
_PATHS = ("/bin", "/sbin", "/usr/bin", "/usr/sbin")
# Goals that the kernel, and no script, prints.
_KERNELS = re.compile(r"kernel|Linux|init process|Freeing|VFS|reboot:|random:|^\^?\\?\[", re.IGNORECASE)
_LITERAL = re.compile(r"[A-Za-z0-9 _:,/\-]+")


def likely(system: SystemDescription) -> str:
    """Return why a system is not likely to come to its goal; "" where nothing can be said before it runs."""
    goal = system.goal.console
    if of_the_kernel(goal):
        return ""
    return on_screen(system) or _script(system, goal)


def of_the_kernel(goal: str) -> bool:
    """Tell whether a goal is a line that the kernel, and no program, prints."""
    return _KERNELS.search(goal) is not None


def on_screen(system: SystemDescription) -> str:
    """Say that programs print on a screen and not on the port that is read; "" where a login's line is the goal."""
    return "" if "login" in system.goal.console else printed_elsewhere(system.cmdline)


def _script(system: SystemDescription, goal: str) -> str:
    if system.tree is None or system.programs:
        return ""
    files, path = TreeFiles(system.tree), system.init_path
    text = files.text(path)
    if text is None or not text.startswith("#!") or len(text) > _SCRIPT_MAX_BYTES:
        return ""
    script = shell.read(text)
    if script is None or script.functions or script.choices or script.background:
        return ""
    printed, end = _followed(script, files)
    if end is None or any(re.search(goal, line) for line in printed):
        return ""
    words = _near(goal, printed)
    if words:
        return f"{path} prints {words!r}, which is nearly the goal {goal!r}: is one of them misspelt?"
    said = f"prints {len(printed)} lines, none of which matches" if printed else "prints nothing that matches"
    if len(printed) == 1:
        said = f"prints {printed[0][:80]!r}, which does not match"
    return f"{path}, as it stands, {said} the goal {goal!r}{end}"


class _Step(NamedTuple):
    """What one command does: the lines that it may print, and, where the script ends with it, how it goes on."""

    lines: tuple[str, ...] = ()
    end: str = ""
    known: bool = True


def _followed(script: shell.ShellScript, files: TreeFiles) -> tuple[list[str], str | None]:
    """Return all that a script may print, and how it goes on from there; None for what cannot be known."""
    printed: list[str] = []
    for command in script.commands:
        step = _step(command, files)
        if not step.known:
            return printed, None
        printed += step.lines
        if step.end:
            return printed, step.end
    if any(command.loops for command in script.commands):
        return printed, ""
    return printed, ", and then ends: a first program must keep running"


def _step(command: shell.ShellCommand, files: TreeFiles) -> _Step:
    name, words = command.name, tuple(word or "" for word in command.words)
    if command.apart or command.redirected or None in command.words:
        return _Step(known=False)
    if name in {"echo", "printf"}:
        return _Step(tuple(" ".join(word for word in words[1:] if word not in {"-n", "-e"}).split("\\n")))
    if name == "exec" and len(words) > 1:
        sure = not (command.tested or command.loops)
        end = _goes_on(words[1], words[2:], files) if sure else ""
        return _Step(end=end, known=bool(end))
    if name in _QUIET:
        return _Step()
    if name in _ENDS:
        return _Step(end=f", and then calls {name}")
    return _Step(known=False) if _there(name, files) else _Step((f"{name}: not found",))


def _goes_on(name: str, arguments: tuple[str, ...], files: TreeFiles) -> str:
    """Say what takes the script's place; "" for a program that may print anything."""
    plain = name.rpartition("/")[2]
    if not _there(name, files):
        return f", and then starts {name}, which is not in the tree"
    if plain in shell.SHELLS and not arguments:
        return ", and then becomes a shell"
    return ", and then waits" if plain == "sleep" else ""


def _there(name: str, files: TreeFiles) -> bool:
    if not name or "$" in name:
        return True
    return files.runs(name) if "/" in name else any(files.runs(f"{folder}/{name}") for folder in _PATHS)


def _near(goal: str, printed: list[str]) -> str:
    """Return a line that is the goal but for a letter or its case."""
    wanted = max(_LITERAL.findall(goal), key=len, default="").strip().lower()
    if len(wanted) < _LITERAL_LEAST:
        return ""
    import difflib  # noqa: PLC0415 - of most scripts there is nothing to say

    likeness = [(difflib.SequenceMatcher(None, wanted, line.lower(), autojunk=False).ratio(), line) for line in printed]
    best = max(likeness, default=(0.0, ""))
    return best[1] if best[0] >= _ALIKE else ""
