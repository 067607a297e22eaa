# SPDX-License-Identifier: MIT
"""BusyBox built from source with the applets that a system wants: static, for four architectures, once each.

The key of a binary is made of the source's contents, the resolved configuration and the compiler, so that two requests
that come to the same are one build.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

import msgspec

from bootlab.builders import busybox_config
from bootlab.builders.cache import Cache, default_folder, key_of
from bootlab.builders.guest_program import compiler_for
from bootlab.builders.kbuild import build_log
from bootlab.builders.kbuild.make_run import Make, run
from bootlab.builders.kbuild.toolchain import first_line
from bootlab.errors import ProgramBuildError, SourceMissing, ToolMissing, UserError, cannot_write
from bootlab.kernelsource.configuration import read_config, write_config
from bootlab.model.architecture import Arch
from bootlab.model.tree import BusyboxBuild, Entry, FileTree

SOURCE_VARIABLE = "BOOTLAB_BUSYBOX_SOURCE"
_VERSION = 1
"""Raise it when the same request shall be built in another way than before."""

_DEBIAN_BASE = "debian/config/pkg/static"
# The kernel's names, which BusyBox's Makefile takes over; its arch/ has flags for i386 only.
_ARCH = {"x86_64": "x86_64", "arm": "arm", "arm64": "arm64", "riscv64": "riscv"}
_NEEDED_FOR = "to build BusyBox"


class _Request(msgspec.Struct, frozen=True):
    source: Path
    contents: str
    compiler: str
    asked: dict[str, str]
    checked: tuple[str, ...]
    arch: Arch


def build(wanted: BusyboxBuild, arch: Arch, cache: Cache) -> Path:
    """Return the binary of a request for an architecture, from the cache or built.

    Raise UserError for an applet that there is none, ProgramBuildError for what does not compile, ToolMissing, and
    EnvironmentFault without a source.
    """
    request = _look_up(wanted, arch)
    key = key_of(
        "busybox",
        _VERSION,
        request.contents,
        request.compiler,
        request.arch,
        sorted(request.asked.items()),
        request.checked,
    )
    return cache.file(key, ".busybox", lambda path: _make(request, path, cache.root))


def with_busybox(tree: FileTree, arch: Arch, cache: Cache) -> FileTree:
    """Return a tree in which each BusyBox that was to be built is a file. Raise what `build` raises."""
    if not any(entry.busybox is not None for _, entry in tree.entries):
        return tree
    return FileTree(tuple((path, _built(entry, arch, cache)) for path, entry in tree.entries))


def _built(entry: Entry, arch: Arch, cache: Cache) -> Entry:
    if entry.busybox is None:
        return entry
    return msgspec.structs.replace(entry, source=str(build(entry.busybox, arch, cache)), busybox=None)


def source_folder(source: str) -> Path:
    """Return the source tree that a request names. Raise EnvironmentFault or UserError when there is none."""
    if source != "debian":
        folder = Path(source)
        if not _is_source(folder):
            raise UserError(f"{folder} is not a BusyBox source tree", hint="it must contain Makefile and shell/ash.c")
        return folder
    named = os.environ.get(SOURCE_VARIABLE)
    folder = Path(named) if named else default_folder() / "busybox-source"
    if not _is_source(folder):
        raise SourceMissing(
            f"the source of BusyBox is not in {folder}",
            hint=f"scripts/fetch-busybox-source.sh {folder}   ({SOURCE_VARIABLE} names another folder)",
        )
    return folder


def _is_source(folder: Path) -> bool:
    return (folder / "Makefile").is_file() and (folder / "shell" / "ash.c").is_file()


def _look_up(wanted: BusyboxBuild, arch: Arch) -> _Request:
    for tool in ("make", "setpriv"):
        if shutil.which(tool) is None:
            raise ToolMissing(tool, package="make" if tool == "make" else "util-linux", needed_for=_NEEDED_FOR)
    compiler = compiler_for(arch, _NEEDED_FOR)
    folder = source_folder(wanted.source).resolve()
    known = _known(folder)
    base_file = folder / _DEBIAN_BASE
    base = read_config(base_file.read_text(encoding="utf-8")) if base_file.is_file() else {}
    asked = busybox_config.reduced(base, known, wanted.applets, wanted.options)
    checked = [name for name, _ in wanted.options]
    checked += [option for applet in wanted.applets for option in known[applet]]
    return _Request(
        source=folder,
        contents=_contents(folder),
        compiler=first_line(compiler),
        asked=asked,
        checked=tuple(dict.fromkeys(checked)),
        arch=arch,
    )


@functools.cache
def _known(folder: Path) -> dict[str, tuple[str, ...]]:
    return busybox_config.applet_options(folder)


@functools.cache
def _contents(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            digest.update(f"{file.relative_to(folder)} {file.stat().st_mode & 0o111}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _make(request: _Request, path: Path, root: Path) -> None:
    """Configure and compile in a copy of the source, which is never written into."""
    log = root / "busybox.log"
    with tempfile.TemporaryDirectory(prefix="busybox-", dir=root / "new") as work:
        tree = Path(work) / "source"
        try:
            shutil.copytree(request.source, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", "*.o"))
            (tree / "obj").mkdir()
            (tree / "obj" / ".config").write_text(write_config(request.asked), encoding="utf-8")
        except OSError as error:
            raise cannot_write(f"BusyBox's source cannot be copied to {work}", error, root) from error
        log = log.with_name(f"busybox-{path.name[:16]}.log")
        log.unlink(missing_ok=True)
        call = Make(tree=tree, variables=_variables(request), jobs=len(os.sched_getaffinity(0)))
        # Each question that the base leaves open gets its default: the standard input is empty.
        _run(call, "oldconfig", log)
        got = read_config((tree / "obj" / ".config").read_text(encoding="utf-8"))
        if no := busybox_config.refused(request.asked, got, request.checked):
            raise ProgramBuildError(
                f"BusyBox's configuration does not accept {no}", hint="check the options that it depends on"
            )
        _link(call, log)
        shutil.copyfile(tree / "obj" / "busybox", path)
    log.unlink(missing_ok=True)


def _variables(request: _Request) -> dict[str, str]:
    program = compiler_for(request.arch, _NEEDED_FOR)
    prefix = Path(program).name.removesuffix("gcc") if Path(program).name != "cc" else ""
    ccache = {"CC": f"ccache {prefix}gcc"} if shutil.which("ccache") else {}
    return {"ARCH": _ARCH[request.arch], "CROSS_COMPILE": prefix, "KBUILD_VERBOSE": "0", **ccache}


def _link(call: Make, log: Path) -> None:
    """Make the binary; what the library lacks for the applets chosen is added to it, and nothing else made anew."""
    while True:
        try:
            _run(call, "busybox", log)
        except ProgramBuildError:
            lacking = busybox_config.undefined(log.read_text(encoding="utf-8", errors="replace"))
            if not busybox_config.build_what_defines(call.tree, lacking):
                raise
            log.unlink()
        else:
            return


def _run(call: Make, target: str, log: Path) -> None:
    if run(call, (target,), log, line=lambda _: None, extra={"KCONFIG_NOTIMESTAMP": "1"}) == 0:
        return
    error = build_log.first_error(log)
    raise ProgramBuildError(f"BusyBox does not build: {error}", hint=f"the whole log: {log}")
