# SPDX-License-Identifier: MIT
"""Start scripts merged into the script that starts them: each becomes a function, and no shell is started for it.

What the scripts were to each other stays: a function's variables are local to it, `exit` becomes `return`, and what
changes its shell beyond that gets a subshell, which is a fork without an exec. Guards and messages of the calling
script stay as they are, so that a script which is added later is still found.
"""

from __future__ import annotations

import posixpath
from typing import Literal

import msgspec

from bootlab.startup import shell
from bootlab.startup.files import TreeFiles
from bootlab.startup.hazards import function_name, of_script
from bootlab.startup.scripts import Call, Start, StartedScript
from bootlab.startup.specialise import apply, specialise

How = Literal["function", "subshell", "program"]
_KNOW_LOCAL = (shell.SHELLS | {"busybox"}) - {"hush"}
"""hush knows `local` only where it was built with HUSH_LOCAL."""
# Set by the kernel (init/main.c: envp_init), by BusyBox's init and by login; PWD, IFS and the like by the shell itself.
_ENVIRONMENT = frozenset(
    [
        "HOME",
        "TERM",
        "PATH",
        "SHELL",
        "USER",
        "LOGNAME",
        "PWD",
        "OLDPWD",
        "IFS",
        "PS1",
        "PS2",
        "PS4",
        "TZ",
        "LANG",
        "OPTIND",
        "CONSOLE",
        "RUNLEVEL",
        "PREVLEVEL",
        "runlevel",
        "previous",
    ]
)


class MergedScript(msgspec.Struct, frozen=True):
    """A script and what became of it. `why`: what keeps it in a subshell, or a program of its own."""

    path: str
    how: How
    why: str = ""


class Merged(msgspec.Struct, frozen=True):
    """The new text of a script, and its parts in the order of their start."""

    path: str
    text: str
    parts: tuple[MergedScript, ...]

    def of(self, *hows: How) -> tuple[MergedScript, ...]:
        """Return the parts that went one of these ways."""
        return tuple(part for part in self.parts if part.how in hows)


def merge(root: TreeFiles, start: Start, path: str, environment: frozenset[str] = frozenset()) -> Merged | None:
    """Return a script with what it starts merged into it; None when nothing can be.

    `environment`: names that init hands to its children besides the usual (unknown parameters of the kernel).
    """
    started = start.scripts.get(path)
    if started is None or started.script is None or _shell_of(root, started.script) is None:
        return None
    merging = _Merging(root, start, environment | _ENVIRONMENT)
    text = merging.text(started, started.script, frozenset(), ())
    if not any(part.how != "program" for part in merging.parts):
        return None
    return Merged(path, text, tuple(merging.parts))


def _shell_of(root: TreeFiles, script: shell.ShellScript) -> str | None:
    """Return the program that runs a script, when it is a shell that knows `local` and gets no options."""
    words = script.interpreter
    if len(words) != 1 or root.entry(words[0]) is None:
        return None
    real = root.real(words[0])
    return real if posixpath.basename(real) in _KNOW_LOCAL else None


def _spoils(caller: shell.ShellScript) -> str:
    """Return what the shell of a caller does that a program would not inherit and a function would; "" for nothing."""
    if any(c.name == "set" and c.words[1:2] != ("--",) and not c.apart for c in caller.commands):
        return "its caller sets options of the shell (set)"
    return "its caller sets IFS" if "IFS" in caller.assigned else ""


class _Merging:
    def __init__(self, root: TreeFiles, start: Start, environment: frozenset[str]) -> None:
        self.parts: list[MergedScript] = []
        self._root = root
        self._start = start
        self._environment = environment
        self._taken: set[str] = set()
        self._arguments = {word for _, call in start.called() for word in call.arguments}
        for started in start.scripts.values():
            if started.script is not None:
                self._taken |= started.script.functions.keys() | {c.name for c in started.script.commands}

    def text(
        self, started: StartedScript, script: shell.ShellScript, outer: frozenset[str], above: tuple[str, ...]
    ) -> str:
        """Return a script's text with its calls replaced. `outer`: variables of the shells around it."""
        here = outer | script.assigned
        exported = {w.partition("=")[0] for c in script.commands if c.name == "export" for w in c.words[1:] if w}
        definitions: list[str] = []
        edits: list[tuple[int, int, bytes]] = []
        calls = started.calls if script is started.script else _same_calls(started.calls, script)
        for call in calls:
            names: dict[str, str] = {}
            for path in call.paths:
                body = self._part(path, call, script, (here - exported, (*above, started.path)))
                if body is None:
                    continue
                name, definition, apart = body
                definitions.append(definition)
                names[path] = f"( {name} ARGUMENTS )" if apart else f"{name} ARGUMENTS"
            if names:
                edits.append((call.command.start, call.command.end, _instead(call, names, script).encode()))
        text = apply(script.text, edits).decode()
        if not definitions:
            return text
        head, _, rest = text.partition("\n") if text.startswith("#!") else ("", "", text)
        return "\n".join([*([head] if head else []), *definitions, rest])

    def _part(
        self, path: str, call: Call, caller: shell.ShellScript, around: tuple[frozenset[str], tuple[str, ...]]
    ) -> tuple[str, str, bool] | None:
        """Return a script as (name, definition, whether it needs a subshell); None when it stays a program."""
        outer, above = around
        started = self._start.scripts.get(path)
        why = self._why_program(started, caller, above)
        if why or started is None or started.script is None:
            self._stays(path, why)
            return None
        literal = not any("$" in word or "`" in word for word in call.arguments)
        script = specialise(started.script, call.arguments if literal else ())
        hazards = of_script(self._root, script, tested=call.command.tested)
        if hazards.stays:
            self._stays(path, ", ".join(hazards.stays))
            return None
        clash = sorted(script.functions.keys() & self._called_elsewhere(path))
        apart = [*hazards.subshell, *(f"defines {name}, which others call" for name in clash)]
        place = len(self.parts)
        self.parts.append(MergedScript(path, "subshell" if apart else "function", ", ".join(apart)))
        text = self.text(started, script, outer, above)
        name = function_name(path, self._taken)
        again = shell.read(text)
        if again is None:
            del self.parts[place:]
            self._stays(path, "its merged text would not be understood")
            return None
        return name, self._function(name, again, script, outer), bool(apart)

    def _why_program(self, started: StartedScript | None, caller: shell.ShellScript, above: tuple[str, ...]) -> str:
        """Return what forbids from the first that a script becomes a function of its caller; "" for nothing."""
        if started is None or started.script is None:
            return started.why_not if started is not None else "it was not looked at"
        if started.path in above:
            return "it starts itself"
        if _shell_of(self._root, started.script) != _shell_of(self._root, caller):
            return f"it is run by {' '.join(started.script.interpreter) or 'no shell'}"
        return _spoils(caller)

    def _stays(self, path: str, why: str) -> None:
        self.parts.append(MergedScript(path, "program", why))

    def _called_elsewhere(self, path: str) -> set[str]:
        """Return names that other scripts call and do not define themselves."""
        found: set[str] = set()
        for other, started in self._start.scripts.items():
            if other == path or started.script is None:
                continue
            called = {call.command.start for call in started.calls}
            names = {c.name for c in started.script.commands if c.start not in called}
            if "" in names:
                # `"$1"` as a command: what it is called with may be one.
                names |= self._arguments
            found |= names - started.script.functions.keys()
        return found

    def _function(self, name: str, text: shell.ShellScript, script: shell.ShellScript, outer: frozenset[str]) -> str:
        """Return the definition: variables of its own, `exit` as `return`."""
        edits = [
            (c.start, c.name_end, b"return")
            for c in text.commands
            if c.name == "exit" and not c.apart and not c.function
        ]
        body = apply(text.text, edits).decode()
        if body.startswith("#!"):
            body = body.partition("\n")[2]
        own = sorted(script.assigned)
        lines = [f'local {n}="${n}"' for n in own if n in self._environment]
        if plain := [n for n in own if n not in self._environment]:
            lines.append(f"local {' '.join(plain)}")
        # What the shell around it has set was not there for a program.
        if hidden := sorted((outer & (script.used | script.assigned)) - self._environment):
            lines.append(f"local {' '.join(hidden)}; unset {' '.join(hidden)}")
        return "\n".join([f"{name}() {{", *lines, body.strip("\n"), "}"])


def _same_calls(calls: tuple[Call, ...], script: shell.ShellScript) -> tuple[Call, ...]:
    """Return the calls at their places in a shortened text; those that are gone are left out."""
    found: list[Call] = []
    for call in calls:
        for command in script.commands:
            if command.raw == call.command.raw and command.start not in {c.command.start for c in found}:
                found.append(msgspec.structs.replace(call, command=command))
                break
    return tuple(found)


def _instead(call: Call, names: dict[str, str], script: shell.ShellScript) -> str:
    """Return what stands in the place of a call."""
    arguments = " ".join(call.arguments)
    done = {path: text.replace(" ARGUMENTS", f" {arguments}" if arguments else "") for path, text in names.items()}
    if not call.variable and len(call.paths) == 1 and call.command.name == call.paths[0]:
        return done[call.paths[0]]
    if not call.variable:
        single = len(call.paths) == 1
        lines = [done.get(path, f"{path} {arguments}".rstrip()) for path in call.paths]
        return lines[0] if single else "{\n" + "\n".join(lines) + "\n}"
    branches = [f"{path}) {text} ;;" for path, text in done.items()]
    original = script.cut(call.command.start, call.command.end)
    return "\n".join([f'case "${call.variable}" in', *branches, f"*) {original} ;;", "esac"])
