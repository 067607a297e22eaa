"""Everything that a target needs to boot a system, as files."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache
from bootlab.builders.initramfs import build_initramfs
from bootlab.builders.kernel import build_kernel
from bootlab.model.system import System


class Artefacts(msgspec.Struct, frozen=True, kw_only=True):
    """The files that boot a system; size in bytes and SHA-256 by name: `kernel`, `initramfs`."""

    kernel: Path
    initramfs: Path | None = None
    sizes_bytes: dict[str, int] = {}
    sha256: dict[str, str] = {}


def build(system: System, cache: Cache) -> Artefacts:
    """Build what a system boots from. Raise UserError, ToolMissing or EnvironmentFault."""
    kernel = build_kernel(system.kernel, cache)
    initramfs = build_initramfs(system.initramfs, cache) if system.initramfs is not None else None
    files = {"kernel": kernel} | ({"initramfs": initramfs} if initramfs is not None else {})
    return Artefacts(
        kernel=kernel,
        initramfs=initramfs,
        sizes_bytes={name: path.stat().st_size for name, path in files.items()},
        sha256={name: cache.digest(path) for name, path in files.items()},
    )
