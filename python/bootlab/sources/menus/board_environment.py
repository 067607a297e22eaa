# SPDX-License-Identifier: MIT
"""uEnv.txt: variables that a board's own U-Boot reads, whose script lies in the loader and not in the image.

BeagleBoard.org's (`uname_r`, `cmdline`; RobertCNelson's omap-image-builder), boxes with Amlogic's chips (`LINUX`,
`INITRD`, `FDT`, `APPEND`), and `uenvcmd`, which most of the others run, or no more than `bootargs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bootlab.sources.facts import BootEntry
from bootlab.sources.medium import BootMedium
from bootlab.sources.menus.uboot import Reads, environment_of, parse_script
from bootlab.sources.menus.words import expanded, named_in

# What U-Boot has of these names, where the file has none (include/env/ti/mmc.env; boards of NXP: mx6_common.h).
_BUILT_IN = {
    "loadimage": "load ${devtype} ${bootpart} ${loadaddr} ${bootdir}/${bootfile}",
    "loadfdt": "load ${devtype} ${bootpart} ${fdtaddr} ${bootdir}/${fdtfile}",
}
_LINES = ("bootargs", "cmdline")
_KERNELS = ("bootfile", "kernel_image", "kernel", "image")
_USUAL = ("zImage", "Image", "uImage", "Image.gz", "fitImage")


def entry_of(
    text: str,
    source: str,
    reads: Reads,
    kept: Mapping[str, str],
    where: tuple[BootMedium | None, int] = (None, 0),
) -> BootEntry | None:
    """Return what the variables say would be booted; None where they do not.

    `where`: the medium, and the number of its partition that has the file.
    """
    own = environment_of(text)
    values = {**kept, **{name: value.strip("\"'") for name, value in own.items()}}
    if own.get("uname_r"):
        return _beagle(values, source, reads)
    if own.get("LINUX"):
        return _box(values, source)
    if own.get("uenvcmd"):
        # Values are other commands too: quotes inside them stay.
        found = parse_script(own["uenvcmd"], source, reads, {**_BUILT_IN, **kept, **own}, *where).entry
        if found is not None:
            return found
    return _plain(own, source, reads)


def _plain(own: Mapping[str, str], source: str, reads: Reads) -> BootEntry | None:
    """Return the kernel that the file names, or that lies beside it, with its command line; None without one of them.

    Which command boots it, only the board's U-Boot knows.
    """
    line = next((own[name].strip("\"'") for name in _LINES if own.get(name)), "") or _set_line(own)
    folder = source.rpartition("/")[0]
    named = [own[name] for name in _KERNELS if own.get(name)]
    kernel = next((path for name in (*named, *_USUAL) if reads(path := f"{folder}/{name.lstrip('/')}") is not None), "")
    if not line or not kernel:
        return None
    words = [part for word in line.split() for part in expanded(word, own)]
    lacking = [name for word in line.split() for name in named_in(word) if name not in own]
    notes = [f"{source} sets the command line, and the board's U-Boot says by which command it boots"]
    notes += [f"{source}: the board's U-Boot sets ${', $'.join(lacking)}: taken as empty here"] if lacking else []
    return BootEntry(
        title="U-Boot",
        kernel=kernel,
        cmdline=" ".join(words),
        source=source,
        default=True,
        is_partial=bool(lacking),
        notes=tuple(notes),
    )


def _set_line(own: Mapping[str, str]) -> str:
    """Return the line that one of the variables would set as a command."""
    found = (re.search(r"setenv bootargs (?P<line>[^;]*)", value) for value in own.values())
    return next((match["line"].strip("\"' ") for match in found if match is not None), "")


def _beagle(values: Mapping[str, str], source: str, reads: Reads) -> BootEntry:
    version, folder = values["uname_r"], source.rpartition("/")[0]
    initrd = f"{folder}/initrd.img-{version}"
    console = f"console={values['console']}" if values.get("console") else ""
    tree = values.get("dtb", "")
    notes = (f"the board's U-Boot adds root= and more to the command line: {source} has only a part of it",)
    return BootEntry(
        title=f"U-Boot, Linux {version}",
        kernel=f"{folder}/vmlinuz-{version}",
        initrds=(initrd,) if reads(initrd) is not None else (),
        device_tree=f"{folder}/dtbs/{version}/{tree}" if tree else "",
        cmdline=" ".join(part for part in (console, values.get("cmdline", "")) if part),
        source=source,
        default=True,
        is_partial=True,
        notes=notes,
    )


def _box(values: Mapping[str, str], source: str) -> BootEntry:
    initrd = values.get("INITRD", "")
    return BootEntry(
        title="U-Boot",
        kernel=values["LINUX"],
        initrds=(initrd,) if initrd else (),
        device_tree=values.get("FDT", ""),
        cmdline=values.get("APPEND", ""),
        source=source,
        default=True,
    )
