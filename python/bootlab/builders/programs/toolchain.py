# SPDX-License-Identifier: MIT
"""Compilers of programs: Debian's, a prefix of the user's, or either with musl as its C library."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import msgspec

from bootlab import host_packages
from bootlab.builders.cache import default_folder, key_of
from bootlab.builders.guest_program import compiler_name
from bootlab.errors import SourceMissing, ToolMissing
from bootlab.model.architecture import ARCHITECTURES, Arch
from bootlab.model.program import Libc

# Debian's names (musl-dev): multiarch triplet and loader.
_MUSL: dict[Arch, tuple[str, str]] = {
    "x86_64": ("x86_64-linux-musl", "ld-musl-x86_64.so.1"),
    "arm": ("arm-linux-musleabihf", "ld-musl-armhf.so.1"),
    "arm64": ("aarch64-linux-musl", "ld-musl-aarch64.so.1"),
    "riscv64": ("riscv64-linux-musl", "ld-musl-riscv64.so.1"),
}
MUSL_FOLDER = "BOOTLAB_MUSL"
"""Environment variable: the folder that scripts/fetch-musl.sh fills, one folder an architecture."""

# What differs from musl's own musl-gcc: -static-pie, and an include folder of the fixed headers of the compiler itself.
_SPECS = """\
%rename cpp_options old_cpp_options

*cpp_options:
-nostdinc -isystem {include} -isystem include%s %(old_cpp_options)

*cc1:
%(cc1_cpu) -nostdinc -isystem {include} -isystem include%s

*link_libgcc:
-L{lib} -L .%s

*libgcc:
libgcc.a%s %:if-exists(libgcc_eh.a%s)

*startfile:
%{{!shared: %{{static-pie:{lib}/rcrt1.o;:{lib}/Scrt1.o}}}} {lib}/crti.o crtbeginS.o%s

*endfile:
crtendS.o%s {lib}/crtn.o

*link:
%{{!static:%{{!static-pie:-dynamic-linker /lib/{loader}}}}} -nostdlib %{{shared:-shared}} %{{static:-static}} \
%{{static-pie:-static -pie --no-dynamic-linker -z text}} %{{rdynamic:-export-dynamic}}

*esp_link:


*esp_options:


*esp_cpp_options:


"""


class Compiler(msgspec.Struct, frozen=True, kw_only=True):
    """A C compiler for one architecture and C library.

    `prefix` stands before the names of its programs. `name` is what a build command calls: a program of PATH, or a
    script among `files` (name and text), which lie in one folder of PATH. `version` is its first line of `--version`;
    `identity` covers that, the C library and the start files. `musl`: the folder of musl's shared library.
    """

    arch: Arch
    libc: Libc
    prefix: str
    name: str
    version: str
    identity: str
    files: tuple[tuple[str, str], ...] = ()
    musl: str | None = None

    def tool(self, name: str) -> str:
        """Return the name of a program of binutils."""
        return f"{self.prefix}{name}"

    def library(self, name: str, folders: tuple[str, ...] = ()) -> Path | None:
        """Return the file of a shared library or loader, from the folders given or where the compiler looks."""
        for folder in (*folders, *((self.musl,) if self.musl else ())):
            for wanted in (name, "libc.so") if name.startswith("ld-musl-") else (name,):
                if (Path(folder) / wanted).is_file():
                    return (Path(folder) / wanted).resolve()
        if self.musl is not None:
            return None
        found = _says(f"{self.prefix}gcc", f"-print-file-name={name}")
        # gcc repeats a name that it does not find.
        return Path(found).resolve() if found.startswith("/") and Path(found).is_file() else None


def find(arch: Arch, libc: Libc, prefix: str | None) -> Compiler:
    """Find a compiler. Raise ToolMissing or SourceMissing with what to install."""
    if prefix is not None:
        name = f"{prefix}gcc"
        if shutil.which(name) is None:
            raise ToolMissing(
                name, package="(the one of this compiler)", needed_for=f"for a program whose compiler is {prefix!r}"
            )
        return _compiler(arch, libc, prefix, name)
    facts = ARCHITECTURES[arch]
    native = compiler_name(arch) == "cc"
    prefix = "" if native else facts.compiler.removesuffix("gcc")
    if shutil.which(f"{prefix}gcc") is None:
        packages = "gcc libc6-dev" if native else facts.compiler_packages
        raise ToolMissing(f"{prefix}gcc", package=packages, needed_for=f"to build programs for {arch}")
    if libc == "glibc":
        return _compiler(arch, libc, prefix, f"{prefix}gcc")
    return _musl(arch, prefix)


def musl_roots(arch: Arch) -> tuple[Path, ...]:
    """Return the folders that may hold Debian's musl-dev of an architecture, in the order they are looked at."""
    named = os.environ.get(MUSL_FOLDER)
    fetched = Path(named) if named else default_folder() / "musl"
    return (fetched / arch, Path("/"))


def _musl(arch: Arch, prefix: str) -> Compiler:
    triplet, loader = _MUSL[arch]
    for root in musl_roots(arch):
        lib = root / "usr" / "lib" / triplet
        shared = root / "lib" / triplet
        if not (lib / "libc.a").is_file():
            continue
        folder = lib if (lib / "libc.so").is_file() else shared
        specs = _SPECS.format(include=root / "usr" / "include" / triplet, lib=lib, loader=loader)
        name = f"{triplet}-gcc"
        # A linker finds -lc beside the static one: musl-dev's libc.so is a link out of the folder.
        script = f'#!/bin/sh\nexec {prefix}gcc "$@" -specs "$(dirname "$0")/{name}.specs" -L{folder}\n'
        found = _compiler(arch, "musl", prefix, f"{prefix}gcc", extra=(lib / "libc.a", folder / "libc.so"))
        files = ((name, script), (f"{name}.specs", specs))
        return msgspec.structs.replace(found, name=name, files=files, musl=str(folder))
    raise SourceMissing(
        f'musl for {arch} is not installed; it is needed to build programs with libc = "musl"',
        hint=f"install it: {host_packages.install('musl-tools')}   (this machine's own architecture), "
        f"or fetch it: scripts/fetch-musl.sh {arch}",
    )


def _compiler(arch: Arch, libc: Libc, prefix: str, name: str, extra: tuple[Path, ...] = ()) -> Compiler:
    version = _says(name, "--version").partition("\n")[0]
    parts: list[object] = ["compiler", arch, libc, version, _says(name, "-dumpmachine")]
    # What is linked in besides the sources: the C library's and the compiler's own.
    own = [Path(_says(name, f"-print-file-name={part}")) for part in ("libc.so.6", "libc.a", "crt1.o", "libgcc.a")]
    for path in (*own, *extra):
        status = path.stat() if path.is_file() else None
        parts.append((path.name, status and (status.st_size, status.st_mtime_ns)))
    return Compiler(arch=arch, libc=libc, prefix=prefix, name=name, version=version, identity=key_of(*parts))


def _says(program: str, option: str) -> str:
    done = subprocess.run(
        [program, option], capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}
    )
    return done.stdout.strip()
