# SPDX-License-Identifier: MIT
"""A FIT image: kernel, device tree and ramdisk in one file (U-Boot, doc/usage/fit/source_file_format.rst)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats.bundle import Bundle
from bootlab.formats.device_tree import SIZE_MAX_BYTES, TreeNode, read_tree
from bootlab.formats.whole_file import read_whole

_KEYS = {"kernel": "kernel", "fdt": "device tree", "ramdisk": "ramdisk"}
_ARCHES = {"arm": "arm", "arm64": "arm64", "riscv": "riscv64", "x86_64": "x86_64", "x86": "x86_64"}


class FitPart(msgspec.Struct, frozen=True):
    """One image of a FIT: its name, kind (`kernel`, `flat_dt`, `ramdisk`), compression, architecture and bytes."""

    name: str
    kind: str
    compression: str
    arch: str
    data: bytes


def is_fit(root: TreeNode) -> bool:
    """Tell whether a tree is a FIT image."""
    return root.find("/images") is not None


def has_kernel(blob: bytes) -> bool:
    """Tell whether a FIT image has a kernel of Linux: boot loaders come as FIT images too (u-boot.itb, tispl.bin)."""
    try:
        images = read_tree(blob).find("/images")
    except UserError:
        return False
    kinds = [(node.text("type"), node.text("os")) for node in images.children.values()] if images is not None else []
    return any(kind in {"kernel", "kernel_noload"} and system in {"", "linux"} for kind, system in kinds)


def read(path: Path, wanted: str = "") -> Bundle:
    """Return what a configuration of a FIT image starts, the default one without a name.

    Raise UserError when it cannot be read, or has no such configuration.
    """
    blob = read_whole(path, SIZE_MAX_BYTES, "FIT image", "name the image that U-Boot loads")
    root = read_tree(blob)
    images, configurations = root.find("/images"), root.find("/configurations")
    if images is None:
        raise UserError(f"{path} is a device tree, not a FIT image", hint="a FIT has a node /images")
    names = tuple(configurations.children) if configurations is not None else ()
    default = wanted or (configurations.text("default") if configurations is not None else "")
    if wanted and wanted not in names:
        there = ", ".join(names) or "none"
        raise UserError(f"{path} has no configuration {wanted}", hint=f"there are: {there}")
    chosen = default if default in names else next(iter(names), "")
    node = configurations.children.get(chosen) if configurations is not None else None
    # External data lie behind the tree, at the next multiple of 4 (`mkimage -E`).
    behind = (int.from_bytes(blob[4:8], "big") + 3) & ~3

    mounted_root = b""
    notes = (
        [f"its default configuration {default} is not there; {chosen} was taken"]
        if default and chosen and (default != chosen)
        else []
    )

    def part(key: str) -> FitPart | None:
        name = next(iter(node.texts(key)), "") if node is not None else ""
        if name and name not in images.children:
            notes.append(f"configuration {chosen} names the {_KEYS[key]} {name}, which is not among its images")
        found = images.children.get(name) if name else _first(images, key)
        if found is None:
            return None
        taken = _part(found, blob, behind)
        if not taken.data:
            raise UserError(
                f"{path} holds no bytes of its {_KEYS[key]} {found.name}: it is cut off, or was made without them",
                hint=f"build it again (mkimage -f), or look at it: dumpimage -l {path}",
            )
        return taken

    parts = {"kernel": part("kernel"), "device_tree": part("fdt"), "initramfs": part("ramdisk")}
    if len(names) > 1 and not wanted:
        notes.append(f"the FIT image has {len(names)} configurations; the default one was taken")
    if node is not None:
        more = node.texts("fdt")[1:]
        notes += (
            [f"the loader merges overlays into the device tree ({', '.join(more)}), which is not done here"]
            if more
            else []
        )
        loads = [name for name in node.texts("loadables") if name]
        mounted = next((name for name in loads if _is_root(images.children.get(name))), "")
        if mounted:
            # OpenWrt: the kernel's own driver (fitblk) makes a block device of each.
            mounted_root = _part(images.children[mounted], blob, behind).data
            loads.remove(mounted)
            notes += [f"the root is {mounted} in the FIT image"] if mounted_root else [f"its root {mounted} is cut off"]
        notes += [f"configuration {chosen} loads more (loadables: {', '.join(loads)}): not used here"] if loads else []
    given = {key: found for key, found in parts.items() if found is not None}
    words = {"device_tree": "device tree", "initramfs": "ramdisk"}
    return Bundle(
        what=f"a FIT image, configuration {chosen or '(none)'}",
        notes=tuple(notes),
        names={key: f"the {words.get(key, key)} {found.name}" for key, found in given.items()},
        kernel=_data(parts["kernel"]),
        device_tree=_data(parts["device_tree"]),
        initramfs=_data(parts["initramfs"]),
        root=mounted_root,
    )


def _is_root(image: TreeNode | None) -> bool:
    return image is not None and image.text("type") == "filesystem" and image.text("compression") in {"", "none"}


def _data(part: FitPart | None) -> bytes:
    return part.data if part is not None else b""


def _first(images: TreeNode, key: str) -> TreeNode | None:
    kinds = {"kernel": {"kernel", "kernel_noload"}, "fdt": {"flat_dt"}, "ramdisk": {"ramdisk"}}[key]
    return next((node for node in images.children.values() if node.text("type") in kinds), None)


def _part(node: TreeNode, blob: bytes, behind: int) -> FitPart:
    data = node.properties.get("data", b"")
    if not data and "data-size" in node.properties:
        size = node.number("data-size", 0)
        at = node.number("data-position", 0) or behind + node.number("data-offset", 0)
        data = blob[at : at + size]
    return FitPart(
        name=node.name,
        kind=node.text("type"),
        compression=node.text("compression") or "none",
        arch=_ARCHES.get(node.text("arch"), ""),
        data=data,
    )
