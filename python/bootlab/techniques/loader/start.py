# SPDX-License-Identifier: MIT
"""How U-Boot comes to the kernel: what it searches for, from where it loads, what it copies, what it prints."""

from __future__ import annotations

import re

from bootlab.model.boot_loader import Loader
from bootlab.model.change import SetLoader
from bootlab.model.recording import Recording
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.console_lines import kernel_lines
from bootlab.techniques.loader_built import (
    loader_built_with,
    loaders_differ,
    no_longer_said,
    said,
    said_lines,
    value_of,
)
from bootlab.techniques.loader_setting import LoaderSetting

_SEARCH = r"Scanning |Found /extlinux|Found U-Boot script|Retrieving file: /extlinux"
_READ = re.compile(r"MMC read: dev # \d+, block # \d+, count (\d+) ")


class LoaderBootCommand(LoaderSetting):
    """No search for what to boot."""

    id = "loader-boot-command"
    title = "Boot command that loads and starts the kernel directly"
    what = (
        "Builds U-Boot with a default environment of three lines: the boot command loads kernel, device tree and "
        "initramfs by name and starts the kernel. The command line is in the device tree."
    )
    why = "U-Boot's usual boot command searches all media and partitions for scripts and menus, and reads them."
    when_not = "The board must boot from whatever medium is inserted."
    cost = "Another medium, kernel name or command line needs another boot loader or device tree."
    risk = Risk(debuggability="the boot menu and the variables of the usual environment are gone")
    references = ("U-Boot: include/config_distro_bootcmd.h", "U-Boot: env/Kconfig, USE_DEFAULT_ENV_FILE")
    sets = SetLoader(start="command")

    def applies_to(self, loader: Loader, context: Context) -> Applies:
        """Yes where U-Boot searches."""
        if loader.start in {"command", "falcon"}:
            return Applies.no("U-Boot searches for nothing", f"[loader] start = {loader.start}")
        return Applies.yes("U-Boot searches for what to boot", said(context.recording, _SEARCH))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the search, which no longer prints, and by the configuration."""
        effect = loader_built_with(before, after, (("USE_DEFAULT_ENV_FILE", "y"),))
        if not effect.shown:
            return effect
        gone = no_longer_said(before, after, _SEARCH)
        return Effect(gone.shown, f"{effect.evidence}; {gone.evidence}")


class LoaderInPlace(LoaderSetting):
    """Nothing is copied that is in memory already."""

    id = "loader-in-place"
    title = "Device tree, initramfs and kernel used where they were loaded"
    what = (
        "Sets U-Boot's variables `fdt_high` and `initrd_high` to 0xffffffff, and loads a kernel with a legacy header "
        "so that its first byte is at the address that the header names."
    )
    why = "U-Boot copies initramfs and device tree to the end of low memory; `bootm` copies the kernel to its address."
    when_not = "They are loaded where the kernel unpacks itself, or where it does not look for them."
    cost = "The load addresses must suit the kernel: U-Boot no longer corrects them."
    risk = Risk(debuggability="a load address that does not suit the kernel is no longer corrected")
    references = ("U-Boot: boot/image-fdt.c, boot_relocate_fdt()", "U-Boot: boot/image-board.c, boot_ramdisk_high()")
    sets = SetLoader(in_place=True)

    def applies_to(self, loader: Loader, context: Context) -> Applies:
        """Yes where U-Boot copies."""
        if loader.in_place:
            return Applies.no("it is set already", "[loader] in_place = true")
        if loader.start not in {"command", "script"}:
            return Applies.no("only a boot command or a script can say so", f"[loader] start = {loader.start}")
        copied = said(context.recording, _COPIES)
        return Applies.yes("U-Boot copies what it has loaded", copied)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by U-Boot's lines about what it copies."""
        return no_longer_said(before, after, _COPIES)


_COPIES = r"Loading (?:Ramdisk|Device Tree) to "


class LoaderRawCard(LoaderSetting):
    """No file system between the card and the kernel."""

    id = "loader-raw-card"
    title = "Kernel read from raw sectors of the card"
    what = (
        "Puts kernel, device tree and initramfs before the first partition. The boot command reads exactly the sectors "
        "that they occupy."
    )
    why = "U-Boot reads no partition table, directory or allocation table, and reads each file in one go."
    when_not = "Updates copy files to a partition."
    cost = "An update writes sectors: it needs room for a second copy, and a rule for which copy is booted."
    risk = Risk(function="kernel and initramfs are no longer files that can be replaced one by one")
    references = ("U-Boot: cmd/mmc.c", "U-Boot: fs/fat/fat.c")
    sets = SetLoader(place="raw", exact=True)

    def applies_to(self, loader: Loader, context: Context) -> Applies:  # noqa: ARG002 - the system file says it
        """Yes where a boot command of U-Boot loads files."""
        if loader.start != "command":
            return Applies.no("only U-Boot's own boot command reads raw sectors", f"[loader] start = {loader.start}")
        if loader.place == "raw":
            return Applies.no("they are in raw sectors", "[loader] place = raw")
        return Applies.yes("U-Boot loads files of a FAT partition", "[loader] place = fat")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the reads of sectors that U-Boot prints, and by the files that it no longer reads."""
        old, new = _sectors(before), _sectors(after)
        if old or not new:
            return Effect(False, f"sectors that U-Boot read without a file system: {old} before, {new} after")
        return Effect(True, f"U-Boot reads {new} sectors and no file: {said(after.recording, _READ.pattern)}")


class LoaderExactSizes(LoaderSetting):
    """Nothing is read that holds nothing."""

    id = "loader-exact-sizes"
    title = "Only the used part of raw sectors read"
    what = (
        "Reads only the sectors that device tree, kernel and initramfs occupy, instead of all the space reserved for "
        "them."
    )
    why = "The reserved space has room for the largest kernel that may come, and a card takes time to read it."
    when_not = "Files are loaded from a file system, which knows their sizes."
    cost = "The sizes are in the boot loader or in a script on the card, so an update must write that too."
    references = ("U-Boot: common/spl/spl_mmc.c, mmc_load_image_raw_os()",)
    sets = SetLoader(exact=True)

    def applies_to(self, loader: Loader, context: Context) -> Applies:  # noqa: ARG002 - the system file says it
        """Yes where rooms are read whole."""
        if loader.exact:
            return Applies.no("only what is there is read", "[loader] exact = true")
        if not _reads_rooms(loader):
            return Applies.no("a file system knows the sizes of its files", f"[loader] start = {loader.start}")
        return Applies.yes("the whole reserved space is read, whatever it contains", "[loader] exact = false")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the sectors that U-Boot says it read, or that the SPL was built to read."""
        old, new = _sectors(before), _sectors(after)
        if old and new:
            return Effect(new < old, f"U-Boot reads {old} -> {new} sectors")
        name = "SYS_MMCSD_RAW_MODE_ARGS_SECTORS"
        counts = [int(value_of(e.recording, name).replace("n", "0"), 0) for e in (before, after)]
        shown = 0 < counts[1] < counts[0] and loaders_differ(before, after).shown
        return Effect(shown, f"the SPL reads {counts[0]} -> {counts[1]} sectors of the device tree")


def _reads_rooms(loader: Loader) -> bool:
    if loader.start == "falcon":
        return not loader.appended
    return loader.start == "command" and loader.place == "raw"


class LoaderBootz(LoaderSetting):
    """The kernel without a second header."""

    id = "loader-bootz"
    title = "zImage started by bootz"
    what = "Puts the zImage on the card as it is; U-Boot starts it with `bootz` instead of `bootm`."
    why = "`bootm` computes a checksum of the whole image and copies it to the address in its header."
    when_not = "The checksum is needed to notice an interrupted update."
    cost = "Only the decompressor notices a damaged kernel."
    risk = Risk(function="U-Boot no longer notices a damaged kernel")
    references = ("U-Boot: cmd/bootz.c", "U-Boot: boot/bootm.c")
    sets = SetLoader(wrapped=False)
    needs_build = False

    def applies_to(self, loader: Loader, context: Context) -> Applies:  # noqa: ARG002 - the system file says it
        """Yes where bootlab wraps the kernel."""
        if not loader.wrapped:
            return Applies.no("the kernel has no header of bootlab's", "[loader] wrapped = false")
        return Applies.yes("the kernel has a legacy header", "[loader] wrapped = true")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by what the two commands print."""
        gone = no_longer_said(before, after, r"## Booting kernel from Legacy Image")
        now = said(after.recording, r"Kernel image @ 0x")
        return Effect(gone.shown and bool(now), f"{gone.evidence}; now: {now or 'nothing of bootz'}")


class LoaderSilent(LoaderSetting):
    """A boot loader that says nothing."""

    id = "loader-silent"
    title = "Silent boot loader"
    what = (
        "Builds U-Boot with CONFIG_SILENT_CONSOLE, `silent=1` and `silent_linux=no` in its environment, and the SPL "
        "without CONFIG_SPL_SERIAL. The kernel prints as before."
    )
    why = "At 115200 baud each character takes 87 microseconds, and a boot loader prints several hundred or more."
    when_not = "Printing takes no time: an emulated serial port accepts every character at once."
    cost = "A boot loader that hangs shows nothing."
    risk = Risk(debuggability="the boot loader prints nothing, also no errors")
    references = (
        "U-Boot: common/Kconfig, SILENT_CONSOLE",
        "U-Boot: doc/README.silent",
        "U-Boot: boot/bootm.c, fixup_silent_linux()",
    )
    sets = SetLoader(silent=True)

    def applies_to(self, loader: Loader, context: Context) -> Applies:
        """Yes where U-Boot speaks and has an environment of bootlab's."""
        if loader.silent:
            return Applies.no("it is silent", "[loader] silent = true")
        if loader.start == "falcon":
            return Applies.no("in falcon mode the SPL reads a key from its serial port", "[loader] start = falcon")
        if loader.start != "command":
            return Applies.no(
                "its environment is its own", f"[loader] start = {loader.u_boot_start} (loader-boot-command)"
            )
        count = _characters(context.recording)
        return Applies.yes(f"it prints {count} characters", said(context.recording, "."))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configuration, by no line before the kernel's, and by the kernel's lines, which stay."""
        effect = loader_built_with(before, after, (("SILENT_CONSOLE", "y"), ("SPL_SERIAL", "n")))
        if not effect.shown:
            return effect
        if left := said(after.recording, r"\S"):
            return Effect(False, f"the boot loader still prints: {left}")
        if kernel_lines(before.recording) and not kernel_lines(after.recording):
            return Effect(False, "the kernel prints nothing either")
        counts = _characters(before.recording), _characters(after.recording)
        return Effect(
            counts[1] < counts[0],
            f"{effect.evidence}; characters before the kernel: {counts[0]} -> {counts[1]}",
        )


def _characters(recording: Recording) -> int:
    """Return how many characters were printed before the kernel's first line; a line ends with two."""
    return sum(len(line) + 2 for line in said_lines(recording))


def _sectors(evidence: Evidence) -> int:
    """Return how many sectors U-Boot says it read without a file system."""
    found = (_READ.search(line) for line in said_lines(evidence.recording))
    return sum(int(match[1]) for match in found if match is not None)


TECHNIQUES = (
    LoaderBootCommand(),
    LoaderInPlace(),
    LoaderRawCard(),
    LoaderExactSizes(),
    LoaderBootz(),
    LoaderSilent(),
)
