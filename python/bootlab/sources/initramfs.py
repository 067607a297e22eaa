# SPDX-License-Identifier: MIT
"""An initramfs looked at: how it is packed, who made it, which modules it carries."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import msgspec

from bootlab.formats.archive import unpacked
from bootlab.formats.segments import compression_at
from bootlab.model.tree import FileTree
from bootlab.sources.facts import InitramfsFacts

# Debian's cryptsetup-initramfs, systemd-cryptsetup, mkinitcpio's `encrypt` hook and dracut's rd.luks.key.
_KEY = re.compile(
    r"/cryptroot/keyfiles/.+|(?:/usr/lib|/etc|/run)/cryptsetup-keys\.d/.+\.key|/crypto_keyfile\.bin|"
    r"(?:/etc|/root|/boot|/keys?)?/[^/]*(?:luks|crypt)[^/]*\.key"
)
# Wherever they lie: who makes an initramfs by hand loads them with insmod.
_MODULE = re.compile(r"(?:(?:/usr)?/lib/modules/([^/]+))?/(?:.*/)?([^/]+)\.ko(?:\.(?:gz|xz|zst))?")
# `initramfs-direct` numbers its modules in the order in which they are loaded.
_NUMBER = re.compile(r"/modules/\d{2,}-")
_MAKERS = (
    ("/scripts/local", "initramfs-tools"),
    ("/usr/lib/dracut", "dracut"),
    ("/lib/dracut", "dracut"),
    ("/usr/lib/initrd-release", "systemd"),
    ("/etc/initrd-release", "systemd"),
    ("/hooks", "mkinitcpio"),
)


def module_name(path: str) -> str:
    """Return a module's name as the kernel has it, from its file's or from what people write."""
    stem = posixpath.basename(path)
    for end in (".gz", ".xz", ".zst"):
        stem = stem.removesuffix(end)
    return stem.removesuffix(".ko").replace("-", "_")


def facts_of(path: Path, store: Path) -> tuple[InitramfsFacts, FileTree]:
    """Return what an archive holds, and its tree; contents are unpacked below `store`, once. Raise UserError."""
    found = unpacked(path, store)
    facts = msgspec.structs.replace(facts_of_tree(found.tree), path=path, compression=found.compression)
    return facts, found.tree


def facts_of_tree(tree: FileTree) -> InitramfsFacts:
    """Return what an unpacked initramfs holds."""
    modules: set[str] = set()
    releases: set[str] = set()
    for name, entry in tree.entries:
        module = _MODULE.fullmatch(name)
        if module and entry.kind == "file":
            releases |= {module[1]} if module[1] else set()
            modules.add(module_name(_NUMBER.sub("/modules/", name)))
    paths = {name for name, _ in tree.entries}
    return InitramfsFacts(
        path=Path(),
        maker=next((maker for mark, maker in _MAKERS if mark in paths), ""),
        files=len(tree.entries),
        modules=frozenset(modules),
        releases=tuple(sorted(releases)),
        init="/init" if "/init" in paths else "",
        keys=tuple(sorted(name for name, entry in tree.entries if entry.kind == "file" and _KEY.fullmatch(name))),
    )


def is_initramfs(head: bytes) -> bool:
    """Tell whether the first bytes of a file may start an archive that the kernel unpacks."""
    return head[:6] in {b"070701", b"070702"} or compression_at(head, 0) is not None
