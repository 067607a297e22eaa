# SPDX-License-Identifier: MIT
"""The table of a system file about the boot loader."""

from __future__ import annotations

from typing import Annotated

from bootlab.model.boot_loader import LoaderPlace, LoaderStart
from bootlab.model.key import key
from bootlab.systemfile.raw_table import RawTable


class RawLoader(RawTable, frozen=True):
    """`[loader]`: the boot loader on the machine's card."""

    image: Annotated[
        str | None,
        key(
            "SPL and U-Boot in one file, as written to a card (`u-boot-sunxi-with-spl.bin` of Debian's package "
            "`u-boot-sunxi`); bootlab makes the card image. On the machine `virt`: U-Boot alone, or TF-A followed"
            " by U-Boot"
        ),
    ] = None
    card: Annotated[str | None, key("a card image that already exists and boots as it is, instead of `image`")] = None
    source: Annotated[
        str | None,
        key(
            "build U-Boot: `debian` (the folder that `BOOTLAB_UBOOT_SOURCE` names, or `uboot-source` in the "
            "user's cache: `scripts/fetch-uboot-source.sh`), or a source tree; instead of `image`"
        ),
    ] = None
    defconfig: Annotated[
        str, key("with `source`: one of U-Boot's configurations (`orangepi_pc_defconfig`), or the path of a `.config`")
    ] = ""
    config: Annotated[
        str | list[str] | None, key("with `source`: one or several configuration fragments, merged in order")
    ] = None
    options: Annotated[
        dict[str, str | int | bool],
        key(
            "with `source`: options, name without `CONFIG_` = value: `{ BOOTDELAY = 0, NET = false }`; they come "
            "after the fragments"
        ),
    ] = {}
    patches: Annotated[
        list[str], key("with `source`: patches of the source (`diff -u`, `git diff`), applied in order to a copy")
    ] = []
    compiler: Annotated[str | None, key("with `source`: prefix of another cross compiler, as in `CROSS_COMPILE`")] = (
        None
    )
    start: Annotated[
        LoaderStart | None,
        key(
            "how it finds and starts the kernel. With GRUB: `menu` (grub.cfg and modules on the disk) or "
            "`command` (all in GRUB's core image). With UEFI: `stub`: the kernel is the EFI program. `unified`: "
            "one EFI program has kernel, initramfs and command line in it. `menu`: systemd-boot on a disk. With "
            "U-Boot: `extlinux`: U-Boot searches for extlinux.conf. `script`: it searches for boot.scr. "
            "`command`, with `source`: a built-in boot command loads the files. `falcon`, with `card` or "
            "`source`: the SPL starts the kernel, and the report says when U-Boot had to take over. For RISC-V's "
            "`virt`, with `source`, it is the only one to name"
        ),
    ] = None
    fallback: Annotated[
        LoaderStart,
        key(
            'with `start = "falcon"`: how U-Boot starts the kernel when the SPL cannot: `extlinux`, `script` or '
            "`command`"
        ),
    ] = "extlinux"
    wrapped: Annotated[
        bool, key("give the kernel U-Boot's legacy header (uImage) and start it with `bootm`; otherwise with `bootz`")
    ] = False
    place: Annotated[
        LoaderPlace,
        key(
            'with `start = "command"`: where kernel, device tree and initramfs are: files of the first partition,'
            " or raw sectors before it"
        ),
    ] = "fat"
    exact: Annotated[
        bool, key("raw sectors: read only as many as the files occupy; otherwise all the space reserved for each file")
    ] = False
    in_place: Annotated[
        bool,
        key(
            'with `start = "command"` or `"script"`: use device tree, initramfs and a kernel with a header where '
            "they were loaded, without copying them"
        ),
    ] = False
    silent: Annotated[
        bool,
        key(
            'with `start = "command"`: U-Boot and SPL print nothing. In falcon mode, with `fallback = "command"`:'
            " the SPL prints no banner"
        ),
    ] = False
    checked: Annotated[
        bool,
        key(
            'with `start = "falcon"`: the SPL verifies checksums of kernel, initramfs and device tree; if one is '
            "damaged, U-Boot takes over"
        ),
    ] = False
    appended: Annotated[
        bool,
        key(
            'with `start = "falcon"`: append the device tree to the zImage; the kernel needs the option '
            "`ARM_APPENDED_DTB`"
        ),
    ] = False
    grub: Annotated[
        str | None,
        key(
            "PC: the folder of GRUB's modules (`/usr/lib/grub/i386-pc`), instead of `image`; bootlab makes a disk"
            " with GRUB"
        ),
    ] = None
    wait_s: Annotated[int | None, key("with a menu of GRUB or systemd-boot: how long it waits, in seconds")] = None
    uefi: Annotated[
        str | None,
        key(
            "PC: an image of a UEFI for QEMU (`/usr/share/ovmf/OVMF.fd` of Debian's package `ovmf`), instead of `image`"
        ),
    ] = None
    program: Annotated[
        str | None,
        key(
            "with `uefi`: the EFI program that it starts: `linuxx64.efi.stub` for `unified`, "
            "`systemd-bootx64.efi` for `menu` (Debian's package `systemd-boot-efi`: `/usr/lib/systemd/boot/efi`)"
        ),
    ] = None
