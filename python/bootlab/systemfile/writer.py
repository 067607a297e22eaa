# SPDX-License-Identifier: MIT
"""A system back as TOML, with its images as files: what `stack` and `rootfs trim` hand over."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.costs import Between, Costs
from bootlab.model.earlier import Earlier
from bootlab.model.key import file_keys
from bootlab.model.shutdown import Shutdown
from bootlab.model.system import Limits, Machine, SystemDescription
from bootlab.systemfile.toml_text import listed, quoted

# Keys of [machine] that hold paths, in which the loader expands variables.
_PATHS = file_keys(Machine)


Made = Literal["stacked", "trimmed", "optimized"]
"""What became of a system; the end of its new name."""


def system_toml(system: SystemDescription, files: dict[str, str], made: Made = "stacked") -> str:
    """Write a system file that boots the files given (`kernel`, `initramfs`), which lie beside it."""
    what = "the system with a trimmed root tree" if made == "trimmed" else "the faster system"
    paths = "Paths are relative to this file." if "kernel" in files else "It was played back: there are no images."
    lines = [
        f"# Written by bootlab: {what}. {paths}",
        f"name = {quoted(f'{system.name[:56]}-{made}')}",
        f"cmdline = {quoted(str(system.cmdline))}",
    ]
    if system.application:
        lines.append(f"application = {quoted(system.application)}")
    if system.application_arguments:
        lines.append(f"application_arguments = [{', '.join(map(quoted, system.application_arguments))}]")
    lines += ["", "[kernel]", 'image = "kernel"']
    if system.board_cmdline is not None:
        lines.append(f"board_cmdline = {quoted(str(system.board_cmdline))}")
    lines += [f"form = {quoted(system.kernel.form)}"] if system.kernel.form != "image" else []
    lines += [f"flash = {quoted(system.kernel.flash)}"] if system.kernel.flash is not None else []
    for name in ("config", "symbols"):
        if path := getattr(system.kernel, name):
            lines.append(f"{name} = {_path(path)}")
    lines += ["", "[machine]", *_changed(system.machine, Machine(arch=system.machine.arch))]
    lines += ["", "[clock]", *(f"{k} = {_value(v)}" for k, v in msgspec.structs.asdict(system.clock).items())]
    if system.loader is not None and system.loader.uefi is not None:
        # Its disk is none that a board starts from; what one EFI program holds is in no other file.
        if system.loader.start == "stub":
            lines += ["", "[loader]", f"uefi = {_path(system.loader.uefi)}", 'start = "stub"']
    elif system.loader is not None and "card" in files:
        lines += ["", "[loader]", f"card = {quoted(files['card'].rsplit('/', 1)[-1])}"]
        lines.append(f"start = {quoted(system.loader.start)}")
    if system.initramfs is not None and "initramfs" in files:
        # An archive alone boots as the file it is.
        lines += ["", "[initramfs]"]
        lines.append(f"archive = {quoted(files['initramfs'].rsplit('/', 1)[-1])}")
        if system.initramfs.keep:
            lines.append(f"keep = {listed(system.initramfs.keep)}")
    lines += _costs(system.costs)
    lines += ["", "[goal]", f"console = {quoted(system.goal.console)}", f"name = {quoted(system.goal.name)}"]
    if system.check.console or system.check.command:
        lines += ["", "[check]"]
        lines += [f"console = {listed(system.check.console)}"] if system.check.console else []
        lines += [f"command = {listed(system.check.command)}"] if system.check.command else []
    if system.marks:
        lines += ["", "[marks]", *(f"{quoted(name)} = {quoted(pattern)}" for name, pattern in system.marks)]
    lines += [*_all_of("earlier", system.earlier), *_all_of("shutdown", system.shutdown)]
    lines += ["", "[limits]", *_changed(system.limits, Limits.usual(system.clock.shift))]
    return "\n".join(lines) + "\n"


def _all_of(table: str, value: Earlier | Shutdown | None) -> list[str]:
    given = {} if value is None else {k: v for k, v in msgspec.structs.asdict(value).items() if v != ""}
    return ["", f"[{table}]", *(f"{key} = {_value(v)}" for key, v in given.items())] if given else []


def _costs(costs: Costs | None) -> list[str]:
    """Write a board's costs as they are, whatever words they were given by."""
    if costs is None:
        return []
    lines = (
        []
        if costs.console is None
        else _table(
            "console",
            baud=costs.console.baud,
            bits_per_character=costs.console.bits_per_character,
            source=costs.console.source,
        )
    )
    if costs.medium is not None:
        medium = costs.medium
        lines += _table(
            "medium",
            name=medium.name,
            megabytes_per_s=medium.bytes_per_s.scaled(1e-6),
            request_us=medium.request_ns.scaled(1e-3),
            request_kib=medium.request_bytes >> 10,
            source=medium.source,
        )
    if costs.core is not None:
        core = costs.core
        lines += _table("core", name=core.name, instruction_ns=core.instruction_ns, source=core.source)
    return lines


def _table(table: str, /, **values: Between | str | int) -> list[str]:
    written = (f"[{v.low!r}, {v.high!r}]" if isinstance(v, Between) else _value(v) for v in values.values())
    return ["", f"[costs.{table}]", *(f"{key} = {value}" for key, value in zip(values, written, strict=True))]


def _changed(value: Machine | Limits, default: Machine | Limits) -> list[str]:
    out: list[str] = []
    for field in value.__struct_fields__:
        now = getattr(value, field)
        if now is None or (now == getattr(default, field) and (field != "arch" or now == Machine().arch)):
            continue
        if isinstance(now, tuple):
            out.append(f"{field} = [{', '.join(_path(v) if field in _PATHS else quoted(v) for v in now)}]")
        else:
            out.append(f"{field} = {_path(now) if field in _PATHS else _value(now)}")
    return out


def _value(value: str | float) -> str:
    return quoted(value) if isinstance(value, str) else str(value)


def _path(path: str) -> str:
    # The loader expands variables in paths.
    return quoted(path.replace("$", "$$"))
