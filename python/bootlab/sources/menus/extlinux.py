# SPDX-License-Identifier: MIT
"""extlinux.conf and syslinux.cfg, as syslinux and U-Boot's standard boot read them (U-Boot doc/README.pxe)."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Callable, Iterator

from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.paths import below
from bootlab.sources.menus.starts_nothing import first_instead

_ENTRIES_MAX = 200
_INCLUDES_MAX = 50
_DEPTH_MAX = 8
# U-Boot fills in its environment's variables (boot/pxe_utils.c, cli_simple_process_macros).
_VARIABLE = re.compile(r"\$\{\w+\}")


def parse_extlinux(
    text: str,
    source: str,
    *,
    reads: Callable[[str], str | None] = lambda _path: None,
    base: str = "",
    depth: int = 0,
    trees: tuple[str, ...] = (),
    exists: Callable[[str], bool] = lambda _path: False,
    is_iso: bool = False,
) -> tuple[BootEntry, ...]:
    """Return the entries of an extlinux.conf or syslinux.cfg. Paths are relative to its folder, or to `base`.

    `reads`: returns the text of a file that it includes. `trees`: the names by which the board's U-Boot looks for its
    device tree in FDTDIR; `exists`: whether a file is there. `is_iso`: ISOLINUX reads it.
    """
    folder = base or posixpath.dirname(source)
    labels: list[dict[str, str]] = []
    said: dict[str, str] = {}
    common = ""
    for line in _lines(text, folder, reads, [_INCLUDES_MAX]):
        words = line.split(None, 1)
        key, value = (words[0].lower() if words else ""), (words[1].strip() if len(words) > 1 else "")
        if key == "label":
            labels.append({"label": value})
        elif key == "menu" and labels and value.lower() == "default":
            said["menu default"] = labels[-1]["label"]
        elif key in {"default", "ontimeout", "ui", "prompt"}:
            # They count wherever they stand, and the last one counts.
            said[key] = value
        elif key == "menu" and labels and value.lower().startswith("label "):
            # A caret marks the letter that a key press takes.
            labels[-1].setdefault("menu label", value[len("label ") :].replace("^", "").strip())
        elif labels and key:
            labels[-1].setdefault(key, value)
        elif key == "append":
            common = value
    chosen = _chosen([label["label"] for label in labels], said)
    chosen = _by_variant(labels, chosen, is_iso=is_iso or posixpath.basename(source) == "isolinux.cfg")
    over = next((label for label in labels if label["label"] == chosen and "config" in label), {})
    other = f"{over['config']} {over.get('append', '')}".split() if over else []
    if other and depth < _DEPTH_MAX and (inner := reads(below(folder, other[0]))) is not None:
        # Syslinux goes over to another file, and to the folder that stands behind it, or in APPEND.
        where = below(folder, other[1]) if len(other) > 1 else folder
        return parse_extlinux(
            inner,
            below(folder, other[0]),
            reads=reads,
            base=where,
            depth=depth + 1,
            trees=trees,
            exists=exists,
            is_iso=is_iso or posixpath.basename(source) == "isolinux.cfg",
        )
    for label in labels:
        own = label.get("fdtdir") or label.get("devicetreedir") or ""
        named = next((path for name in trees if own and exists(path := below(folder, f"{own}/{name}"))), "")
        if named and not (label.get("fdt") or label.get("devicetree")):
            label["fdt"] = named
    made = [_entry(label, folder, source, common, is_default=label["label"] == chosen) for label in labels]
    found = [entry for entry in made if entry is not None]
    if chosen and found and not any(entry.default for entry in found):
        found[0] = first_instead(found[0], chosen, source)
    return tuple(found)[:_ENTRIES_MAX]


def _chosen(labels: list[str], said: dict[str, str]) -> str:
    """Return the label that is booted when nobody touches a key (Syslinux doc/syslinux.txt, doc/menu.txt)."""
    is_menu = "ui" in said or said.get("default", "").split(" ")[0].endswith(".c32")
    if is_menu:
        wanted = ["ontimeout", "menu default", "default"]
    elif said.get("prompt", "0") != "0":
        wanted = ["ontimeout", "default"]
    else:
        wanted = ["default", "menu default", "ontimeout"]
    names = (said.get(key, "") for key in wanted)
    found = (next((label for label in labels if label == name), "") for name in names)
    return next((label for label in found if label), labels[0] if labels else "")


def _by_variant(labels: list[dict[str, str]], chosen: str, *, is_iso: bool) -> str:
    """Return the label that whichsys.c32 goes on to, by which Syslinux runs: `-iso- LABEL -sys- LABEL -pxe- LABEL`."""
    label = next((one for one in labels if one["label"] == chosen), {})
    program = label.get("com32") or label.get("kernel") or label.get("linux") or ""
    if posixpath.basename(program) != "whichsys.c32":
        return chosen
    words = label.get("append", "").split()
    told = dict(itertools.pairwise(words))
    return told.get("-iso-" if is_iso else "-sys-", chosen)


def _lines(text: str, folder: str, reads: Callable[[str], str | None], left: list[int]) -> Iterator[str]:
    """Give the lines of a menu with those that it includes in their places."""
    for line in text.splitlines():
        words = line.split()
        included = words[-1] if len(words) in {2, 3} and words[-2].lower() == "include" else ""
        if not included:
            yield line
        elif left[0] > 0:
            left[0] -= 1
            yield from _lines(reads(below(folder, included)) or "", folder, reads, left)


def _entry(label: dict[str, str], folder: str, source: str, common: str, *, is_default: bool) -> BootEntry | None:
    words = label.get("append", common).split()
    unknown = [word for word in words if _VARIABLE.search(word)]
    words = [word for word in words if word not in unknown]
    initrds = [w.partition("=")[2] for w in words if w.startswith("initrd=")]
    named = label.get("initrd", "")
    initrds = [part for part in named.split(",") if part] or [p for w in initrds for p in w.split(",") if p]
    # A FIT image is named with the configuration in it.
    named_kernel = label.get("kernel") or label.get("linux") or label.get("fit") or ""
    kernel, _, configuration = named_kernel.partition("#")
    if not kernel:
        return None
    tree = label.get("fdt") or label.get("devicetree") or ""
    notes: tuple[str, ...] = ()
    if unknown:
        left = " ".join(unknown)
        notes = (f"{source}: only the board's loader knows {left}, which is left out of the command line",)
    asks = ""
    if not tree and (places := label.get("fdtdir") or label.get("devicetreedir")):
        asks = (
            f"{source} takes the device tree of the board from {below(folder, places)}, by a name that the board's "
            "U-Boot knows ($fdtfile, or $soc-$board.dtb): name it with --from"
        )
    return BootEntry(
        title=label.get("menu label", label["label"]),
        kernel=below(folder, kernel),
        initrds=tuple(below(folder, part) for part in initrds),
        device_tree=below(folder, tree),
        cmdline=" ".join(w for w in words if not w.startswith("initrd=")),
        # Without one, U-Boot passes what it keeps.
        says_line=not unknown and ("append" in label or bool(common)),
        source=source,
        default=is_default,
        overlays=tuple(below(folder, part) for part in label.get("fdtoverlays", "").split()),
        configuration=configuration.partition("#")[0],
        asks_tree=asks,
        notes=notes,
    )
