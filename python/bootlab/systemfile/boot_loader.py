"""`[loader]` of a system file: the boot loader on the machine's card."""

from __future__ import annotations

from bootlab.model.boot_loader import Loader, LoaderBuild
from bootlab.systemfile.kernel import option_value, source_patch
from bootlab.systemfile.place import Place
from bootlab.systemfile.raw import RawLoader

_BUILD_KEYS = ("defconfig", "config", "options", "patches", "compiler")
_MADE_KEYS = ("wrapped", "exact", "in_place", "silent", "checked", "appended")
_FALCON_KEYS = ("checked", "appended")


def boot_loader(raw: RawLoader, place: Place) -> Loader:
    """Check `[loader]`. Raise SystemFileError."""
    given = [key for key in ("image", "card", "source") if getattr(raw, key) is not None]
    if len(given) > 1:
        raise place.error(
            f"the boot loader is there twice: {' and '.join(given)}", f"loader.{given[0]}", "leave one of the keys out"
        )
    if raw.source is None:
        _refuse(raw, _BUILD_KEYS, "this key is for a boot loader that is built, and no source is given", place)
    if raw.card is not None:
        _refuse(raw, _MADE_KEYS, "a ready card is what it is", place)
        return Loader(card=place.file(raw.card, "loader.card"), start=raw.start)
    if not given:
        raise place.error(
            "this key must be given",
            "loader.image",
            "the file with SPL and U-Boot, as in Debian's package u-boot-sunxi; or card, the image of a whole card; or "
            'source = "debian", to build U-Boot',
        )
    _check_ways(raw, place)
    return Loader(
        image=place.file(raw.image, "loader.image") if raw.image is not None else None,
        build=_build(raw, raw.source, place) if raw.source is not None else None,
        start=raw.start,
        fallback=raw.fallback,
        wrapped=raw.wrapped,
        place=raw.place,
        exact=raw.exact,
        in_place=raw.in_place,
        silent=raw.silent,
        checked=raw.checked,
        appended=raw.appended,
    )


def _refuse(raw: RawLoader, keys: tuple[str, ...], why: str, place: Place) -> None:
    for key in keys:
        if getattr(raw, key):
            raise place.error(why, f"loader.{key}", "leave the key out")


def _check_ways(raw: RawLoader, place: Place) -> None:
    """Refuse what cannot go together, or what only a U-Boot that bootlab builds can do."""
    source = 'add to [loader]: source = "debian", defconfig = "..."'
    if raw.source is None and (raw.start in {"command", "falcon"} or raw.silent):
        what = "silent" if raw.start not in {"command", "falcon"} else "start"
        raise place.error("that is built into U-Boot, and no source is given", f"loader.{what}", source)
    if raw.fallback == "falcon":
        raise place.error("falcon mode cannot be its own fallback", "loader.fallback", 'write "extlinux"')
    if raw.start != "falcon":
        _refuse(raw, _FALCON_KEYS, 'this key is for start = "falcon"', place)
    own = raw.fallback if raw.start == "falcon" else raw.start
    if raw.place == "raw" and (own != "command" or raw.start == "falcon"):
        raise place.error(
            "only U-Boot's own boot command loads from raw sectors", "loader.place", 'add: start = "command"'
        )
    if raw.in_place and own == "extlinux":
        raise place.error(
            "extlinux.conf cannot say so", "loader.in_place", 'add: start = "command", or start = "script"'
        )


def _build(raw: RawLoader, source: str, place: Place) -> LoaderBuild:
    if not raw.defconfig:
        raise place.error(
            "which board U-Boot is built for is not said", "loader.defconfig", 'write "orangepi_pc_defconfig"'
        )
    base = raw.defconfig
    if "/" in base or base.startswith(("~", "$", ".")):
        base = place.file(base, "loader.defconfig")
    fragments = [raw.config] if isinstance(raw.config, str) else raw.config or []
    return LoaderBuild(
        source=source if source == "debian" else place.directory(source, "loader.source"),
        base=base,
        fragments=tuple(place.file(path, f"loader.config[{i}]") for i, path in enumerate(fragments)),
        options=tuple(
            (name.removeprefix("CONFIG_"), option_value(name, value, place, "loader.options"))
            for name, value in raw.options.items()
        ),
        patches=tuple(source_patch(path, f"loader.patches[{i}]", place) for i, path in enumerate(raw.patches)),
        compiler=raw.compiler,
    )
