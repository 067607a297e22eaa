# SPDX-License-Identifier: MIT
"""What `bootlab new --from` makes of images that it never saw, against what the firmware would boot of them.

Prints a table: right, or what is wrong. Nothing is booted; the images are made by first_contact_images.py,
first_contact_others.py, first_contact_loaders.py and first_contact_further.py.

    .venv/bin/python benchmarks/first_contact.py [--keep FOLDER] [NAME…]
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import zlib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from benchmarks.first_contact_devices import DEVICES  # noqa: E402
from benchmarks.first_contact_distributions import DISTRIBUTIONS  # noqa: E402
from benchmarks.first_contact_eighth import EIGHTH  # noqa: E402
from benchmarks.first_contact_eleventh_pcs import ELEVENTH  # noqa: E402
from benchmarks.first_contact_further import FURTHER  # noqa: E402
from benchmarks.first_contact_images import MAKERS, Image  # noqa: E402
from benchmarks.first_contact_loaders import LOADERS  # noqa: E402
from benchmarks.first_contact_ninth_pcs import NINTH  # noqa: E402
from benchmarks.first_contact_others import OTHERS  # noqa: E402
from benchmarks.first_contact_seventh_pcs import SEVENTH  # noqa: E402
from benchmarks.first_contact_sixth import SIXTH  # noqa: E402
from benchmarks.first_contact_tenth import TENTH  # noqa: E402
from benchmarks.first_contact_twelfth import TWELFTH  # noqa: E402

from bootlab.builders.cache import Cache  # noqa: E402
from bootlab.errors import UserError  # noqa: E402
from bootlab.formats import magics  # noqa: E402
from bootlab.formats.archive import unpacked  # noqa: E402
from bootlab.sources.facts import SourceFacts  # noqa: E402
from bootlab.sources.look import Looker  # noqa: E402
from bootlab.systemfile.proposal import propose  # noqa: E402

EVERY = MAKERS | OTHERS | LOADERS | FURTHER | DISTRIBUTIONS | DEVICES | SIXTH | SEVENTH | EIGHTH | NINTH | TENTH
EVERY |= ELEVENTH | TWELFTH


def wrong(image: Image, found: SourceFacts, notes: str, store: Path) -> list[str]:
    """Return what differs from what the firmware would boot."""
    lines = []
    kernel = found.kernel.path.read_bytes() if found.kernel is not None else b""
    if kernel.startswith(magics.GZIP):
        kernel = zlib.decompressobj(31).decompress(kernel)
    if image.kernel.encode() not in kernel:
        lines.append(f"another kernel than {image.kernel!r}")
    early = found.initramfs.path.read_bytes() if found.initramfs is not None else b""
    if bool(early) != bool(image.initrd):
        lines.append("no initrd" if image.initrd else "an initrd")
    elif early and f"/{image.initrd}" not in dict(unpacked(found.initramfs.path, store).tree.entries):
        lines.append(f"another initrd than {image.initrd!r}")
    cmdline = found.entry.cmdline if found.entry is not None else ""
    if cmdline != image.cmdline:
        lines.append(f"command line {cmdline!r}")
    bootargs = found.device_tree.bootargs if found.device_tree is not None else ""
    if (
        not (cmdline or bootargs)
        and (image.root is not None or image.any_root)
        and "command line is not known" not in notes
    ):
        lines.append("the command line was lost without a word")
    root = found.disk.root if found.disk is not None else None
    if root != image.root and not image.any_root:
        lines.append(f"root {root}, not {image.root}")
    model = found.device_tree.model if found.device_tree is not None else ""
    if image.tree not in model:
        lines.append(f"device tree {model!r}")
    lines += [f"says {words!r}" for words in image.never if words in notes]
    return lines + [f"does not say {words!r}" for words in image.says if words not in notes]


def wrong_line(image: Image, line: str) -> list[str]:
    """Return what is wrong with the command line for QEMU's machine."""
    lines = [f"boots without {words!r}" for words in image.keeps if words not in line]
    return lines + [f"boots with {words!r}" for words in image.loses if words in line]


def judge(name: str, folder: Path) -> str:
    """Return "right", or what is wrong with what was made of an image."""
    folder.mkdir(parents=True)
    image = EVERY[name](folder)
    looker = Looker(folder / "kept", Cache(folder / "cache"), folder / "unpacked")
    try:
        found = looker.all(list(image.given))
        proposal = propose(found, "it")
    except UserError as error:
        # The name of the file is no word of what is said.
        said = str(error).replace(str(folder), "").casefold()
        for path in image.given:
            said = said.replace(path.name.casefold(), "")
        refused = bool(image.refused) and image.refused.casefold() in said and image.way in (error.hint or "-")
        return "right (refused)" if refused else f"wrong: refused: {error.message} (hint: {error.hint})"
    if image.refused:
        return "wrong: not refused"
    lines = wrong(
        image, found, " ".join((*proposal.notes, *proposal.cmdline_notes, *proposal.unknown)), folder / "unpacked"
    )
    lines += wrong_line(image, proposal.cmdline)
    return "wrong: " + "; ".join(lines) if lines else "right"


def main() -> int:
    """Make and judge the images that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, help="keep the images in this folder, which must not exist")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.keep or Path(scratch) / "images"
        verdicts = {name: judge(name, folder / re.sub(r"\W+", "-", name)) for name in asked.names or EVERY}
    width = max(map(len, verdicts))
    for name, verdict in verdicts.items():
        print(f"{name.ljust(width)}  {verdict}")
    right = sum(verdict.startswith("right") for verdict in verdicts.values())
    print(f"{right} of {len(verdicts)} right")
    return 0 if right == len(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
