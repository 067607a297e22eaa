# SPDX-License-Identifier: MIT
"""`[programs]` of a system file: what is built from source and put into the tree."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import msgspec

from bootlab.errors import UserError
from bootlab.formats.names import check_name
from bootlab.model.program import Program
from bootlab.systemfile.entries import file_mode
from bootlab.systemfile.place import Place
from bootlab.systemfile.problem import translate
from bootlab.systemfile.raw import RawSystem
from bootlab.systemfile.raw_tree import RawProgram

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = frozenset({"OUT", "DESTDIR", "SRC", "HOME", "PATH"})


def programs(raw: RawSystem, place: Place) -> tuple[Program, ...]:
    """Check the tables. Raise SystemFileError."""
    if raw.programs and raw.initramfs is None and raw.root is None:
        what = "programs are built, and there is no tree for them"
        raise place.error(what, "programs", "add a table [initramfs] or [root]")
    return read_programs(raw.programs, "programs", place)


def read_programs(raw: dict[str, Any], table: str, place: Place) -> tuple[Program, ...]:
    """Check the programs of a table. Raise SystemFileError."""
    return tuple(_program(path, one, f'{table}."{path}"', place) for path, one in raw.items())


def _program(path: str, value: Any, where: str, place: Place) -> Program:
    try:
        raw = msgspec.convert(value, RawProgram)
    except msgspec.ValidationError as error:
        raise translate(error, root=RawProgram, value=value, path=place.path, prefix=where) from error
    try:
        checked = check_name(path)
    except UserError as error:
        raise place.error(error.message, where, error.hint) from error
    if raw.compiler is not None and raw.libc == "musl":
        raise place.error(
            "another compiler has its own C library", f"{where}.libc", "leave out one of compiler and libc"
        )
    if not raw.build and not any(name.endswith((".c", ".S")) for name in raw.sources) and not place.absent:
        raise place.error(
            "neither a build command nor a C file is given",
            where,
            'add sources = ["app.c"], or build = "make && cp app $OUT"',
        )
    for name in raw.variables:
        if not _VARIABLE.fullmatch(name) or name in _OURS:
            raise place.error(
                f"{name[:80]!r} cannot be set here", f"{where}.variables", "bootlab sets it, or no shell can"
            )
    return Program(
        path=checked,
        sources=tuple(_source(name, f"{where}.sources[{i}]", place) for i, name in enumerate(raw.sources)),
        build=raw.build,
        compiler=_compiler(raw.compiler, f"{where}.compiler", place),
        libc=raw.libc,
        link=raw.link,
        cflags=_flags(raw.cflags, f"{where}.cflags", place),
        ldflags=_flags(raw.ldflags, f"{where}.ldflags", place),
        libs=_flags(raw.libs, f"{where}.libs", place),
        variables=tuple(
            (name, place.expand(value, f"{where}.variables.{name}")) for name, value in raw.variables.items()
        ),
        library_dirs=tuple(
            place.directory(name, f"{where}.library_dirs[{i}]") for i, name in enumerate(raw.library_dirs)
        ),
        strip=raw.strip,
        mode=file_mode(raw.mode, 0o755, place, where),
    )


def _source(name: str, where: str, place: Place) -> str:
    found = Path(place.resolve(name, where))
    return place.directory(name, where) if found.is_dir() else place.file(name, where)


def _compiler(prefix: str | None, where: str, place: Place) -> str | None:
    if prefix is None or not prefix.startswith(("~", "$", ".")):
        return prefix
    return place.resolve(prefix, where)


def _flags(text: str, where: str, place: Place) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise place.error(f"{text[:80]!r} cannot be split into flags: {error}", where) from error
