# SPDX-License-Identifier: MIT
"""The programs that build a kernel: found, or named with the Debian package that brings them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bootlab.builders.cache import key_of
from bootlab.builders.kbuild.architecture import KbuildArchitecture
from bootlab.errors import ToolMissing

# Program and package (Documentation/process/changes.rst of the kernel).
_ALWAYS = (
    ("make", "make"),
    ("gcc", "gcc"),
    ("ld", "binutils"),
    ("bison", "bison"),
    ("flex", "flex"),
    ("bc", "bc"),
    ("perl", "perl-base"),
)
_BY_OPTION = (
    ("CONFIG_KERNEL_LZO", "lzop", "lzop"),
    ("CONFIG_KERNEL_LZ4", "lz4", "lz4"),
    ("CONFIG_KERNEL_ZSTD", "zstd", "zstd"),
    ("CONFIG_KERNEL_XZ", "xz", "xz-utils"),
    ("CONFIG_KERNEL_LZMA", "xz", "xz-utils"),
    ("CONFIG_KERNEL_BZIP2", "bzip2", "bzip2"),
    ("CONFIG_KERNEL_GZIP", "gzip", "gzip"),
    ("CONFIG_DEBUG_INFO_BTF", "pahole", "dwarves"),
    ("CONFIG_IKHEADERS", "cpio", "cpio"),
)
_BY_IMAGE = {
    "uImage": ("mkimage", "u-boot-tools"),
    "Image.gz": ("gzip", "gzip"),
    "Image.bz2": ("bzip2", "bzip2"),
    "Image.lz4": ("lz4", "lz4"),
    "Image.lzma": ("xz", "xz-utils"),
    "Image.lzo": ("lzop", "lzop"),
    "Image.zst": ("zstd", "zstd"),
}


class Toolchain(msgspec.Struct, frozen=True, kw_only=True):
    """A compiler: the prefix of its programs ("" for this machine's own), its version, ccache where it is there."""

    prefix: str
    version: str
    ccache: bool
    plugins: bool
    """The compiler's headers for plugins are there: without them the kernel has no GCC_PLUGINS at all."""

    @property
    def identity(self) -> str:
        """Return what must be equal for two builds to be the same."""
        return identity_of_version(self.version)

    def variables(self) -> dict[str, str]:
        """Return make's variables. ccache's mark is the same whatever the folder, so that objects can be reused."""
        compiler = {"CC": f"ccache {self.prefix}gcc"} if self.ccache else {}
        return {"CROSS_COMPILE": self.prefix, **compiler}


def identity_of_version(version: str) -> str:
    """Return the digest of the versions of compiler and linker, which stands in the keys of kernels."""
    return key_of("toolchain", version)


def find(target: KbuildArchitecture, prefix: str | None) -> Toolchain:
    """Find the compiler and what every build needs. Raise ToolMissing for the first that is not installed."""
    for tool, package in _ALWAYS:
        _need(tool, package, "to build a kernel")
    if prefix is None:
        prefix = "" if target.native else target.prefix
    for tool in ("gcc", "ld"):
        _need(f"{prefix}{tool}", _package(prefix, tool), f"to build a kernel for {target.name}")
    version = " / ".join(first_line(f"{prefix}{tool}") for tool in ("gcc", "ld"))
    plugins = Path(first_line(f"{prefix}gcc", "-print-file-name=plugin"), "include/plugin-version.h").is_file()
    return Toolchain(prefix=prefix, version=version, ccache=shutil.which("ccache") is not None, plugins=plugins)


def check_plugins(tools: Toolchain, asked: Mapping[str, str]) -> None:
    """Raise ToolMissing when an option wants a compiler plugin and the headers for plugins are not there."""
    wanted = next((name for name, value in asked.items() if name.startswith("GCC_PLUGIN") and value == "y"), None)
    if wanted is None or tools.plugins:
        return
    major = first_line(f"{tools.prefix}gcc", "-dumpversion").partition(".")[0]
    package = "-".join(word for word in (f"gcc-{major}-plugin-dev", _triplet(tools.prefix)) if word)
    raise ToolMissing(f"plugin-version.h of {tools.prefix}gcc", package=package, needed_for=f"by CONFIG_{wanted}=y")


def check_image_tools(config: Mapping[str, str], image: str) -> None:
    """Raise ToolMissing when the program is not there that packs the image or one of its parts."""
    for option, tool, package in _BY_OPTION:
        if config.get(option) == "y":
            _need(tool, package, f"by {option}=y")
    if image in _BY_IMAGE:
        tool, package = _BY_IMAGE[image]
        _need(tool, package, f"to make {image}")


def _need(tool: str, package: str, needed_for: str) -> None:
    if shutil.which(tool) is None:
        raise ToolMissing(tool, package=package, needed_for=needed_for)


def _package(prefix: str, tool: str) -> str:
    """Debian names all its cross compilers the same way: x86_64-linux-gnu- comes with gcc-x86-64-linux-gnu."""
    if "/" in prefix:
        return f"(the one of {prefix}{tool})"
    return f"gcc-{_triplet(prefix)}" if prefix else "gcc"


def _triplet(prefix: str) -> str:
    return Path(prefix).name.rstrip("-").replace("_", "-")


def first_line(program: str, argument: str = "--version") -> str:
    """Return the first line that a program says; "" of none."""
    done = subprocess.run([program, argument], capture_output=True, text=True, check=False, env=None)
    return done.stdout.partition("\n")[0].strip()
