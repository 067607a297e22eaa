# SPDX-License-Identifier: MIT
"""A picture on the machine's screen as a line of its console: the other side of qemu-plugin/bootlab-picture.c."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache
from bootlab.errors import EnvironmentFault, UserError
from bootlab.launch import plugin
from bootlab.launch.emulator import Emulator
from bootlab.model.launch import Launch, LoadedPlugin
from bootlab.model.system import SystemDescription

PICTURE_FILE = "picture.ppm"
"""What is looked for, in the boot's folder."""

SCREEN_FILE = "screen.ppm"
"""What the screen showed last, in the folder of a boot that did not reach its goal."""

LINE = "bootlab: picture shown"
"""What stands on the console when the screen shows the picture."""


def is_goal(system: SystemDescription) -> bool:
    """Tell whether the line of the picture is what a system's goal waits for."""
    return "picture" in system.goal.console and re.search(system.goal.console, LINE) is not None


def carried(system: SystemDescription) -> tuple[tuple[str, str], ...]:
    """Return the picture as it is put into the boot's folder: its name there, and the user's file."""
    return ((PICTURE_FILE, system.machine.picture),) if system.machine.picture is not None else ()


def watched(launch: Launch, system: SystemDescription, found: Emulator, cache: Cache) -> Launch:
    """Return the launch whose screen is compared with the system's picture; the same one where it names none.

    Raise UserError where time is not exact, EnvironmentFault without the plugin.
    """
    if system.machine.picture is None:
        return launch
    if system.clock.mode != "exact" or launch.accel != "tcg":
        raise UserError(
            f"{system.name}: machine.picture needs exact mode: the screen is looked at by virtual time",
            hint='set clock.mode = "exact" in the system file, or leave machine.picture out',
        )
    made, stamper = plugin.prepare_picture(found, cache.root), plugin.prepare_with_lines(found, cache.root)
    if made.path is None or stamper.path is None:
        reason = made.reason or stamper.reason
        raise EnvironmentFault(f"there is no plugin that looks at the screen: {reason}", hint="bootlab doctor")
    # By what is in the picture, and not by where it lies.
    words = (f"digest={cache.digest(Path(system.machine.picture))}", f"picture={PICTURE_FILE}", f"screen={SCREEN_FILE}")
    own = {"file": stamper.path, "digest": stamper.digest}
    others = tuple(msgspec.structs.replace(one, **own) if one.preloaded else one for one in launch.plugins)
    launch = msgspec.structs.replace(launch, plugins=others)
    return launch.with_plugin(LoadedPlugin(file=made.path, arguments=words, digest=made.digest))


def tidy(folder: Path, *, reached: bool) -> None:
    """Remove the picture's copy from a boot's folder, and the screen of a boot that reached its goal."""
    (folder / PICTURE_FILE).unlink(missing_ok=True)
    if reached:
        (folder / SCREEN_FILE).unlink(missing_ok=True)
