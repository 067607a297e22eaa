# SPDX-License-Identifier: MIT
"""What would be started, as the firmware would find it: the menus of all loaders, what is taken by itself first.

Only what menus and scripts say is read; nothing is run.
"""

from __future__ import annotations

import contextlib
import io
import posixpath
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import msgspec

from bootlab.formats import unified_image
from bootlab.formats.file_view import FileView
from bootlab.sources.facts import BootEntry
from bootlab.sources.kernel_image import is_kernel
from bootlab.sources.medium import BootMedium
from bootlab.sources.menus import (
    board_environment,
    loader_entries,
    other_loader,
    places,
    raspberry,
    refind,
    uboot,
    uboot_kept,
    xen,
)
from bootlab.sources.menus.extlinux import parse_extlinux
from bootlab.sources.menus.grub import parse_grub
from bootlab.sources.menus.grub_legacy import parse_menu_lst
from bootlab.sources.menus.grub_machine import GrubMachine
from bootlab.sources.menus.lilo import parse_lilo
from bootlab.sources.menus.limine import parse_limine
from bootlab.sources.menus.loader_entries import EFI_PLACES, parse_loader_entry
from bootlab.sources.menus.shell_script import parse_shell_script

__all__ = ["parse_extlinux", "parse_grub", "parse_loader_entry", "read"]
_ENTRIES_MAX = 200
_GRUB_FILES = ("/boot/grub/grub.cfg", "/boot/grub2/grub.cfg", "/grub/grub.cfg", "/grub2/grub.cfg")
# What the firmware finds on the EFI partition by itself; a file there often only includes one of the others.
_GRUB_ON_EFI = tuple(
    f"{place}/{name}" for place in ("/boot/efi", "/efi", "/boot", "") for name in ("EFI/BOOT/grub.cfg",)
)
# Flatcar's loader has its menu in an archive.
_GRUB_NAMES = frozenset({"grub.cfg", "grub.cfg.tar"})
_PLACES = ("", "/boot", "/boot/firmware", "/boot/efi", "/efi")
_SEARCHED = ("", "/boot", "/boot/efi", "/efi", "/boot/firmware")
# Of the first loaders' time: a file may be left from before, so they are asked last.
_MENU_LST_FILES = tuple(
    f"{folder}/{name}" for folder in ("/boot/grub", "/grub", "/boot", "") for name in ("menu.lst", "grub.conf")
)
_LILO_FILES = ("/etc/lilo.conf", "/etc/elilo.conf", "/boot/efi/elilo.conf", "/elilo.conf")
_UBOOT_FOLDERS = ("/boot", "/boot/firmware", "")
_SCRIPTS = ("boot.scr", "boot.scr.uimg", "boot.cmd", "boot.ini")
_SCRIPT_ENDS, _SCRIPTS_SHOWN = (".scr", ".scr.uimg"), 4
_FIRMWARE = frozenset({"start4.elf", "start.elf", "bootcode.bin"})
_LIMINE_FILES = tuple(
    f"{place}{folder}/{name}"
    for place in ("/boot/efi", "/efi", "/boot", "")
    for folder in ("", "/limine", "/EFI/limine", "/EFI/BOOT", "/boot", "/boot/limine")
    for name in ("limine.conf", "limine.cfg")
)
_READ_MAX_BYTES = 1 << 20
_SHOWN_MAX_CHARS = 600


def read(view: FileView, medium: BootMedium | None = None) -> tuple[BootEntry, ...]:
    """Return every entry that is found, those that a loader takes by itself first. `medium`: where the files lie."""
    found: list[BootEntry] = []

    def grub(view: FileView) -> tuple[BootEntry, ...]:
        return _grub(view, medium)

    kept, kept_in = uboot_kept.variables(view, medium)
    of_firmware = tuple(_raspberry(view))
    # The firmware may start another loader, whose menu counts then.
    other = next((entry for entry in of_firmware if entry.default and _is_loader(view, entry.kernel)), None)

    def raspberry_own(_view: FileView) -> tuple[BootEntry, ...]:
        return of_firmware if other is None else ()

    def uboot_own(view: FileView) -> Iterator[BootEntry]:
        return _uboot_scripts(view, medium, kept, other)

    def uboot_command(view: FileView) -> Iterator[BootEntry]:
        return _uboot_command(view, medium, kept, kept_in, other)

    def extlinux(view: FileView) -> tuple[BootEntry, ...]:
        return _extlinux(view, kept)

    def systemd_boot(view: FileView) -> Iterator[BootEntry]:
        return loader_entries.systemd_boot(view, _grub_environment(view), medium)

    looks: list[Callable[[FileView], Iterable[BootEntry]]] = [
        systemd_boot,
        extlinux,
        grub,
        _limine,
        raspberry_own,
        uboot_command,
        uboot_own,
        refind.entries,
        xen.entries,
        _menu_lst,
        _lilo,
        _shell_script,
    ]
    if _grub_reads_entries(view):
        # Fedora's: the entries are those of the specification, and GRUB's environment says which.
        looks = [grub, *(look for look in looks if look is not grub and look is not systemd_boot)]
    if "bootcmd" in kept or _is_of_uboot(view):
        # U-Boot's standard boot reads its own menus and scripts before it starts a loader for EFI; the firmware of a
        # Raspberry Pi comes before U-Boot.
        first = [raspberry_own, uboot_command, extlinux, uboot_own]
        looks = [*first, *(look for look in looks if look not in first)]
    # Beside another loader's menu, a unified image counts only where systemd-boot is there too, which has it among its
    # own entries. The firmware starts one before its shell, and knows nothing of files that older loaders left.
    looks.insert(looks.index(_menu_lst), loader_entries.unified)
    seen: set[tuple[str, str]] = set()
    for looked in looks:
        for entry in looked(view):
            if looked is loader_entries.unified and (entry.kernel, entry.configuration) in seen:
                continue
            seen.add((entry.kernel, entry.configuration))
            found.append(entry)
            if len(found) >= _ENTRIES_MAX:
                break
    if not any(place_in(view, entry) or entry.inside for entry in found):
        found += _scripts_of_boards(view, medium, kept, other)
    if not any(place_in(view, entry) or entry.inside for entry in found):
        found += _uboot_built_in(view, medium, other)
    return tuple(sorted(found, key=lambda entry: not entry.default))


def place_in(view: FileView, entry: BootEntry) -> str | None:
    """Return where an entry's kernel lies: menus on a partition of their own count from its root; None for nowhere."""
    for folder in _PLACES if entry.kernel else ():
        if view.kind(f"{folder}{entry.kernel}") == "file":
            return f"{folder}{entry.kernel}"
    return None


def _extlinux(view: FileView, kept: Mapping[str, str]) -> tuple[BootEntry, ...]:
    """Return the entries of the first menu that names a kernel that is there, or else of the first with some."""
    first: tuple[BootEntry, ...] = ()
    for path in places.of_syslinux(view):
        text = view.text(path)
        found = (
            parse_extlinux(
                text,
                path,
                reads=partial(_searched, view),
                trees=uboot.tree_names(kept),
                exists=lambda path: any(view.kind(f"{place}{path}") == "file" for place in _PLACES),
            )
            if text is not None
            else ()
        )
        if any(place_in(view, entry) for entry in found):
            return found
        first = first or found
    return first


def _searched(view: FileView, path: str) -> str | None:
    """Return the text of a file by its path in the medium, or in a partition that is mounted in it."""
    return next((text for base in _SEARCHED if (text := view.text(f"{base}{path}")) is not None), None)


def _limine(view: FileView) -> tuple[BootEntry, ...]:
    return _first_file(view, _LIMINE_FILES, parse_limine)


def _menu_lst(view: FileView) -> tuple[BootEntry, ...]:
    return _first_file(view, _MENU_LST_FILES, parse_menu_lst)


def _lilo(view: FileView) -> tuple[BootEntry, ...]:
    """Return the images of LILO, or of ELILO, whose file lies beside its program on the EFI partition."""
    beside = (f"{place}/EFI/{name}/elilo.conf" for place in EFI_PLACES for name in view.names(f"{place}/EFI"))
    return _first_file(view, (*beside, *_LILO_FILES), parse_lilo)


def _first_file(
    view: FileView, paths: Iterable[str], parse: Callable[[str, str], tuple[BootEntry, ...]]
) -> tuple[BootEntry, ...]:
    return next((parse(text, path) for path in paths if (text := view.text(path)) is not None), ())


def _shell_script(view: FileView) -> Iterator[BootEntry]:
    def starts_linux(path: str) -> bool:
        head = view.data(path, unified_image.HEAD_MAX_BYTES) or b""
        return is_kernel(head[:0x1000]) or unified_image.is_unified(head)

    for place in EFI_PLACES:
        text = view.text(f"{place}/startup.nsh")
        entry = parse_shell_script(text, f"{place}/startup.nsh", place, starts_linux) if text is not None else None
        if entry is not None:
            yield entry


def _grub_files(view: FileView) -> Iterator[str]:
    yield from _GRUB_ON_EFI
    yield from _GRUB_FILES
    for place in ("/boot/efi", "/efi", "/boot", ""):
        for name in view.names(f"{place}/EFI"):
            yield f"{place}/EFI/{name}/grub.cfg"
    # GRUB's prefix may be a folder of the distribution's own: /flatcar/grub.
    for place in ("/boot", ""):
        for name in view.names(place or "/"):
            yield f"{place}/{name}/grub/grub.cfg"
    yield from places.below(view, _GRUB_NAMES)


def _grub_reads_entries(view: FileView) -> bool:
    return any("blscfg" in (view.text(path) or "") for path in _GRUB_FILES)


def _grub(view: FileView, medium: BootMedium | None) -> tuple[BootEntry, ...]:
    """Return the entries of the first menu that has some."""
    machine = GrubMachine(view, medium)
    environment, specified = _grub_environment(view), loader_entries.specified(view)
    reads = partial(_searched, view)
    for path in _grub_files(view):
        text = view.text(path)
        if text is not None and path.endswith(".tar"):
            text = _archived(view.data(path) or b"")
        found = parse_grub(text, path, reads, environment, specified, machine) if text is not None else ()
        if found:
            return found
    return ()


def _archived(data: bytes) -> str | None:
    """Return the text of the menu in a tar archive."""
    with contextlib.suppress(tarfile.TarError, EOFError), tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in archive:
            if member.isreg() and posixpath.basename(member.name) == "grub.cfg":
                file = archive.extractfile(member)
                return file.read(_READ_MAX_BYTES).decode("utf-8", "replace") if file is not None else None
    return None


def _grub_environment(view: FileView) -> Mapping[str, str]:
    """Return what GRUB keeps in its environment block: which entry is next, and Fedora's `$kernelopts`."""
    for folder in (path.rpartition("/")[0] for path in _grub_files(view)):
        if (text := view.text(f"{folder}/grubenv")) is not None:
            return uboot.environment_of(text)
    return {}


def _raspberry(view: FileView) -> Iterator[BootEntry]:
    for folder in ("/boot/firmware", "/boot", ""):
        names = frozenset(view.names(folder or "/"))
        firmware = not _FIRMWARE.isdisjoint(names) or "os_prefix=" in (view.text(f"{folder}/config.txt") or "")
        if "cmdline.txt" not in names and not ("config.txt" in names and firmware):
            continue
        # os_prefix, in config.txt or in what that includes, may be a folder.
        folders = [name for name in names if view.kind(f"{folder}/{name}") == "dir"]
        names |= {f"{inner}/{name}" for inner in folders[:_ENTRIES_MAX] for name in view.names(f"{folder}/{inner}")}
        yield from raspberry.entries(folder, names, partial(_text_below, view, folder))
        return


def _is_loader(view: FileView, path: str) -> bool:
    """Tell whether what the firmware starts is another loader, whatever its name is."""
    if not view.data(path, 1):
        return other_loader.is_u_boot(view, path)
    return other_loader.is_u_boot(view, path) or (not other_loader.may_be_linux(view, path) and _is_of_uboot(view))


def _text_below(view: FileView, folder: str, name: str) -> str | None:
    return view.text(f"{folder}/{name}")


def _is_of_uboot(view: FileView) -> bool:
    """Tell whether U-Boot's scripts lie here, or files of its environment, and no PC's firmware."""
    files = any(
        view.kind(f"{folder}/{name}") == "file" for folder in _UBOOT_FOLDERS for name in (*_SCRIPTS, "uEnv.txt")
    )
    pc = any(view.exists(f"{place}/EFI/BOOT/BOOTX64.EFI") for place in EFI_PLACES)
    return files and not pc


def _uboot_reads(view: FileView, path: str) -> bytes | None:
    return view.data(path, _READ_MAX_BYTES) if path else None


def _uboot_command(
    view: FileView, medium: BootMedium | None, kept: Mapping[str, str], kept_in: str, firmware: BootEntry | None
) -> Iterator[BootEntry]:
    """Give what U-Boot's own command boots, as it is kept."""
    reads = partial(_uboot_reads, view)
    if "bootcmd" in kept:
        own = uboot.parse_script(kept["bootcmd"], kept_in, reads, kept, medium, firmware=firmware).entry
        yield from (own,) if own is not None else ()


def _scripts_of_boards(
    view: FileView, medium: BootMedium | None, kept: Mapping[str, str], firmware: BootEntry | None
) -> Iterator[BootEntry]:
    """Give what the one script with a board's name boots: NXP's U-Boot asks for `BOARD_boot.scr` ($boot_scripts)."""
    reads = partial(_uboot_reads, view)
    paths = [
        f"{folder}/{name}"
        for folder in _UBOOT_FOLDERS
        for name in view.names(folder or "/")
        if name.endswith(_SCRIPT_ENDS) and name not in _SCRIPTS
    ]
    paths = list({view.identity(path): path for path in reversed(paths)}.values())
    if len(paths) > 1:
        listed = ", ".join(sorted(paths)[:_SCRIPTS_SHOWN])
        note = f"scripts of U-Boot's are there, of which the board's own runs one: {listed}; none was followed"
        yield BootEntry(source=paths[0], notes=(note,))
    for path in paths[:1] if len(paths) == 1 else []:
        number = medium.holder(view, path) if medium is not None else 0
        text = uboot.script_text(view.data(path, _READ_MAX_BYTES) or b"")
        found = uboot.parse_script(text, path, reads, kept, medium, number, firmware)
        note = f"{path} was followed: it is the only script, and the board's U-Boot knows its name"
        if found.entry is not None:
            yield msgspec.structs.replace(found.entry, notes=(*found.entry.notes, note))
        elif found.why:
            why = f"{path} is U-Boot's script, which could not be followed to a kernel: {found.why}"
            yield BootEntry(source=path, notes=(why,))


def _uboot_built_in(view: FileView, medium: BootMedium | None, firmware: BootEntry | None) -> Iterator[BootEntry]:
    """Give what U-Boot's own environment boots, where nothing else on the medium says it."""
    variables, at = uboot_kept.built_in(medium) if medium is not None else ({}, 0)
    if not variables:
        return
    source = f"U-Boot's own environment (at byte {at})"
    reads = partial(_uboot_reads, view)
    found = uboot.parse_script(variables["bootcmd"], source, reads, variables, medium, firmware=firmware)
    counts = "what the board has saved in its place counts more"
    if found.entry is not None:
        yield msgspec.structs.replace(found.entry, notes=(*found.entry.notes, f"the menu is {source}: {counts}"))
        return
    lines = "; ".join(value for value in variables.values() if "setenv bootargs" in value)[:_SHOWN_MAX_CHARS]
    note = f"{source} has the command line, and could not be followed to a kernel: {found.why}; it has: {lines}; "
    yield BootEntry(source=source, notes=(f"{note}{counts}; the line belongs in kernel.cmdline",))


def _uboot_scripts(
    view: FileView, medium: BootMedium | None, kept: Mapping[str, str], firmware: BootEntry | None
) -> Iterator[BootEntry]:
    """Give what the first script that comes to a kernel boots; those that do not, by name.

    `firmware`: the entry by which the board's firmware starts U-Boot.
    """
    reads = partial(_uboot_reads, view)
    for folder in _UBOOT_FOLDERS:
        for name in _SCRIPTS:
            path = f"{folder}/{name}"
            data = view.data(path, _READ_MAX_BYTES)
            if data is None:
                continue
            number = medium.holder(view, path) if medium is not None else 0
            found = uboot.parse_script(uboot.script_text(data), path, reads, kept, medium, number, firmware)
            if found.entry is not None:
                yield found.entry
                return
            if found.why:
                note = f"{path} is U-Boot's script, which could not be followed to a kernel: {found.why}"
                yield BootEntry(source=path, notes=(note,))
        path = f"{folder}/uEnv.txt"
        text, number = view.text(path), medium.holder(view, path) if medium is not None else 0
        entry = board_environment.entry_of(text, path, reads, kept, (medium, number)) if text is not None else None
        if entry is not None:
            yield entry
            return
