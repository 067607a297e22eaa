# SPDX-License-Identifier: MIT
"""A kernel image looked at: architecture, version, configuration, by the core's reader of images."""

from __future__ import annotations

from pathlib import Path

from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import inspect
from bootlab.errors import UserError
from bootlab.formats import magics
from bootlab.model.architecture import ARCHITECTURES, Arch
from bootlab.model.system import Kernel
from bootlab.sources import build_place
from bootlab.sources.facts import ImageFacts, SourceFacts

SIZE_MAX_BYTES = 1 << 30


def facts_of(path: Path, cache: Cache, *, config: Path | None = None, symbols: Path | None = None) -> ImageFacts:
    """Return what an image says of itself. Raise UserError when it is none.

    Without `config`, the one that lies beside it (`config-VERSION`) or inside it counts.
    """
    if path.stat().st_size > SIZE_MAX_BYTES:
        raise UserError(f"{path} is too large for a kernel", hint="name the kernel image")
    config = config or beside(path, "config")
    symbols = symbols or beside(path, "System.map")
    kernel = Kernel(image=str(path), config=str(config) if config else None)
    info = inspect(kernel, cache.root, cache.digest(path))
    if info.lacking_bytes:
        whole = info.size_bytes + info.lacking_bytes
        raise UserError(
            f"{path} is cut off: {info.size_bytes:,} of at least {whole:,} bytes are there",
            hint="copy or build the kernel again",
        )
    return ImageFacts(
        path=path,
        arch=info.arch,
        kind=info.kind,
        release=info.release,
        config=info.config,
        config_path=config,
        config_source=info.config_source,
        symbols_path=symbols,
    )


def of_tree(path: Path, cache: Cache) -> SourceFacts:
    """Look at a kernel's tree: the image that was built in it, with its configuration and symbols."""
    config, symbols = (file if file.is_file() else None for file in (path / ".config", path / "System.map"))
    facts = facts_of(build_place.built_kernel(path), cache, config=config, symbols=symbols)
    what = f"a kernel's tree, Linux {facts.release or '?'} for {facts.arch or '?'}"
    return SourceFacts(source=path, what=what, arch=architecture_of(facts), kernel=facts)


def beside(image: Path, what: str) -> Path | None:
    """Return Debian's `config-VERSION` or `System.map-VERSION` beside `vmlinuz-VERSION`; None without one."""
    _, dash, version = image.name.partition("-")
    found = image.with_name(f"{what}{dash}{version}")
    return found if dash and found.is_file() and found != image else None


def architecture_of(kernel: ImageFacts) -> Arch | None:
    """Return bootlab's name of the kernel's architecture; None for one that it does not boot."""
    return next((facts.name for facts in ARCHITECTURES.values() if kernel.arch in facts.kernel_archs), None)


def is_kernel(head: bytes) -> bool:
    """Tell whether the first 4 KiB of a file may start a kernel image; what is packed is not looked into."""
    return (
        head[0x202:0x206] == b"HdrS"
        or head[0x38:0x3C] in {b"ARM\x64", b"RSC\x05"}
        or head[0x24:0x28] == b"\x18\x28\x6f\x01"
        or head[:4] == b"\x27\x05\x19\x56"
        or (head[:2] == b"MZ" and head[4:8] == b"zimg")
        or head[:4] == magics.ELF
    )
