# SPDX-License-Identifier: MIT
"""A new build as far as its files tell: its command line, its kernel's configuration, its trees."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats.file_view import FileView
from bootlab.formats.folder import FolderFiles
from bootlab.formats.tree_files import TreeView
from bootlab.model.cmdline import CommandLine
from bootlab.model.tree import Compression
from bootlab.sources import disk, initramfs
from bootlab.sources.facts import SourceFacts


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a build. None of a line, a configuration or a tree: nothing tells, so that nothing is claimed.

    `cmdline_from`, `config_from`: the file that says so.
    """

    cmdline: CommandLine | None = None
    cmdline_from: str = ""
    config: dict[str, str] | None = None
    config_from: str = ""
    root: FileView | None = None
    initramfs: FileView | None = None
    compression: Compression | None = None


def of_facts(found: SourceFacts, store: Path) -> Build:
    """Return what the readers of `new --from` found in a build; archives are unpacked below `store`."""
    config = (
        {name.removeprefix("CONFIG_"): value for name, value in found.kernel.config.items()} if found.kernel else {}
    )
    line, source = _cmdline(found, config)
    archive: FileView | None = None
    compression: Compression | None = None
    if found.initramfs is not None:
        facts, tree = initramfs.facts_of(found.initramfs.path, store)
        archive = FileView(TreeView(tree))
        compression = msgspec.convert(facts.compression, Compression)
    return Build(
        cmdline=line,
        cmdline_from=source,
        config=config or None,
        config_from=(found.kernel.config_source if found.kernel is not None else "") or "the kernel's configuration",
        root=_root(found),
        initramfs=archive,
        compression=compression,
    )


def _cmdline(found: SourceFacts, config: dict[str, str]) -> tuple[CommandLine | None, str]:
    """Return the line that the kernel gets: the boot loader's, joined with what is compiled in."""
    own = config.get("CMDLINE", "") if config.get("CMDLINE_BOOL", "y") == "y" else ""
    entry = found.entry.cmdline if found.entry is not None else ""
    if config.get("CMDLINE_FORCE") == "y" or config.get("CMDLINE_OVERRIDE") == "y":
        entry = ""
    elif own and entry and not (config.get("CMDLINE_EXTEND") == "y" or config.get("X86") == "y"):
        own = ""
    if not entry and found.log is not None and found.log.cmdline:
        # It is what the kernel got, whoever gave it.
        return _read(found.log.cmdline), "the boot log"
    if not own and not entry:
        return None, ""
    line = _read(" ".join(part for part in (own, entry) if part))
    names = [found.entry.source or "the boot entry"] if entry and found.entry is not None else []
    return line, " and ".join([*names, *(["CONFIG_CMDLINE"] if own else [])])


def _read(text: str) -> CommandLine | None:
    try:
        return CommandLine.parse(text)
    except UserError:
        return None


def _root(found: SourceFacts) -> FileView | None:
    if found.tree is not None:
        return FileView(FolderFiles(found.tree))
    if found.disk is not None and found.disk.root is not None:
        view = disk.look(found.disk.path, found.disk.root).view
        if view is not None:
            return view
    # Buildroot's output folder: its images may be of a kind whose files nobody reads here.
    target = found.source / "target"
    return FileView(FolderFiles(target)) if (target / "etc").is_dir() else None
