# SPDX-License-Identifier: MIT
"""What a console tells of a boot that never left its firmware or boot loader: a menu, a prompt, nothing that boots."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bootlab.model.recording import Line

# GRUB, grub-core/normal/menu_text.c; Syslinux, core/elflink and com32/menu; U-Boot, common/menu.c and
# cmd/bootmenu.c; Petitboot, ui/ncurses/nc-menu.c; SeaBIOS, src/boot.c; EDK II, BdsDxe and the UEFI shell.
_MENU = (
    r"keys to select which entry is highlighted|Press \[Tab\] to edit options|^boot: *$|"
    r"Press UP/DOWN to move, ENTER to|^Enter choice: *$|Enter=accept, e=edit, n=new|^Select boot device:"
)
# GRUB, grub-core/kern/rescue_reader.c and normal/main.c; U-Boot, cmd/Kconfig; barebox, common/hush.c.
_PROMPT = r"^(?:grub rescue>|grub>|=>|U-Boot>|barebox@[^:]{1,80}:\S*|Shell>) *$"
# So short that other programs may say them too.
_OF_U_BOOT = re.compile(r"^(?:=>|Enter choice:)")
_NOTHING = r"^No bootable device\.|No bootable option or device was found|Press any key to enter the Boot Manager Menu"
_NETWORK = r">>Start (?:PXE|HTTP Boot) over IPv[46]|^iPXE .*initialising devices"
_WAITS = (
    (
        re.compile(_MENU),
        (
            "a boot loader's menu waits for a key (line {line}): give it a time after which it goes on, or let "
            "`bootlab new --entry` take one of its entries"
        ),
    ),
    (
        re.compile(_PROMPT),
        (
            "the boot loader stopped at its prompt (line {line}: {said}): it found nothing to start, or a key stopped "
            "it; the lines before say which"
        ),
    ),
    (
        re.compile(_NOTHING),
        (
            "the firmware found nothing that it can boot (line {line}): is a boot loader on the medium, and is it one "
            "for this firmware (BIOS or UEFI)?"
        ),
    ),
    (
        re.compile(_NETWORK),
        "the firmware asks the network for something to boot (line {line}): it found nothing on the media",
    ),
)
# What each prints when it goes on, or while it counts down and goes on by itself.
_LEFT = re.compile(
    r"Booting [`'a]|Loading \S|EFI stub|Starting kernel|^## |"
    r"executed automatically in \d|Automatic boot in \d|stop autoboot: *[1-9]"
)
_KERNEL = re.compile(r"Linux version |^\[ *\d+\.\d+\]")
_LOOKED_AT = 40


def waits(lines: Sequence[Line]) -> str:
    """Say what a firmware or boot loader waits for; "" where something behind it shows that it went on."""
    if any(_KERNEL.search(line.text) is not None for line in lines):
        return ""
    for line in reversed(lines[-_LOOKED_AT:]):
        if _LEFT.search(line.text) is not None:
            return ""
        for pattern, text in _WAITS:
            if pattern.search(line.text) is not None and (_OF_U_BOOT.search(line.text) is None or _has_u_boot(lines)):
                return text.format(line=line.number, said=repr(line.text.strip()[:80]))
    return ""


def _has_u_boot(lines: Sequence[Line]) -> bool:
    return any("U-Boot" in line.text for line in lines)
