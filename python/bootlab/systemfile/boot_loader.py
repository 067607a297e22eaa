# SPDX-License-Identifier: MIT
"""`[loader]` of a system file: the boot loader on the machine's card."""

from __future__ import annotations

from bootlab.model.boot_loader import NO_BOARD, Loader, LoaderBuild, LoaderStart
from bootlab.systemfile.kernel import asked
from bootlab.systemfile.place import Place
from bootlab.systemfile.raw_loader import RawLoader

_BUILD_KEYS = ("defconfig", "config", "options", "patches", "compiler")
_MADE_KEYS = ("wrapped", "exact", "in_place", "silent", "checked", "appended")
_FALCON_KEYS = ("checked", "appended")
_U_BOOT_STARTS: tuple[LoaderStart, ...] = ("extlinux", "script", "command", "falcon")
_GRUB_STARTS: tuple[LoaderStart, ...] = ("menu", "command")
_UEFI_STARTS: tuple[LoaderStart, ...] = ("stub", "unified", "menu")


def boot_loader(raw: RawLoader, place: Place) -> Loader:
    """Check `[loader]`. Raise SystemFileError."""
    given = [key for key in ("image", "card", "source", "grub", "uefi") if getattr(raw, key) is not None]
    if len(given) > 1:
        raise place.error(
            f"there are two boot loaders: {' and '.join(given)}", f"loader.{given[0]}", "leave one of the keys out"
        )
    if raw.source is None:
        _refuse(raw, _BUILD_KEYS, "this key is for a boot loader that is built, and no source is given", place)
    if raw.grub is None and raw.uefi is None and raw.wait_s is not None:
        raise place.error("wait_s is for menus only", "loader.wait_s", "for U-Boot: options = { BOOTDELAY = 0 }")
    if raw.uefi is None and raw.program is not None:
        raise place.error("only UEFI starts EFI programs", "loader.program", 'add: uefi = "/usr/share/ovmf/OVMF.fd"')
    if raw.card is not None:
        _refuse(raw, _MADE_KEYS, "a ready card is what it is", place)
        return Loader(card=place.file(raw.card, "loader.card"), start=raw.start or "extlinux")
    if raw.grub is not None:
        return _grub(raw, raw.grub, place)
    if raw.uefi is not None:
        return _uefi(raw, raw.uefi, place)
    if not given:
        raise place.error(
            "this key must be given",
            "loader.image",
            "the file with SPL and U-Boot, as in Debian's package u-boot-sunxi; or card, the image of a whole card; or "
            'source = "debian", to build U-Boot; or grub, the folder of GRUB on a PC, or uefi, its firmware',
        )
    start = _start(raw, _U_BOOT_STARTS, place)
    _check_ways(raw, start, place)
    return Loader(
        image=place.file(raw.image, "loader.image") if raw.image is not None else None,
        build=_build(raw, raw.source, place) if raw.source is not None else None,
        start=start,
        fallback=raw.fallback,
        wrapped=raw.wrapped,
        place=raw.place,
        exact=raw.exact,
        in_place=raw.in_place,
        silent=raw.silent,
        checked=raw.checked,
        appended=raw.appended,
    )


def _grub(raw: RawLoader, folder: str, place: Place) -> Loader:
    _refuse(raw, _MADE_KEYS, "this key is for U-Boot", place)
    start = _start(raw, _GRUB_STARTS, place)
    return Loader(grub=place.directory(folder, "loader.grub"), start=start, wait_s=_wait_s(raw, place))


def _uefi(raw: RawLoader, firmware: str, place: Place) -> Loader:
    _refuse(raw, _MADE_KEYS, "this key is for U-Boot", place)
    start = _start(raw, _UEFI_STARTS, place)
    if start == "stub" and raw.program is not None:
        raise place.error(
            "the kernel itself is the EFI program then", "loader.program", 'leave it out, or: start = "unified", "menu"'
        )
    if start != "stub" and raw.program is None:
        names = {"unified": "linuxx64.efi.stub", "menu": "systemd-bootx64.efi"}
        raise place.error(
            "the EFI program is not named",
            "loader.program",
            f'write "/usr/lib/systemd/boot/efi/{names[start]}" (Debian: systemd-boot-efi)',
        )
    if start != "menu" and raw.wait_s is not None:
        raise place.error("wait_s is for menus only", "loader.wait_s", 'add: start = "menu"')
    return Loader(
        uefi=place.file(firmware, "loader.uefi"),
        program=place.file(raw.program, "loader.program") if raw.program is not None else None,
        start=start,
        wait_s=_wait_s(raw, place),
    )


def _wait_s(raw: RawLoader, place: Place) -> int:
    wait_s = 5 if raw.wait_s is None else raw.wait_s
    if not 0 <= wait_s <= 3600:
        raise place.error("the menu waits 0 to 3600 seconds", "loader.wait_s", "write 0 for no wait")
    return wait_s


def _start(raw: RawLoader, known: tuple[LoaderStart, ...], place: Place) -> LoaderStart:
    if raw.start is None:
        return known[0]
    if raw.start not in known:
        raise place.error("this boot loader cannot start that way", "loader.start", f"one of: {', '.join(known)}")
    return raw.start


def _refuse(raw: RawLoader, keys: tuple[str, ...], why: str, place: Place) -> None:
    for key in keys:
        if getattr(raw, key):
            raise place.error(why, f"loader.{key}", "leave the key out")


def _check_ways(raw: RawLoader, start: LoaderStart, place: Place) -> None:
    """Refuse what cannot go together, or what only a U-Boot that bootlab builds can do."""
    source = 'add to [loader]: source = "debian", defconfig = "..."'
    if raw.source is None and (start in {"command", "falcon"} or raw.silent):
        what = "silent" if start not in {"command", "falcon"} else "start"
        raise place.error("this is built into U-Boot, but no source is given", f"loader.{what}", source)
    if raw.fallback not in {"extlinux", "script", "command"}:
        raise place.error("U-Boot cannot fall back to this", "loader.fallback", 'write "extlinux"')
    if start != "falcon":
        _refuse(raw, _FALCON_KEYS, 'this key is for start = "falcon"', place)
    own = raw.fallback if start == "falcon" else start
    if raw.place == "raw" and (own != "command" or start == "falcon"):
        raise place.error(
            "only U-Boot's own boot command loads from raw sectors", "loader.place", 'add: start = "command"'
        )
    if raw.silent and own != "command":
        raise place.error(
            "bootlab silences U-Boot through its environment, which this start does not replace",
            "loader.silent",
            'add: start = "command"',
        )
    if raw.in_place and own == "extlinux":
        raise place.error(
            "extlinux.conf cannot express this", "loader.in_place", 'add: start = "command", or start = "script"'
        )


def _build(raw: RawLoader, source: str, place: Place) -> LoaderBuild:
    if not raw.defconfig:
        raise place.error(
            NO_BOARD,
            "loader.defconfig",
            'write "orangepi_pc_defconfig"',
        )
    return LoaderBuild(
        source=source if source == "debian" else place.directory(source, "loader.source"),
        **asked(raw, raw.defconfig, "loader", place),
        compiler=raw.compiler,
    )
