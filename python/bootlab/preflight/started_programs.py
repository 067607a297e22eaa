# SPDX-License-Identifier: MIT
"""Programs that a tree starts and that cannot run in it, and logins on a port that nobody reads.

Looked at: the first program, the application, what the first script calls in any case, what /etc/inittab starts.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from bootlab import _core
from bootlab.builders.images import first_program
from bootlab.builders.tree_needs import TreeNeeds
from bootlab.errors import UserError
from bootlab.model.system import SystemDescription
from bootlab.startup import inittab, shell
from bootlab.startup.files import TreeFiles

_LOGIN = re.compile(r"login: ?$|login\\?:")
_GETTY = re.compile(r"\b(?:a?getty|login|mingetty|fgetty)\b")
_TERMINAL = re.compile(r"\b(tty[A-Za-z]*\d+|console|hvc\d)\b")
_PORT = re.compile(r"tty[A-Z]+[a-z]*\d+|ttymxc\d+|hvc\d+")
_PROGRAM_MAX_BYTES = 64 << 20
_SHF_ALLOC = 2


def likely(system: SystemDescription) -> str:
    """Return what will not run, or where no prompt will come; "" where nothing of that is to be seen."""
    files = TreeFiles.of(system)
    if files is None:
        return ""
    if found := _login(system, files):
        return found
    if system.tree is None or system.programs:
        return ""
    needs = TreeNeeds(system.tree, system.machine.arch)
    for path, who in _started(system, files):
        if found := _cannot(system, files, needs, path):
            return f"{who} starts {path}: {found}"
    return ""


def _started(system: SystemDescription, files: TreeFiles) -> Iterator[tuple[str, str]]:
    """Give the programs that are started for certain, with who does."""
    init = system.init_path
    yield init, "the kernel"
    text = files.text(init)
    if text is not None and text.startswith("#!"):
        script = shell.read(text)
        for command in script.commands if script is not None and not script.functions else ():
            words = command.words[1:] if command.name == "exec" else command.words
            word = (words[0] or "") if words else ""
            # What is not there at all, first_script says.
            if word.startswith("/") and files.entry(word) and not (command.tested or command.loops):
                yield word, init
    elif (table := files.text("/etc/inittab")) is not None:
        for entry in inittab.in_order(inittab.parse(table)):
            started = tuple(word for word in entry.words if word != "exec")
            if started and started[0].startswith("/"):
                yield started[0], "/etc/inittab"
    if system.application is not None:
        yield system.application, "the system"


def _cannot(system: SystemDescription, files: TreeFiles, needs: TreeNeeds, path: str) -> str:
    entry = files.entry(path)
    if entry is not None and entry.busybox is not None:
        return ""
    if entry is None:
        return "it is not in the tree"
    # The first program itself was looked at before the machine started.
    if path != system.init_path:
        try:
            first_program.check_needs(needs, path, system.machine.arch)
        except UserError as error:
            return f"{error.message} ({error.hint})"
    size, memory = _memory_bytes(files, path), system.machine.memory_mib << 20
    if size > memory:
        return (
            f"it needs {size >> 20} MiB of memory for its code and data alone, the machine has "
            f"{system.machine.memory_mib} MiB: raise machine.memory_mib"
        )
    return ""


def _memory_bytes(files: TreeFiles, path: str) -> int:
    """Return what a program's own sections take in memory; 0 for a script, or where the file does not tell."""
    entry = files.entry(path)
    if entry is None or entry.source is None:
        return 0
    try:
        source = Path(entry.source)
        if source.stat().st_size > _PROGRAM_MAX_BYTES:
            return source.stat().st_size
        return sum(size for _, _, flags, _, size in _core.elf_sections(source) if flags & _SHF_ALLOC)
    except (OSError, _core.CoreError):
        return 0


def _login(system: SystemDescription, files: TreeFiles) -> str:
    """Compare the ports of the logins in init's table with the one that is read, where the goal is a prompt."""
    names = [(param.value or "").partition(",")[0] for param in system.cmdline.all("console")]
    port = next((name for name in names if _PORT.fullmatch(name)), "")
    table = files.text("/etc/inittab")
    systemd = posixpath.basename(files.real(system.init_path)) == "systemd"
    if not port or table is None or systemd or _LOGIN.search(system.goal.console) is None:
        return ""
    ports: dict[str, bool] = {}
    for entry in inittab.in_order(inittab.parse(table)):
        if _GETTY.search(entry.process) is None:
            continue
        terminals = _TERMINAL.findall(f"{entry.terminal} {entry.process}")
        if not terminals or {port, "console"}.intersection(terminals):
            return ""
        ports |= dict.fromkeys(terminals, entry.terminal in terminals)
    if not ports:
        return ""
    of_busybox = all(ports.values())
    line = f"{port}::respawn:/sbin/getty -L {port} 115200 vt100"
    line = line if of_busybox else f"T0:2345:respawn:/sbin/getty -L {port} 115200 vt100"
    return (
        f"/etc/inittab starts a login on {', '.join(list(ports)[:6])} only, and bootlab reads {port}, where no prompt "
        f"will come: add the line {line}"
    )
