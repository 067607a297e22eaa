# SPDX-License-Identifier: MIT
"""Reads a system file: TOML to a checked SystemDescription. Every mistake names file, key or line, and a way out."""

from __future__ import annotations

import datetime
import math
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bootlab.costs.named import OF_SYSTEM, RawCosts, costs_of_table
from bootlab.errors import UserError
from bootlab.model.cmdline import CommandLine
from bootlab.model.costs import Costs
from bootlab.model.key import file_keys, ranges
from bootlab.model.root import Root
from bootlab.model.root_place import mounted
from bootlab.model.system import Clockwork, Goal, Initramfs, Limits, Machine, SystemDescription
from bootlab.systemfile.boot_loader import boot_loader
from bootlab.systemfile.ends import earlier, shutdown
from bootlab.systemfile.entries import initramfs
from bootlab.systemfile.kernel import kernel
from bootlab.systemfile.patterns import NAME, check_of, marks_of, pattern_of
from bootlab.systemfile.place import Place
from bootlab.systemfile.problem import did_you_mean, translate
from bootlab.systemfile.programs import programs
from bootlab.systemfile.raw import RawClock, RawLimits, RawMachine, RawSystem
from bootlab.systemfile.root import root
from bootlab.systemfile.steps import steps
from bootlab.systemfile.storage import storage
from bootlab.systemfile.toml_text import read_table, read_text

_TARGETS = ("qemu", "replay")
_OWN_FIRMWARE = 'leave the key out; another firmware is given as machine.extra = ["-bios", "FILE"]'


def default_unpack_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder where archives named by a system file are unpacked: in bootlab's cache."""
    named = environ.get("BOOTLAB_CACHE")
    if named:
        return Path(named) / "archives"
    cache = environ.get("XDG_CACHE_HOME") or str(Path(environ.get("HOME") or Path.home()) / ".cache")
    return Path(cache) / "bootlab" / "archives"


def load(
    path: str | Path, *, environ: Mapping[str, str] = os.environ, unpack_dir: Path | None = None
) -> SystemDescription:
    """Read a system file. Raise SystemFileError for everything that is wrong with it."""
    text = read_text(Path(path), kind="system file", most_mib=4, write="bootlab new")
    return loads(text, path=str(path), environ=environ, unpack_dir=unpack_dir)


def loads(
    text: str, *, path: str = "system.toml", environ: Mapping[str, str] = os.environ, unpack_dir: Path | None = None
) -> SystemDescription:
    """Read a system from text. `path` is the name in errors; its folder is what relative paths start at."""
    place = Place(path=path, folder=Path(path).absolute().parent, environ=environ)
    table = read_table(text, path)
    try:
        raw = msgspec.convert(table, RawSystem)
    except msgspec.ValidationError as error:
        raise translate(error, root=RawSystem, value=table, path=path) from error
    place = msgspec.structs.replace(place, absent=raw.target == "replay")
    return _system(raw, place, unpack_dir if unpack_dir is not None else default_unpack_dir(environ))


def _system(raw: RawSystem, place: Place, unpack_dir: Path) -> SystemDescription:
    if not NAME.fullmatch(raw.name):
        raise place.error(
            f'"{raw.name[:80]}" cannot be a name',
            "name",
            "letters, digits, dot, dash and underscore, 64 at most: it becomes part of file names",
        )
    application = _one_of_two(raw.application, raw.kernel.application, "application", place)
    if application is not None and not application.startswith("/"):
        raise place.error(f'"{application}" is not an absolute path', "application", f'write "/{application}"')
    arguments = _arguments(raw, application, place)
    packed: Initramfs | None = None
    if raw.initramfs is not None:
        packed = initramfs(raw.initramfs, place, unpack_dir, empty=bool(raw.programs) and raw.root is None)
    if raw.machine.console_baud and raw.clock.mode == "exact":
        raise place.error(
            "console_baud slows the console by the host's clock, which exact mode does not use",
            "machine.console_baud",
            'clock.mode = "free", or leave the key out: reports model what a console costs in exact mode',
        )
    on_medium: Root | None = None
    if raw.root is not None:
        on_medium = root(raw.root, raw.machine, raw.storage, place, unpack_dir, empty=bool(raw.programs))
    system = SystemDescription(
        name=raw.name,
        target=_target(raw.target, place),
        machine=_machine(raw.machine, place),
        clock=_clock(raw.clock, place),
        kernel=kernel(raw.kernel, place),
        cmdline=_cmdline(raw, place),
        board_cmdline=_board_cmdline(raw, place),
        initramfs=packed,
        root=on_medium,
        programs=programs(raw, place),
        loader=boot_loader(raw.loader, place) if raw.loader is not None else None,
        storage=storage(raw.storage, place) if raw.storage is not None else None,
        goal=Goal(console=pattern_of(raw.goal.console, "goal.console", place), name=raw.goal.name),
        check=check_of(raw.check, place),
        marks=marks_of(raw.marks, place),
        limits=_limits(raw.limits, raw.clock.shift, place),
        earlier=earlier(raw.earlier, place),
        shutdown=shutdown(raw.shutdown, place),
        application=application,
        application_arguments=arguments,
        steps=steps(raw.steps, place, unpack_dir),
        costs=_costs(raw.costs, place),
        path=place.path,
        recordings=place.directory(raw.recordings, "recordings") if raw.recordings else None,
    )
    return mounted(system)


def _target(name: str, place: Place) -> str:
    # A package may bring a target of its own, so the names are not a Literal of the model.
    if name in _TARGETS:
        return name
    from importlib.metadata import entry_points  # noqa: PLC0415 - most systems are QEMU's

    known = (*_TARGETS, *sorted(point.name for point in entry_points(group="bootlab.targets")))
    if name not in known:
        raise place.error(f'expected one of {", ".join(known)}; got "{name[:80]}"', "target", did_you_mean(name, known))
    return name


def _one_of_two(top: str | None, kernel: str | None, key: str, place: Place) -> str | None:
    if top is not None and kernel is not None:
        raise place.error(f"{key} occurs twice: at the top and in [kernel]", f"kernel.{key}", "keep one of them")
    return top if top is not None else kernel


def _cmdline(raw: RawSystem, place: Place) -> CommandLine:
    text = _one_of_two(raw.cmdline, raw.kernel.cmdline, "cmdline", place)
    try:
        return CommandLine.parse(text or "")
    except UserError as error:
        where = "cmdline" if raw.cmdline is not None else "kernel.cmdline"
        raise place.error(error.message, where, error.hint) from error


def _board_cmdline(raw: RawSystem, place: Place) -> CommandLine | None:
    if raw.kernel.board_cmdline is None:
        return None
    try:
        return CommandLine.parse(raw.kernel.board_cmdline)
    except UserError as error:
        raise place.error(error.message, "kernel.board_cmdline", error.hint) from error


def _arguments(raw: RawSystem, application: str | None, place: Place) -> tuple[str, ...]:
    key, given = "application_arguments", tuple(raw.application_arguments)
    if given and application is None:
        raise place.error("arguments, but no application", key, 'application = "/usr/bin/app"')
    for index, argument in enumerate(given):
        try:
            kept = CommandLine.parse(str(CommandLine(init_args=(argument,)))).init_args == (argument,)
        except UserError:
            kept = False
        if not kept:
            raise place.error(
                f"no kernel command line can hold {argument[:80]!r} as one word",
                f"{key}[{index}]",
                "one argument an entry, without quotes and line breaks; or name a script that starts the application",
            )
    return given


def _costs(raw: RawCosts | None, place: Place) -> Costs | None:
    if raw is None:
        return None
    try:
        return costs_of_table(raw, OF_SYSTEM)
    except UserError as error:
        raise place.error(error.message, "costs", error.hint) from error


def _number(value: int, low: int, high: int, where: str, place: Place, hint: str = "") -> int:
    if not low <= value <= high:
        raise place.error(f"expected {low} to {high}, got {value}", where, hint)
    return value


def _within(raw: RawMachine | RawClock, table: str, place: Place) -> None:
    for name, (least, most, hint) in ranges(type(raw)).items():
        _number(getattr(raw, name), least, most, f"{table}.{name}", place, hint)


def _files(given: str | tuple[str, ...] | None, where: str, place: Place) -> str | tuple[str, ...] | None:
    if isinstance(given, tuple):
        return tuple(place.file(file, f"{where}[{i}]") if file else "" for i, file in enumerate(given))
    return place.file(given, where) if given is not None else None


def _machine(raw: RawMachine, place: Place) -> Machine:
    for key in ("type", "cpu"):
        given = getattr(raw, key)
        if given is not None and not given.strip():
            raise place.error("expected QEMU's name for it, got empty text", f"machine.{key}", "leave the key out")
    for key, texts in msgspec.structs.asdict(raw).items():
        for index, text in enumerate(texts if isinstance(texts, tuple) else ()):
            # A bank of flash may be left without an image.
            if "\0" in text or not (text or key == "flash"):
                raise place.error("expected a text, got an empty one or a NUL byte", f"machine.{key}[{index}]")
    emulator = raw.emulator
    if emulator is not None:
        # A bare name is looked up in PATH by the target; anything with a slash is a path like every other.
        has_folder = "/" in emulator or emulator.startswith(("~", "$"))
        emulator = place.file(emulator, "machine.emulator") if has_folder else emulator
    if raw.arch != "x86_64" and raw.firmware != "default":
        raise place.error(
            f'"{raw.firmware}" is firmware of x86 machines; this one is {raw.arch}', "machine.firmware", _OWN_FIRMWARE
        )
    _within(raw, "machine", place)
    found = {
        "type": raw.type or "",
        "cpu": raw.cpu or "",
        **{key: _files(getattr(raw, key), f"machine.{key}", place) for key in file_keys(Machine) - {"emulator"}},
        "emulator": emulator,
    }
    return Machine(**msgspec.structs.asdict(raw) | found)


def _clock(raw: RawClock, place: Place) -> Clockwork:
    try:
        moment = datetime.datetime.fromisoformat(raw.rtc_base)
    except ValueError as error:
        raise place.error(
            f'"{raw.rtc_base}" is not a date and time', "clock.rtc_base", 'write it like "2026-01-01T00:00:00"'
        ) from error
    if moment.tzinfo is not None:
        raise place.error("the guest's clock has no time zone", "clock.rtc_base", "leave the zone out: it is UTC")
    _within(raw, "clock", place)
    return Clockwork(**msgspec.structs.asdict(raw) | {"rtc_base": moment.replace(microsecond=0).isoformat()})


def _limits(raw: RawLimits, shift: int, place: Place) -> Limits:
    given = {key: value for key, value in msgspec.structs.asdict(raw).items() if value is not None}
    for key, value in given.items():
        if not (math.isfinite(value) and value > 0):
            raise place.error(f"expected seconds above 0, got {value:g}", f"limits.{key}")
    return msgspec.structs.replace(Limits.usual(shift), **given)
