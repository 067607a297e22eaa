# SPDX-License-Identifier: MIT
"""A dump of flash, or a router's update, as a system: kernel, root, and U-Boot's variables where they lie in it.

Taken only where it is sure which kernel starts: there is one, or the command that U-Boot keeps names where it lies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats import device_tree, fit, uboot_environment, uboot_header
from bootlab.sources import hidden_files, raw_flash
from bootlab.sources.facts import BootEntry, SourceFacts
from bootlab.sources.kept_files import KeptFiles
from bootlab.sources.menus import uboot_kept
from bootlab.sources.menus.words import filled, named_in
from bootlab.sources.merge import with_root
from bootlab.sources.raw_flash import FlashPart

_STEP_BYTES = 4096
_SEARCHED_BYTES = 64 << 20
_PART_MAX_BYTES = 512 << 20
_RUN = re.compile(r"\brun\s+(\w+)")
_SETS = re.compile(r"(?:setenv|env\s+set)\s+bootargs\s+(?P<value>(?:\"[^\"]*\"|'[^']*'|\\.|[^;&|\"'])*)")
# Where a command reads flash: behind the address in memory that it reads to (cmd/sf.c, cmd/nand.c), or by an address in
# flash that is mapped.
_READS = re.compile(
    r"\b(?:sf|nand|onenand|mtd)\s+read(?:\.\w+)?\s+\S+\s+(?:0x)?([0-9a-fA-F]+)\b"
    r"|\b(?:bootm|booti|bootz|cp(?:\.\w)?|fdt\s+addr)\s+(?:0x)?([0-9a-fA-F]{4,16})\b"
)
_RUNS_MAX = 50


class _Kept(msgspec.Struct, frozen=True):
    """U-Boot's variables in a dump, and where they lie in words."""

    variables: Mapping[str, str]
    where: str


LookAt = Callable[[list[Path]], SourceFacts]


def with_head(path: Path, head: bytes, keep: KeptFiles, look_at: LookAt) -> SourceFacts | None:
    """Look at a router's update, or at a kernel for U-Boot with a root behind it; None for another file.

    Raise UserError for an update of which nothing can be taken.
    """
    if head.startswith(raw_flash.HEADS):
        return look_or_refuse(path, keep, look_at)
    return look(path, keep, look_at) if _may_have_root(path, head) else None


def look_or_refuse(path: Path, keep: KeptFiles, look_at: LookAt) -> SourceFacts | None:
    """Look at a dump; None for a file in which nothing of a system was found.

    Raise UserError for one of whose parts it is not sure which start, with the commands that take them out.
    """
    if (found := look(path, keep, look_at)) is not None:
        return found
    if (refusal := raw_flash.refusal(path) or hidden_files.refusal(path)) is not None:
        raise refusal
    return None


def _may_have_root(path: Path, head: bytes) -> bool:
    """Tell whether a kernel for U-Boot, or a FIT image, has a root behind it."""
    if head.startswith(uboot_header.MAGIC):
        return head[30:31] == b"\2" and _has_root(path)
    return head.startswith(device_tree.MAGIC) and not _is_whole(path) and _has_root(path)


def look(path: Path, keep: KeptFiles, look_at: LookAt) -> SourceFacts | None:
    """Look at the kernel and the root in a dump; None where there is no kernel, or more than one may start."""
    parts = list(raw_flash.parts_of(path))
    kernels = [part for part in parts if part.ending in raw_flash.KERNELS]
    if not kernels or any(part.foreign for part in parts):
        return None
    kept = _kept(path)
    kernel = kernels[0] if len(kernels) == 1 else _by_command(kernels, kept, path.stat().st_size)
    if kernel is None:
        return None
    roots = [part for part in parts if part.ending == "squashfs"]
    taken = [kernel, *roots[:1]] if len(roots) == 1 else [kernel]
    try:
        found = look_at([_out(path, kernel, keep)])
        found = with_root(found, look_at([_out(path, roots[0], keep)])) if len(roots) == 1 else found
    except UserError:
        # What is packed there may be for another processor, or no kernel at all.
        return None
    notes = [f"of {path.name} was taken: {_listed(taken)} (bytes from its begin)"]
    left = [part for part in parts if part not in taken]
    if left:
        ways = "; ".join(raw_flash.commands(path, left, taken))
        notes.append(f"in it, and not used: {_listed(left)}; to take them out: {ways}")
    line, more = _line(kept)
    own = BootEntry(cmdline=line, source=kept.where if kept is not None else "", default=True, is_partial=len(more) > 1)
    entry = own if line else found.entry
    kind = "a router's update" if _head_of(path).startswith(raw_flash.ROUTERS) else "flash"
    return msgspec.structs.replace(
        found,
        source=path,
        what=f"{kind}, with {found.what}",
        entry=entry,
        notes=(*found.notes, *notes, *more),
    )


def _head_of(path: Path) -> bytes:
    """Return the first bytes of a file."""
    with path.open("rb") as file:
        return file.read(64)


def _has_root(path: Path) -> bool:
    return any(part.ending == "squashfs" for part in raw_flash.parts_of(path))


def _is_whole(path: Path) -> bool:
    """Tell whether a FIT image has data behind its tree that are its own, or is none."""
    try:
        size = min(int.from_bytes(_head_of(path)[4:8], "big"), device_tree.SIZE_MAX_BYTES)
        with path.open("rb") as file:
            tree = device_tree.read_tree(file.read(size))
    except (UserError, OSError):
        return True
    images = tree.find("/images")
    if not fit.is_fit(tree) or images is None:
        return True
    return any({"data-position", "data-offset"} & set(node.properties) for node in images.children.values())


def _out(path: Path, part: FlashPart, keep: KeptFiles) -> Path:
    data, room = b"", _PART_MAX_BYTES
    with path.open("rb") as file:
        for start, length in part.spans or ((part.at_bytes, part.size_bytes or _PART_MAX_BYTES),):
            file.seek(start)
            data += file.read(min(length, room - len(data)))
    return keep.write(f"{path.stem[:40]}-{part.at_bytes}.{part.ending}", data)


def _listed(parts: list[FlashPart]) -> str:
    return ", ".join(f"{part.what} at {part.at_bytes:,}" for part in parts)


def _kept(path: Path) -> _Kept | None:
    """Return the variables that are saved in a dump, or those that its U-Boot was built with."""
    with path.open("rb") as file:
        data = file.read(_SEARCHED_BYTES)
    copies: list[tuple[int, int, dict[str, str]]] = []
    for at in range(0, len(data), _STEP_BYTES):
        found = uboot_environment.stored_in(data, at)
        if found is not None and "bootcmd" in found:
            # Of two copies the one with the higher counter; a single one has no counter there.
            copies.append((data[at + 4] if not chr(data[at + 4]).isalpha() else 0, -at, found))
    if copies:
        _count, at, variables = max(copies, key=lambda copy: copy[:2])
        return _Kept(variables, f"U-Boot's environment (at byte {-at:,})")
    built, at = uboot_kept.built_in_of(data)
    return _Kept(built, f"U-Boot's own environment (at byte {at:,})") if built else None


def _script(kept: _Kept) -> str:
    """Return U-Boot's command with the variables that it runs put in their place."""
    text = kept.variables.get("bootcmd", "")
    for _ in range(_RUNS_MAX):
        named = _RUN.search(text)
        if named is None:
            break
        text = text[: named.start()] + kept.variables.get(named[1], "") + text[named.end() :]
        text = text[:100_000]
    return text


def _by_command(kernels: list[FlashPart], kept: _Kept | None, size_bytes: int) -> FlashPart | None:
    """Return the kernel at an address or offset that U-Boot's command names; None where it names none, or several.

    Flash that is mapped begins at a multiple of its size.
    """
    if kept is None:
        return None
    mapped = 1 << max(0, size_bytes - 1).bit_length()
    script = _script(kept)
    # A variable that nothing sets is an address in memory: it stands for a word.
    known = {name: f"@{name}" for name in named_in(script)} | dict(kept.variables)
    numbers = {int(one or other, 16) for one, other in _READS.findall(filled(script, known))}
    found = [part for part in kernels if any(part.at_bytes in {number, number % mapped} for number in numbers)]
    return found[0] if len(found) == 1 else None


def _line(kept: _Kept | None) -> tuple[str, list[str]]:
    """Return the kernel's command line by U-Boot's command, and what is said of it."""
    if kept is None:
        return "", []
    variables, unset = dict(kept.variables), dict[str, None]()
    for found in _SETS.finditer(_script(kept)):
        value = found["value"].strip().replace("\\", "").replace('"', "").replace("'", "")
        unset |= dict.fromkeys(name for name in named_in(value) if name not in variables)
        variables["bootargs"] = filled(value, variables)
    line = " ".join(variables.get("bootargs", "").split())
    notes = [f"the command line is of {kept.where}"] if line else []
    if unset:
        notes.append(
            f"{kept.where}: the board's U-Boot sets {', '.join(f'${name}' for name in unset)}: taken as empty here"
        )
    return line, notes
