# SPDX-License-Identifier: MIT
"""A system as it starts from its card: boot loader built, card made, or taken as it is, and in its place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.builders.artefacts import Artefacts
from bootlab.builders.cache import Cache
from bootlab.builders.loader import falcon, grub, uefi, virtual
from bootlab.builders.loader.card import CardParts, card, is_legacy, loaded_bytes
from bootlab.builders.loader.commands import environment
from bootlab.builders.loader.device_tree import prepared
from bootlab.builders.loader.options import has_environment, options_of
from bootlab.builders.loader.partition import PcBoot
from bootlab.errors import UserError
from bootlab.model.board import board, ram_start
from bootlab.model.boot_loader import LOADER_BOARDS, NAME_A_TREE, Loader, LoaderBoard, loader_board
from bootlab.model.launch import LoadedFirst
from bootlab.model.system import SystemDescription

if TYPE_CHECKING:
    from bootlab.builders.loader.built import BuiltLoader
    from bootlab.builders.loader.uboot import UbootBuilder


class CardStart(msgspec.Struct, frozen=True, kw_only=True):
    """The system as it starts from its card, which is None on the machine `virt`.

    `first`: the boot loader that the emulator starts without a card. `image`: SPL and U-Boot, or U-Boot; None for a
    card that was there already. `built`: who built it. `board` is None where nothing is known of how the machine
    starts. `kernel_address`: where the kernel is entered. `entries`: the addresses of the parts, where they do not
    follow from these; `codes`: their first instructions, where no address is known. `loads_kernel`: the emulator hands
    the kernel to the boot loader. `unified`: the file that it hands over in place of kernel and initramfs.
    `sizes_bytes`: the lengths of what the SPL loads and of the device tree.
    """

    system: SystemDescription
    first: LoadedFirst | None = None
    card: Path | None = None
    board: LoaderBoard | None = None
    image: Path | None = None
    built: BuiltLoader | None = None
    kernel_address: int | None = None
    entries: dict[str, int] | None = None
    codes: dict[str, str] = {}
    loads_kernel: bool = False
    unified: Path | None = None
    sizes_bytes: dict[str, int] = {}


def started(
    system: SystemDescription,
    artefacts: Artefacts,
    cmdline: str,
    cache: Cache,
    *,
    builder: UbootBuilder | None = None,
    span_bytes: int | None = None,
    emulator: str = "",
) -> CardStart | None:
    """Return what starts from a card; None for a system without a boot loader. Raise what making the card raises.

    `cmdline`: the kernel's whole command line. `builder` builds U-Boot where the system names a source. `span_bytes`:
    how long the kernel is in memory. `emulator`: the program, which knows the machine `virt`.
    """
    loader = system.loader
    if loader is None:
        return None
    _check(system)
    if loader.grub is not None:
        return _with_grub(system, loader, artefacts, cmdline, cache)
    if loader.uefi is not None:
        return _with_uefi(system, loader, artefacts, cmdline, cache)
    if loader.card is None and virtual.is_virtual(system):
        return _on_virtual(system, loader, artefacts, cmdline, emulator, cache, builder)
    place, start = loader_board(board(system.machine)), ram_start(system.machine)
    if loader.card is not None:
        return CardStart(system=_with_card(system, loader.card), card=Path(loader.card), board=place)
    if place is None or start is None:
        raise UserError(
            f"bootlab makes no cards for the board {board(system.machine)}",
            hint=f'known: {", ".join(b.machine for b in LOADER_BOARDS)}; or name one: [loader] card = "card.img"',
        )
    if system.machine.dtb is None:
        raise UserError(
            "the boot loader has no device tree for the kernel",
            hint=NAME_A_TREE,
        )
    parts = _parts(system, loader, place, start, artefacts, cmdline, cache, span_bytes)
    made: BuiltLoader | None = None
    if loader.build is not None and builder is not None:
        tree_bytes = (parts.falcon_tree or parts.tree).stat().st_size
        own = environment(place, parts.payload, loader) if has_environment(loader) else ""
        made = builder.build(
            loader.build,
            place,
            system.machine.arch,
            options_of(loader, place, tree_bytes),
            environment=own,
            falcon=loader.start == "falcon",
        )
        parts = msgspec.structs.replace(parts, image=made.image)
    file = card(loader, place, parts, cache)
    entered = place.kernel_address
    if parts.falcon is not None:
        entered = parts.falcon.entry
    elif parts.legacy and parts.payload.load is not None:
        entered = parts.payload.load
    return CardStart(
        system=_with_card(system, str(file)),
        card=file,
        board=place,
        image=parts.image,
        built=made,
        kernel_address=entered,
        sizes_bytes=loaded_bytes(loader, place, parts),
    )


def _with_grub(
    system: SystemDescription, loader: Loader, artefacts: Artefacts, cmdline: str, cache: Cache
) -> CardStart:
    if system.machine.arch != "x86_64":
        raise UserError("bootlab supports GRUB on PCs only", hint='[machine] arch = "x86_64", or leave loader.grub out')
    entry = grub.kernel_entry(artefacts.kernel)
    if entry is None:
        raise UserError(
            f"{artefacts.kernel} is not a bzImage, the only kind that GRUB starts here",
            hint='[kernel] form = "image", and name a bzImage',
        )
    parts = PcBoot(kernel=artefacts.kernel, initramfs=artefacts.initramfs, cmdline=cmdline)
    file = grub.disk(loader, parts, cache)
    return CardStart(system=_with_card(system, str(file)), card=file, kernel_address=entry)


def _with_uefi(
    system: SystemDescription, loader: Loader, artefacts: Artefacts, cmdline: str, cache: Cache
) -> CardStart:
    if system.machine.arch != "x86_64":
        raise UserError("bootlab supports UEFI on PCs only", hint='[machine] arch = "x86_64", or leave loader.uefi out')
    codes = uefi.codes(loader, artefacts.kernel)
    parts = PcBoot(kernel=artefacts.kernel, initramfs=artefacts.initramfs, cmdline=cmdline)
    file = uefi.disk(loader, parts, cache) if loader.start == "menu" else None
    disks = system.machine.disks if file is None else (*system.machine.disks, str(file))
    machine = msgspec.structs.replace(system.machine, disks=disks)
    return CardStart(
        system=msgspec.structs.replace(system, machine=machine),
        first=LoadedFirst(file=str(loader.uefi), instead_of="firmware"),
        card=file,
        image=Path(loader.uefi or ""),
        entries={},
        codes=codes,
        loads_kernel=file is None,
        unified=uefi.unified(loader, parts, cache) if loader.start == "unified" else None,
    )


def _on_virtual(
    system: SystemDescription,
    loader: Loader,
    artefacts: Artefacts,
    cmdline: str,
    emulator: str,
    cache: Cache,
    builder: UbootBuilder | None,
) -> CardStart:
    parts = (system, loader, artefacts.kernel, artefacts.initramfs, cmdline, emulator, cache)
    if loader.build is not None and builder is not None:
        # What builds U-Boot is loaded only where it is built.
        from bootlab.builders.loader import virtual_spl  # noqa: PLC0415

        found = virtual_spl.placed(*parts, builder)
    else:
        found = virtual.placed(*parts)
    return CardStart(
        system=system,
        first=found.first,
        image=Path(loader.image or "") if found.built is None else found.built.image,
        built=found.built,
        entries=found.entries,
        loads_kernel=found.loads_kernel,
        sizes_bytes=found.sizes_bytes,
    )


def _parts(
    system: SystemDescription,
    loader: Loader,
    place: LoaderBoard,
    start: int,
    artefacts: Artefacts,
    cmdline: str,
    cache: Cache,
    span_bytes: int | None,
) -> CardParts:
    tree = Path(system.machine.dtb or "")
    memory = (start, system.machine.memory_mib << 20)
    goes: falcon.FalconImage | None = None
    falcon_tree: Path | None = None
    if loader.start == "falcon":
        goes = falcon.place(place, artefacts.kernel, artefacts.initramfs, span_bytes=span_bytes)
        falcon_tree = prepared(tree, cmdline, cache, memory=memory, initramfs=goes.initramfs)
    if has_environment(loader):
        # The boot command sets no command line: then U-Boot leaves the tree's as it is.
        tree = prepared(tree, cmdline, cache, memory=memory)
    return CardParts(
        image=Path(loader.image or ""),
        kernel=artefacts.kernel,
        tree=tree,
        initramfs=artefacts.initramfs,
        cmdline=cmdline,
        ram_start=start,
        arch=system.machine.arch,
        legacy=loader.wrapped or is_legacy(artefacts.kernel),
        falcon=goes,
        falcon_tree=falcon_tree,
    )


def _with_card(system: SystemDescription, file: str) -> SystemDescription:
    return msgspec.structs.replace(system, machine=msgspec.structs.replace(system.machine, sd=file))


def _check(system: SystemDescription) -> None:
    if system.machine.sd is not None or (system.root is not None and system.root.medium == "sd"):
        raise UserError(
            "the card slot is taken: the boot loader's card is in it",
            hint="put the root tree into the initramfs: [initramfs] in place of [root]",
        )
    if system.kernel.flash is not None:
        raise UserError(
            "the machine cannot start from flash and from a card", hint="leave kernel.flash or [loader] out"
        )
