# SPDX-License-Identifier: MIT
"""`[[steps]]` of a system file: what `bootlab steps` does one after the other."""

from __future__ import annotations

import re
from pathlib import Path

from bootlab.errors import UserError
from bootlab.model.cmdline import CommandLine, Param
from bootlab.model.steps import Step
from bootlab.systemfile.entries import read_files
from bootlab.systemfile.patterns import NAME, compiled
from bootlab.systemfile.place import Place
from bootlab.systemfile.programs import read_programs
from bootlab.systemfile.raw import RawStep

_KEY = re.compile(r"[^\s=\"]+")


def steps(raw: list[RawStep], place: Place, unpack_dir: Path) -> tuple[Step, ...]:
    """Check every step. Raise SystemFileError."""
    found: list[Step] = []
    for index, one in enumerate(raw):
        where = f"steps[{index}]"
        step = _step(one, where, place, unpack_dir)
        if any(step.name == other.name for other in found):
            raise place.error(f"there are two steps {step.name}", f"{where}.name", "give each one its own name")
        found.append(step)
    return tuple(found)


def _step(raw: RawStep, where: str, place: Place, unpack_dir: Path) -> Step:
    if not NAME.fullmatch(raw.name):
        raise place.error(
            f'"{raw.name[:80]}" cannot be a step\'s name',
            f"{where}.name",
            "letters, digits, dot, dash and underscore, 64 at most; title takes any text",
        )
    for key in ("remove", "keep"):
        for index, pattern in enumerate(getattr(raw, key)):
            if not pattern.startswith("/"):
                message = f'"{pattern[:80]}" is not an absolute path or pattern'
                raise place.error(message, f"{where}.{key}[{index}]", f'write "/{pattern[:80]}"')
    for index, key in enumerate(raw.drop):
        if not _KEY.fullmatch(key):
            raise place.error(
                f"{key[:80]!r} is not the name of a parameter", f"{where}.drop[{index}]", "write it without ="
            )
    tree = read_files(raw, where, place, unpack_dir)
    programs = read_programs(raw.programs, f"{where}.programs", place)
    if not (
        programs or raw.remove or tree.entries or raw.drop or raw.set or raw.arguments is not None or raw.technique
    ):
        raise place.error(
            "this step does nothing", where, "give dir, files, programs, remove, set, drop, arguments or technique"
        )
    if not (raw.shown or raw.gone or raw.technique):
        raise place.error(
            "nothing would prove this step",
            where,
            "give shown or gone: a pattern for the console, or for lines such as 'mapped /bin/app /lib/libc.so.6'",
        )
    return Step(
        name=raw.name,
        title=raw.title,
        remove=tuple(raw.remove),
        keep=tuple(raw.keep),
        tree=tree,
        programs=programs,
        drop=tuple(raw.drop),
        set=tuple(_param(text, f"{where}.set[{index}]", place) for index, text in enumerate(raw.set)),
        arguments=None if raw.arguments is None else tuple(raw.arguments),
        technique=raw.technique,
        shown=_pattern(raw.shown, f"{where}.shown", place),
        gone=_pattern(raw.gone, f"{where}.gone", place),
        published=raw.published,
    )


def _param(text: str, where: str, place: Place) -> Param:
    try:
        line = CommandLine.parse(text)
    except UserError as error:
        raise place.error(error.message, where, error.hint) from error
    if len(line.params) != 1 or line.init_args:
        raise place.error(f"{text[:80]!r} is not one parameter", where, 'one text each: ["quiet", "init=/sbin/app"]')
    return line.params[0]


def _pattern(text: str | None, where: str, place: Place) -> str:
    if text is None:
        return ""
    if compiled(text, where, place).search(""):
        raise place.error(f"{text!r} also matches an empty line", where, "name some text")
    return text
