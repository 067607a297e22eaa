# SPDX-License-Identifier: MIT
"""`[kernel]` of a system file: an image with what lies beside it, or how the kernel is built."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from bootlab.model.source_build import KernelPatch, Options
from bootlab.model.system import Kernel, KernelBuild, debian_version
from bootlab.systemfile.place import Place
from bootlab.systemfile.raw import RawKernel
from bootlab.systemfile.raw_loader import RawLoader

_BUILD_KEYS = (
    "defconfig", "options", "patches", "variables", "compiler", "device_tree", "embed_initramfs", "append_device_tree",
    "late_modules_ms", "prebuilt",
)  # fmt: skip
_OPTION = re.compile(r"(?:CONFIG_)?[A-Za-z0-9_]+")
_PATCH_MAX_BYTES = 16 << 20


def kernel(raw: RawKernel, place: Place) -> Kernel:
    """Check `[kernel]`. Raise SystemFileError."""
    if raw.source is not None:
        return _built(raw, raw.source, place)
    given = [key for key in _BUILD_KEYS if getattr(raw, key)] + ([] if raw.modules else ["modules"])
    if given:
        raise place.error(
            "this key is for a kernel that is built, and no source is given",
            f"kernel.{given[0]}",
            'add to [kernel]: source = "debian", or the path of a kernel source tree',
        )
    if isinstance(raw.config, list):
        raise place.error(
            "a list of fragments is for a kernel that is built, and no source is given",
            "kernel.config",
            'name the .config of the image, or add source = "debian"',
        )
    if not raw.image:
        if not place.absent:
            raise place.error("this key must be given", "kernel.image", 'add to [kernel]: image = "/boot/vmlinuz-..."')
        return Kernel(image="", form=raw.form, flash=raw.flash)
    image = place.file(raw.image, "kernel.image")
    return Kernel(
        image=image,
        config=place.file(raw.config, "kernel.config") if raw.config else beside(image, "config"),
        symbols=place.file(raw.symbols, "kernel.symbols") if raw.symbols else beside(image, "System.map"),
        form=raw.form,
        flash=raw.flash,
    )


def beside(image: str, what: str) -> str | None:
    """Return Debian's `config-VERSION` or `System.map-VERSION` beside `vmlinuz-VERSION`, or beside what it links to."""
    for path in (Path(image), Path(image).resolve()):
        _, dash, version = path.name.partition("-")
        found = path.with_name(f"{what}{dash}{version}")
        if found.is_file() and found != path:
            return str(found)
    return None


def _built(raw: RawKernel, source: str, place: Place) -> Kernel:
    if raw.symbols is not None:
        raise place.error("a kernel that is built brings its own System.map", "kernel.symbols", "leave the key out")
    if "/" in raw.image or "$" in raw.image:
        raise place.error(
            f"{raw.image[:80]!r} is a path; a kernel that is built is named by its make target",
            "kernel.image",
            'write bzImage, zImage, Image ..., or leave the key out; without source = "..." it is the path of an image',
        )
    if raw.late_modules_ms is not None and not raw.modules:
        raise place.error(
            "modules that are not built cannot be loaded later", "kernel.late_modules_ms", "leave kernel.modules out"
        )
    if raw.prebuilt is not None:
        _check_prebuilt(raw, place)
    build = KernelBuild(
        source=source if debian_version(source) else place.directory(source, "kernel.source"),
        **asked(raw, raw.defconfig or "allnoconfig", "kernel", place),
        image=raw.image or None,
        variables=tuple(raw.variables.items()),
        compiler=raw.compiler,
        device_tree=raw.device_tree,
        embed_initramfs=raw.embed_initramfs,
        append_device_tree=raw.append_device_tree,
        late_modules_ms=raw.late_modules_ms,
        modules=raw.modules,
        prebuilt=place.file(raw.prebuilt, "kernel.prebuilt") if raw.prebuilt else None,
    )
    return Kernel(image="", form=raw.form, build=build, flash=raw.flash)


def _check_prebuilt(raw: RawKernel, place: Place) -> None:
    """Raise SystemFileError for a kernel that cannot be the one that was built elsewhere."""
    if not raw.defconfig or ("/" not in raw.defconfig and not raw.defconfig.startswith(("~", "$", "."))):
        raise place.error(
            "the configuration that it was built with must be given",
            "kernel.defconfig",
            'the path of its .config: defconfig = "/boot/config-..."',
        )
    for key in ("image", "patches", "variables", "embed_initramfs", "append_device_tree", "late_modules_ms"):
        if getattr(raw, key):
            raise place.error("a kernel that was built elsewhere has no such key", f"kernel.{key}", "leave one out")


def asked(raw: RawKernel | RawLoader, base: str, table: str, place: Place) -> dict[str, Any]:
    """Return what a build is configured with and patched by, checked, as `SourceBuild` takes it."""
    if "/" in base or base.startswith(("~", "$", ".")):
        base = place.file(base, f"{table}.defconfig")
    elif (place.folder / base).is_file():
        raise place.error(
            f"{base[:80]!r} without a slash means one of the source's own configurations, no file in {place.folder}",
            f"{table}.defconfig",
            f'the file beside this one: defconfig = "./{base}"',
        )
    fragments = [raw.config] if isinstance(raw.config, str) else raw.config or []
    return {
        "base": base,
        "fragments": place.files(fragments, f"{table}.config"),
        "options": options_of(raw.options, f"{table}.options", place),
        "patches": tuple(_patch(path, f"{table}.patches[{i}]", place) for i, path in enumerate(raw.patches)),
    }


def options_of(given: dict[str, str | int | bool], where: str, place: Place) -> Options:
    """Return options by their names without `CONFIG_`. Raise SystemFileError."""
    return tuple((name.removeprefix("CONFIG_"), _value(name, value, place, where)) for name, value in given.items())


def _value(name: str, value: str | int, place: Place, where: str) -> str:
    """Return an option's value as a `.config` writes it. Raise SystemFileError for what is not an option name."""
    if not _OPTION.fullmatch(name):
        raise place.error("expected an option's name, such as SMP or HZ_100", f'{where}."{name[:80]}"')
    if isinstance(value, bool):
        return "y" if value else "n"
    return str(value)


def _patch(path: str, where: str, place: Place) -> KernelPatch:
    """Read a patch. Raise SystemFileError for what is none."""
    file = place.file(path, where)
    if place.absent and not Path(file).exists():
        return KernelPatch(name=Path(file).name, text="")
    with Path(file).open("rb") as stream:
        data = stream.read(_PATCH_MAX_BYTES + 1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise place.error(f"byte 0x{data[error.start]:02x} is not UTF-8", where, "a patch is text: diff -u") from error
    if len(data) > _PATCH_MAX_BYTES or "\0" in text:
        raise place.error("this is not a patch", where, "make one with: diff -u, or git diff")
    return KernelPatch(name=Path(file).name, text=text)
