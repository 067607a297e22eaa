"""`[loader]` of a system file: the boot loader on the machine's card."""

from __future__ import annotations

from bootlab.model.boot_loader import Loader
from bootlab.systemfile.place import Place
from bootlab.systemfile.raw import RawLoader


def boot_loader(raw: RawLoader, place: Place) -> Loader:
    """Check `[loader]`. Raise SystemFileError."""
    if raw.card is not None:
        if raw.image is not None:
            raise place.error("the card has a boot loader already", "loader.image", "leave this key or card out")
        if raw.wrapped:
            raise place.error("the kernel on a ready card is what it is", "loader.wrapped", "leave the key out")
        return Loader(card=place.file(raw.card, "loader.card"), start=raw.start)
    if raw.image is None:
        raise place.error(
            "this key must be given",
            "loader.image",
            "the file with SPL and U-Boot, as in Debian's package u-boot-sunxi; or card, the image of a whole card",
        )
    if raw.start == "falcon":
        raise place.error(
            "bootlab makes no cards for falcon mode",
            "loader.start",
            'name a card that has one: card = "card.img"; or set start = "extlinux"',
        )
    return Loader(image=place.file(raw.image, "loader.image"), start=raw.start, wrapped=raw.wrapped)
