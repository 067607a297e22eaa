# SPDX-License-Identifier: MIT
"""A firmware or boot loader that waits is named: when its boot failed, and while the boot goes on."""

from __future__ import annotations

import pytest

from bootlab.hints.failure import hint_for
from bootlab.hints.loader import waits
from bootlab.model.recording import Line, Meta, Outcome, Recording
from bootlab.model.system import NO_GOAL, Goal, Kernel, SystemDescription
from bootlab.targets.so_far import SoFar

GRUB = "\x1b[20;1H      Use the ^ and v keys to select which entry is highlighted.          "
U_BOOT = "U-Boot 2023.01 (Jan 01 2023 - 00:00:00 +0000)"


def lines(*texts: str) -> tuple[Line, ...]:
    return tuple(Line(n, text, 0) for n, text in enumerate(texts, 1))


@pytest.mark.parametrize(
    "menu",
    [
        GRUB,
        "Press [Tab] to edit options",
        "boot: ",
        "  Press UP/DOWN to move, ENTER to select",
        "Select boot device:",
        " Enter=accept, e=edit, n=new, x=exit, l=language, g=log, h=help",
    ],
)
def test_a_menu_that_waits_is_named(menu: str):
    def said(*texts: str) -> str:
        return hint_for(Recording(meta=Meta(outcome=Outcome.HANG), lines=lines(*texts), marks=()))

    assert "menu waits for a key (line 2)" in said("GRUB", menu, "*Debian")
    assert "menu" not in said("GRUB", menu, "  Booting `Debian'", "")
    assert "menu" not in said("SYSLINUX", menu, "Loading vmlinuz... ok", "[    0.000000] Linux version 6.1")
    assert waits(lines(menu, "[    0.000000] Linux version 6.1", *["more"] * 50, menu)) == "", "a kernel ran"


@pytest.mark.parametrize(
    "texts",
    [
        ("GNU GRUB  version 2.06", "", "grub> "),
        ("error: unknown filesystem.", "Entering rescue mode...", "grub rescue> "),
        (U_BOOT, "Hit any key to stop autoboot:  0 ", "=> "),
        (U_BOOT, "ERROR: can't get kernel image!", "U-Boot> "),
        ("barebox 2023.01.0", "Hit any key to stop autoboot:    0", "barebox@ARM QEMU virt64:/ "),
        ("UEFI Interactive Shell v2.2", "Press ESC in 1 seconds to skip startup.nsh", "Shell> "),
    ],
)
def test_a_prompt_is_named(texts):
    assert f"stopped at its prompt (line 3: {texts[-1].strip()!r})" in waits(lines(*texts))
    assert waits(lines(*texts, "Loading Linux 6.1 ...")) == ""


def test_a_firmware_that_finds_nothing_is_named():
    assert "found nothing that it can boot (line 2)" in waits(lines("Booting from Hard Disk...", "No bootable device."))
    of_uefi = (
        "BdsDxe: No bootable option or device was found.",
        "BdsDxe: Press any key to enter the Boot Manager Menu.",
    )
    assert "found nothing that it can boot (line 2)" in waits(lines(*of_uefi))
    assert "asks the network" in waits(lines("BdsDxe: failed to load Boot0001", ">>Start PXE over IPv4."))


@pytest.mark.parametrize(
    "count",
    [
        "   The highlighted entry will be executed automatically in 5s.  ",
        "Automatic boot in 5 seconds...",
        "Hit any key to stop autoboot:  2 ",
    ],
)
def test_a_menu_that_counts_down_waits_for_nobody(count):
    assert waits(lines(GRUB, count)) == ""


def test_what_another_program_may_say_is_a_loaders_only_behind_one():
    assert waits(lines("calculator", "=> ")) == ""
    assert "menu waits" in waits(lines(U_BOOT, "1:\tDebian", "Enter choice: "))
    assert waits(lines("1: Debian", "Enter choice: ")) == ""


def test_it_is_said_while_it_waits(tmp_path):
    console = tmp_path / "console"
    console.write_bytes(f"GNU GRUB  version 2.06\r\n{GRUB}".encode())
    first = SystemDescription(name="s", kernel=Kernel(image="/k"), goal=Goal(console=NO_GOAL))
    so_far = SoFar(console, first)
    assert so_far.word(0.0, 0.0, 0) == ""
    assert "a boot loader's menu waits for a key (line 2)" in so_far.word(10.0, 6.0, 2_000_000_000)
