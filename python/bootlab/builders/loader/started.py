"""A system as it starts from its card: the card made, or taken as it is, and in its place."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.builders.artefacts import Artefacts
from bootlab.builders.cache import Cache
from bootlab.builders.loader.card import CardParts, card, is_legacy
from bootlab.errors import UserError
from bootlab.model.board import board, ram_start
from bootlab.model.boot_loader import LOADER_BOARDS, LoaderBoard, loader_board
from bootlab.model.system import System


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """The system with its card. `loader_bytes`: SPL and U-Boot; None for a card that was there already.

    `board` is None where nothing is known of how the machine starts.
    """

    system: System
    card: Path
    board: LoaderBoard | None = None
    loader_bytes: int | None = None


def started(system: System, artefacts: Artefacts, cmdline: str, cache: Cache) -> Started | None:
    """Return what starts from a card; None for a system without a boot loader. Raise what making the card raises.

    `cmdline`: the kernel's whole command line.
    """
    loader = system.loader
    if loader is None:
        return None
    _check(system)
    place, start = loader_board(board(system.machine)), ram_start(system.machine)
    if loader.card is not None:
        return Started(system=_with_card(system, loader.card), card=Path(loader.card), board=place)
    if loader.image is None or place is None or start is None:
        raise UserError(
            f"bootlab makes no cards for the board {board(system.machine)}",
            hint=f'known: {", ".join(b.machine for b in LOADER_BOARDS)}; or name one: [loader] card = "card.img"',
        )
    if system.machine.dtb is None:
        raise UserError(
            "the boot loader has no device tree for the kernel",
            hint='name one: [kernel] device_tree = "NAME.dtb", or [machine] dtb = "PATH"',
        )
    parts = CardParts(
        image=Path(loader.image),
        kernel=artefacts.kernel,
        tree=Path(system.machine.dtb),
        initramfs=artefacts.initramfs,
        cmdline=cmdline,
        ram_start=start,
        arch=system.machine.arch,
        legacy=loader.wrapped or is_legacy(artefacts.kernel),
    )
    made = card(loader, place, parts, cache)
    return Started(
        system=_with_card(system, str(made)), card=made, board=place, loader_bytes=parts.image.stat().st_size
    )


def _with_card(system: System, file: str) -> System:
    return msgspec.structs.replace(system, machine=msgspec.structs.replace(system.machine, sd=file))


def _check(system: System) -> None:
    if system.machine.sd is not None or (system.root is not None and system.root.medium == "sd"):
        raise UserError(
            "the card holds the boot loader, and something else is to be on it",
            hint="put the root tree into the initramfs: [initramfs] in place of [root]",
        )
    if system.kernel.flash is not None:
        raise UserError(
            "the machine cannot start from flash and from a card", hint="leave kernel.flash or [loader] out"
        )
