"""The faster system as files: images, command line, a system file, a script that boots it without bootlab."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import msgspec

from bootlab.builders import root_image
from bootlab.builders.images import sparse
from bootlab.model.system import System
from bootlab.systemfile.writer import Made, system_toml
from bootlab.targets.base import BootPlan
from bootlab.targets.qemu_command import added_words


class HandedOver(msgspec.Struct, frozen=True, kw_only=True):
    """Where the faster system lies.

    Paths by what they hold: `kernel`, `initramfs`, `root` (its medium), `cmdline`, `system`, `script`. `cmdline` is
    what a boot loader has to pass: the system's own command line, without the words that exact mode adds for itself.
    """

    folder: str
    files: dict[str, str]
    cmdline: str


def hand_over(run_folder: Path, system: System, plan: BootPlan, made: Made = "stacked") -> HandedOver:
    """Copy the artefacts of a system beside its run.

    `boot.sh` repeats the boot as it was made, word for word; `system.toml` and `cmdline.txt` hold the system alone.
    """
    folder = run_folder / ("faster" if made == "stacked" else made)
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, str] = {}
    command = list(plan.command)
    for option, name in (("-kernel", "kernel"), ("-initrd", "initramfs")):
        if option in command:
            at = command.index(option) + 1
            source = Path(command[at])
            suffix = source.suffix if source.suffix != ".cpio" else ""
            place = folder / (name if name != "initramfs" else f"initramfs.cpio{suffix}")
            shutil.copyfile(source, place)
            files[name] = str(place)
            command[at] = place.name
    if plan.root and system.root is not None:
        source = Path(plan.root)
        place = folder / f"root{source.suffix}"
        sparse.copy(source, source.stat().st_size, place)
        files["root"] = str(place)
        machine = root_image.attached(system.machine, system.root.medium, place.name, system.storage)
        system = msgspec.structs.replace(system, machine=machine, root=None)
        command = [word.replace(plan.root, place.name) for word in command]
    (folder / "cmdline.txt").write_text(f"{system.cmdline}\n", encoding="utf-8")
    files["cmdline"] = str(folder / "cmdline.txt")
    (folder / "boot.sh").write_text(_script(command, added_words(system)), encoding="utf-8")
    (folder / "boot.sh").chmod(0o755)
    files["script"] = str(folder / "boot.sh")
    (folder / "system.toml").write_text(system_toml(system, files, made), encoding="utf-8")
    files["system"] = str(folder / "system.toml")
    return HandedOver(folder=str(folder), files=files, cmdline=str(system.cmdline))


def _script(command: list[str], added: tuple[str, ...]) -> str:
    words: list[str] = []
    skip = False
    for word, following in zip(command, [*command[1:], ""], strict=True):
        if skip:
            skip = False
        elif word == "-plugin":
            skip = True
        elif word == "-chardev" and "id=console" in following:
            words += ["-chardev", "stdio,id=console,signal=on"]
            skip = True
        else:
            words.append(word)
    lines: list[str] = []
    for word in words:
        # An option and its value stand on one line.
        if word.startswith("-") or not lines:
            lines.append(shlex.quote(word))
        else:
            lines[-1] += f" {shlex.quote(word)}"
    text = " \\\n    ".join(lines)
    head = (
        '#!/bin/sh\n# The system as it was booted, without bootlab. Ctrl-C ends it.\ncd "$(dirname "$0")" || exit 1\n'
    )
    if added:
        head += f"# Exact mode adds to the kernel's command line: {' '.join(added)}. A product needs cmdline.txt.\n"
    return f"{head}exec {text}\n"
