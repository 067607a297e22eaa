# SPDX-License-Identifier: MIT
"""What of a command line cannot work, before a boot shows it: how it is written, and words that keep the goal away.

The goals that nothing can print are in preflight_goal.py.
"""

from __future__ import annotations

import re
import unicodedata

from bootlab.launch.boot_plan import BootPlan
from bootlab.model.system import SystemDescription
from bootlab.sources.initramfs import facts_of_tree

# Keys whose value people write apart: root = /dev/vda.
_NEED_A_VALUE = ("root", "console", "init", "rdinit", "rootfstype", "rootflags")
# Devices without their folder, as `lsblk` prints them.
_BARE = re.compile(r"(?:[shv]d[a-z]\d*|mmcblk\d+(?:p\d+)?|nvme\d+n\d+(?:p\d+)?|pmem\d+(?:p\d+)?|mtdblock\d+)")
# What makes an initrd stop in a shell (initramfs-tools(7), dracut.cmdline(7)).
_BREAKS = {"initramfs-tools": "break", "dracut": "rd.break", "systemd": "rd.break", "mkinitcpio": "break"}
# Without a login or a service (systemd(1), init(8)).
_SINGLE = ("single", "rescue", "emergency", "s", "S", "1", "-s", "-b")
_SINGLE_UNITS = ("rescue.target", "emergency.target", "rescue", "emergency")
_OF_FULL_USE = re.compile(r"login:|multi-user|graphical|Started (?!systemd-)\S+\.service")


def check(plan: BootPlan) -> tuple[str, str] | None:
    """Return the first thing that is wrong with the command line and the way out; None when nothing is certain."""
    system = plan.system
    for look in (_letters, _apart, _bare_device, _stops, _single):
        found = look(system)
        if found is not None:
            return found
    return None


def _letters(system: SystemDescription) -> tuple[str, str] | None:
    """Name what a web page or an office program put in the place of a space, a quote or a hyphen."""
    text = str(system.cmdline)
    strange = next((letter for letter in text if ord(letter) > 0x7F), "")
    if not strange:
        return None
    at = text.index(strange)
    near = text[max(0, at - 12) : at + 12]
    name = unicodedata.name(strange, "an unknown character").lower()
    return (
        f"kernel.cmdline has a character that no kernel parameter has: {name} (U+{ord(strange):04X}) in {near!r}",
        "type that word again: pasted text often has typographic quotes, dashes and spaces",
    )


def _apart(system: SystemDescription) -> tuple[str, str] | None:
    """Name a value that a space separates from its key."""
    for param in system.cmdline.params:
        # An empty console= is a word of its own: no console at all.
        if param.key in _NEED_A_VALUE and (param.value is None or (param.key == "root" and not param.value)):
            return (
                f"kernel.cmdline has {param.key} without a value: the kernel takes what follows as another word",
                f"write it without spaces: {param.key}=VALUE",
            )
    return None


def _bare_device(system: SystemDescription) -> tuple[str, str] | None:
    root = system.cmdline.value("root") or ""
    if not _BARE.fullmatch(root):
        return None
    return f"root={root} is not the path of a device: the kernel looks for /dev/{root}", f"write root=/dev/{root}"


def _stops(system: SystemDescription) -> tuple[str, str] | None:
    """Name a word that keeps the initrd in a shell, left over from somebody's search for a mistake."""
    if system.initramfs is None or system.initramfs.tree is None:
        return None
    word = _BREAKS.get(facts_of_tree(system.initramfs.tree).maker)
    if (
        word is None
        or not system.cmdline.has(word)
        or re.search(system.goal.console, "(initramfs) switch_root:/# sh-5.2# ")
    ):
        return None
    return (
        f"{word} on the command line stops the initrd in a shell, so the boot does not reach its goal",
        f"leave {word} out of kernel.cmdline",
    )


def _single(system: SystemDescription) -> tuple[str, str] | None:
    if _OF_FULL_USE.search(system.goal.console) is None or system.root is None:
        return None
    line = system.cmdline
    word = next((word for word in _SINGLE if any(p.key == word and p.value is None for p in line.params)), "")
    if not word and (unit := line.value("systemd.unit")) in _SINGLE_UNITS:
        word = f"systemd.unit={unit}"
    if not word:
        return None
    return (
        f"{word} on the command line starts a rescue shell, and the goal {system.goal.console!r} comes only without it",
        f"leave {word} out of kernel.cmdline",
    )
