# SPDX-License-Identifier: MIT
"""The faster system as files: images, command line, a system file, a script that boots it without bootlab."""

from __future__ import annotations

import platform
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.builders import root_image
from bootlab.builders.images import sparse
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.qemu_command import options
from bootlab.launch.qemu_launch import added_words
from bootlab.model.launch import DEVICES_PLUGIN, Launch, LoadedFirst
from bootlab.model.processors import Processors
from bootlab.model.system import SystemDescription
from bootlab.systemfile.writer import Made, system_toml


class HandedOver(msgspec.Struct, frozen=True, kw_only=True):
    """Where the faster system lies.

    Paths by what they hold: `kernel`, `initramfs`, `root` (its medium), `card`, `cmdline`, `system`, `script`.
    `cmdline` is what a boot loader has to pass: the system's own command line, without the words that exact mode adds
    for itself; the board's own with the changes, where it is known.
    """

    folder: str
    files: dict[str, str]
    cmdline: str


def hand_over(run_folder: Path, system: SystemDescription, plan: BootPlan, made: Made = "stacked") -> HandedOver:
    """Copy the artefacts of a system beside its run.

    `boot.sh` repeats the boot as it was made, with the console on the terminal; `system.toml` and `cmdline.txt` hold
    the system alone. A recording that is played leaves no images and no script.
    """
    folder = run_folder / ("faster" if made == "stacked" else made)
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, str] = {}
    launch = booted = plan.first_launch or plan.launch
    if launch is not None:
        launch = _moved(launch, folder, files)
        if "kernel" not in files:
            # The card holds it; its symbols tell where it is, and the system file names it.
            shutil.copyfile(plan.system.kernel.image, folder / "kernel")
            files["kernel"] = str(folder / "kernel")
        if "root" in files and system.root is not None:
            name = Path(files["root"]).name
            machine = root_image.attached(system.machine, system.root.medium, name, system.storage)
            system = msgspec.structs.replace(system, machine=machine, root=None)
    (folder / "cmdline.txt").write_text(f"{system.cmdline_to_pass}\n", encoding="utf-8")
    files["cmdline"] = str(folder / "cmdline.txt")
    if launch is not None and booted is not None:
        said = (
            *_on_words(added_words(system)),
            *_on_processors(booted, plan.processors),
            *_on_devices(booted),
        )
        (folder / "boot.sh").write_text(_script(launch, said), encoding="utf-8")
        (folder / "boot.sh").chmod(0o755)
        files["script"] = str(folder / "boot.sh")
    (folder / "system.toml").write_text(system_toml(system, files, made), encoding="utf-8")
    files["system"] = str(folder / "system.toml")
    return HandedOver(folder=str(folder), files=files, cmdline=str(system.cmdline_to_pass))


def _moved(launch: Launch, folder: Path, files: dict[str, str]) -> Launch:
    """Copy what a launch starts from into a folder, note where, and return the launch that starts from there.

    It needs nothing of bootlab's but the plugins that the guest depends on, and the console is the terminal.
    """
    for name, source, place in _copies(launch):
        if name in {"root", "start", "card"}:
            sparse.copy(source, source.stat().st_size, folder / place)
        else:
            shutil.copyfile(source, folder / place)
        files[name] = str(folder / place)
    carried = tuple(plugin for plugin in launch.plugins if plugin.carried_as)
    for plugin in carried:
        shutil.copyfile(plugin.file, folder / plugin.carried_as)
    places = {name: place for name, _, place in _copies(launch)}
    media = tuple(msgspec.structs.replace(m, file=places[m.holds]) if m.holds else m for m in launch.media)
    return msgspec.structs.replace(
        launch,
        kernel=places.get("kernel"),
        initramfs=places.get("initramfs"),
        media=media,
        loader=_moved_loader(launch.loader, folder),
        plugins=tuple(msgspec.structs.replace(plugin, file=f"./{plugin.carried_as}") for plugin in carried),
        console=None,
    )


def _moved_loader(loader: LoadedFirst | None, folder: Path) -> LoadedFirst | None:
    """Copy a boot loader that the emulator starts, with its parts, into a folder."""
    if loader is None:
        return None
    places = {file: f"loader{number or ''}{Path(file).suffix}" for number, file in enumerate(loader.files)}
    for file, place in places.items():
        shutil.copyfile(file, folder / place)
    return loader.renamed(places)


def _copies(launch: Launch) -> Iterator[tuple[str, Path, str]]:
    """Yield what bootlab made for a launch: its name, where it lies, and the name of its copy."""
    if launch.kernel is not None:
        yield "kernel", Path(launch.kernel), "kernel"
    if launch.initramfs is not None:
        source = Path(launch.initramfs)
        # The end of initrd.img-6.1.0-56-amd64 is a version.
        packed = source.suffix if source.suffix[1:2].isalpha() and source.suffix != ".cpio" else ""
        yield "initramfs", source, f"initramfs.cpio{packed}"
    for medium in launch.media:
        if medium.holds is not None:
            yield medium.holds, Path(medium.file), f"{medium.holds}{Path(medium.file).suffix}"


def _on_words(added: tuple[str, ...]) -> tuple[str, ...]:
    if not added:
        return ()
    return (f"Exact mode adds to the kernel's command line: {' '.join(added)}. A product needs cmdline.txt.",)


def _on_processors(launch: Launch, processors: Processors) -> tuple[str, ...]:
    """Say what a boot on several processors needs besides the emulator."""
    if launch.clock is None or processors.count == 1:
        return ()
    said = f"{processors.text}: needs QEMU 10"
    if processors.mode == "parallel":
        said += (
            f" on a {platform.machine()} host and qemu-smp.so beside this script, which gives each processor its own "
            "time; it tests itself, and refuses what it does not know"
        )
    return (f"{said}.",)


def _on_devices(launch: Launch) -> tuple[str, ...]:
    """Say what the plugin for devices does and needs."""
    if not launch.devices_in_step:
        return ()
    said = (
        f"{DEVICES_PLUGIN} beside this script makes devices complete their work at the instruction that asks; it "
        f"needs a {platform.machine()} host and the QEMU that booted this, tests itself, and refuses what it does not "
        "know."
    )
    return (said,)


def _script(launch: Launch, said: tuple[str, ...]) -> str:
    lines = [shlex.quote(launch.emulator), *(shlex.join(option) for option in options(launch))]
    text = " \\\n    ".join(lines)
    head = (
        '#!/bin/sh\n# The system as it was booted, without bootlab. Ctrl-C ends it.\ncd "$(dirname "$0")" || exit 1\n'
    )
    head += "".join(f"# {line}\n" for line in said)
    return f"{head}exec {text}\n"
