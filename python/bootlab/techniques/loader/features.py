# SPDX-License-Identifier: MIT
"""What U-Boot is built with: a row for each feature that a product's boot does not need."""

from __future__ import annotations

from dataclasses import dataclass

from bootlab.model.change import Change, SetLoaderOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Proof, Published, Risk, StageName
from bootlab.techniques.loader_built import built_loader, loader_built_with, no_longer_said, said, value_of
from bootlab.techniques.row import TechniqueRow

Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class LoaderFeature(TechniqueRow):
    """Builds U-Boot with every option of `sets`.

    `only_if`: options without which there is nothing to change. `needs_command`: only for a U-Boot with a boot command
    of its own. `gone`: a line that a U-Boot with the options does not print; where the base printed it, its absence
    belongs to the proof.
    """

    stage: StageName = "loader"
    sets: Options
    because: str
    only_if: tuple[str, ...] = ()
    needs_command: bool = False
    gone: str = ""
    proof: Proof = "recording"

    def applies(self, context: Context) -> Applies:  # noqa: PLR0911 - one answer a reason
        """Yes when an option has another value in the configuration that the base's boot loader was built with."""
        loader = built_loader(context)
        if isinstance(loader, Applies):
            return loader
        if self.needs_command and loader.u_boot_start != "command":
            return Applies.no(
                "how U-Boot finds the kernel needs it", f"[loader] start = {loader.u_boot_start} (loader-boot-command)"
            )
        if loader.start == "falcon" and all(not name.startswith("SPL_") for name, _ in self.sets):
            return Applies.no("in falcon mode U-Boot itself does not run", "[loader] start = falcon")
        if not context.recording.loader_config:
            return Applies.unknown("the configuration of the boot loader is not known before a boot")
        for option in self.only_if:
            if value_of(context.recording, option) == "n":
                return Applies.no("what it is about is not in this boot loader", f"CONFIG_{option} is not set")
        pending = [name for name, value in self.sets if value_of(context.recording, name) != value]
        if not pending:
            return Applies.no("it is set already", _stated(context, self.sets[0][0]))
        return Applies.yes(self.because, ", ".join(_stated(context, name) for name in pending[:3]))

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose what differs."""
        known = context.recording.loader_config
        pending = tuple(
            (name, value) for name, value in self.sets if not known or value_of(context.recording, name) != value
        )
        return (Change(technique=self.id, ops=(SetLoaderOptions(pending),)),) if pending else ()

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configurations that both were built with, and by what the boot loader no longer prints."""
        wanted = tuple(pair for pair in self.sets if value_of(before.recording, pair[0]) != pair[1])
        effect = loader_built_with(before, after, wanted or self.sets)
        if not effect.shown or not self.gone or not said(before.recording, self.gone):
            return effect
        silent = no_longer_said(before, after, self.gone)
        return Effect(silent.shown, f"{effect.evidence}; {silent.evidence}")


def _stated(context: Context, option: str) -> str:
    value = value_of(context.recording, option)
    return f"CONFIG_{option} is not set" if value == "n" else f"CONFIG_{option}={value}"


_NO_PROMPT = Risk(debuggability="the boot loader loses this function, at its prompt too")

TECHNIQUES = (
    LoaderFeature(
        id="loader-boot-delay",
        title="No wait before the boot command",
        what="Builds U-Boot with CONFIG_BOOTDELAY=0.",
        why="U-Boot waits this many seconds for a key. With 0 it looks once: a key held down still stops it.",
        when_not="The delay is already 0, or an environment stored on the card sets it.",
        cost="The prompt is harder to reach.",
        risk=Risk(debuggability="to reach the prompt, a key must be held down at power-on"),
        sets=(("BOOTDELAY", "0"),),
        because="U-Boot waits for a key",
        published=(Published("-2 s (bootdelay=2)", "any board with U-Boot's usual delay", "U-Boot: boot/Kconfig"),),
        references=("U-Boot: boot/Kconfig, BOOTDELAY", "U-Boot: common/autoboot.c"),
    ),
    LoaderFeature(
        id="loader-usb-off",
        title="U-Boot without USB host",
        what="Builds U-Boot without CONFIG_USB_EHCI_HCD and CONFIG_USB_OHCI_HCD, and so without `usb start`.",
        why="To look for a keyboard, U-Boot resets every root hub and waits for devices: several seconds in all.",
        when_not="The kernel is on a USB stick, or the boot loader needs a USB keyboard.",
        cost="No keyboard, no stick, no network over USB in the boot loader.",
        risk=_NO_PROMPT,
        sets=(("USB_EHCI_HCD", "n"), ("USB_OHCI_HCD", "n")),
        because="U-Boot has drivers for USB hosts",
        gone="starting USB",
        references=("U-Boot: boot/Kconfig, PREBOOT", "U-Boot: common/usb_hub.c"),
    ),
    LoaderFeature(
        id="loader-video-off",
        title="U-Boot without display",
        what="Builds U-Boot without CONFIG_VIDEO_DE2 (Allwinner).",
        why="U-Boot waits for an HDMI link before it prints its first line, and again before it starts the kernel.",
        when_not="The boot loader shows a splash screen, or hands its frame buffer to the kernel.",
        cost="No picture until the kernel shows one.",
        risk=_NO_PROMPT,
        architectures=("arm", "arm64"),
        # The frame buffer for the kernel stays on without it, and does not link.
        sets=(("VIDEO_DE2", "n"), ("VIDEO_DT_SIMPLEFB", "n")),
        only_if=("VIDEO_DE2",),
        because="U-Boot sets up a display",
        gone="HDMI PHY init timeout",
        references=("U-Boot: drivers/video/sunxi/sunxi_dw_hdmi.c", "U-Boot: arch/arm/mach-sunxi/Kconfig, VIDEO_DE2"),
    ),
    LoaderFeature(
        id="loader-network-off",
        title="U-Boot without network",
        what="Builds U-Boot without CONFIG_NET.",
        why="U-Boot looks for network devices and reads their addresses before it runs its boot command.",
        when_not="The board boots from the network, or U-Boot hands the address to the kernel.",
        cost="No boot from the network; the kernel does not get a MAC address from U-Boot.",
        risk=Risk(function="the kernel is not given a MAC address by the boot loader"),
        sets=(("NET", "n"),),
        because="U-Boot has a network",
        gone="^Net:",
        references=("U-Boot: net/Kconfig, NET", "U-Boot: common/board_r.c, initr_net()"),
    ),
    LoaderFeature(
        id="loader-efi-off",
        title="U-Boot without UEFI",
        what="Builds U-Boot without CONFIG_EFI_LOADER.",
        why="UEFI is a tenth of U-Boot. Without it, less has to be loaded from the card and relocated in memory.",
        when_not="The system is started by an EFI program (GRUB, systemd-boot).",
        cost="U-Boot cannot start EFI programs.",
        risk=_NO_PROMPT,
        sets=(("EFI_LOADER", "n"),),
        because="U-Boot can run EFI programs",
        references=("U-Boot: lib/efi_loader/Kconfig, EFI_LOADER",),
    ),
    LoaderFeature(
        id="loader-environment-off",
        title="U-Boot without an environment on the card",
        what="Builds U-Boot with CONFIG_ENV_IS_NOWHERE: it always uses its built-in environment.",
        why="U-Boot mounts a file system to look for a stored environment, and checks it.",
        when_not="Settings must survive a reboot: boot counters, the choice between two systems, a MAC address.",
        cost="`saveenv` is gone, and no file on the card can change what is booted.",
        risk=Risk(function="settings of the boot loader can no longer be stored"),
        sets=(("ENV_IS_IN_FAT", "n"), ("ENV_IS_IN_EXT4", "n"), ("ENV_IS_IN_MMC", "n"), ("ENV_IS_NOWHERE", "y")),
        because="U-Boot looks for its environment",
        gone="Loading Environment from (?!nowhere)",
        references=("U-Boot: env/Kconfig, ENV_IS_NOWHERE", "U-Boot: env/env.c"),
    ),
    LoaderFeature(
        id="loader-distro-off",
        title="U-Boot without distro boot",
        what="Builds U-Boot without CONFIG_DISTRO_DEFAULTS and the commands that it selects.",
        why="Code for partition tables, file systems and commands that the boot command never uses is not loaded.",
        when_not="U-Boot searches for the system: extlinux.conf, boot.scr, PXE.",
        cost="Only the built-in boot command boots.",
        risk=_NO_PROMPT,
        sets=(("DISTRO_DEFAULTS", "n"),),
        needs_command=True,
        because="U-Boot has every command that distributions use",
        references=("U-Boot: boot/Kconfig, DISTRO_DEFAULTS",),
    ),
    LoaderFeature(
        id="spl-regulator-off",
        title="SPL that leaves the processor's regulator alone",
        what="Builds the SPL without CONFIG_SPL_I2C and CONFIG_SY8106A_POWER (boards with Allwinner's H3).",
        why="The SPL sets the regulator over I2C and waits for it; on a board without one it waits for the timeouts.",
        when_not="The processor needs a voltage other than the regulator's default.",
        cost="Until Linux sets a voltage, the processor runs at the regulator's default.",
        risk=Risk(function="the processor's voltage is not set before Linux"),
        architectures=("arm",),
        sets=(("SY8106A_POWER", "n"), ("SPL_I2C", "n")),
        only_if=("SY8106A_POWER",),
        because="the SPL sets the processor's voltage",
        references=("U-Boot: drivers/power/sy8106a.c", "U-Boot: board/sunxi/board.c, sunxi_board_init()"),
    ),
    LoaderFeature(
        id="loader-heap-unset",
        title="U-Boot's heap not set to zero",
        what="Builds U-Boot without CONFIG_SYS_MALLOC_CLEAR_ON_INIT.",
        why="U-Boot writes zeros over its whole heap, often 16 to 64 MiB, before its first command.",
        when_not="The heap is small.",
        cost="None: calloc() then clears what it hands out.",
        sets=(("SYS_MALLOC_CLEAR_ON_INIT", "n"),),
        because="U-Boot clears its heap",
        references=("U-Boot: common/Kconfig, SYS_MALLOC_CLEAR_ON_INIT", "U-Boot: common/dlmalloc.c, mem_malloc_init()"),
    ),
)
