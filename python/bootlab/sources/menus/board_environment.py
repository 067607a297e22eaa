# SPDX-License-Identifier: MIT
"""uEnv.txt: variables that a board's own U-Boot reads, whose script lies in the loader and not in the image.

BeagleBoard.org's (`uname_r`, `cmdline`; RobertCNelson's omap-image-builder), boxes with Amlogic's chips (`LINUX`,
`INITRD`, `FDT`, `APPEND`), and `uenvcmd`, which most of the others run.
"""

from __future__ import annotations

from collections.abc import Mapping

from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.uboot import Reads, environment_of, parse_script


def entry_of(text: str, source: str, reads: Reads, kept: Mapping[str, str]) -> BootEntry | None:
    """Return what the variables say would be booted; None where they do not."""
    own = environment_of(text)
    values = {**kept, **{name: value.strip("\"'") for name, value in own.items()}}
    if own.get("uname_r"):
        return _beagle(values, source, reads)
    if own.get("LINUX"):
        return _box(values, source)
    if own.get("uenvcmd"):
        return parse_script(own["uenvcmd"], source, reads, values)
    return None


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
