# SPDX-License-Identifier: MIT
"""Processors as data: what each takes for what it executes, from manuals and measurements, one file a core.

A costing boot passes the figures of one to the plugin that models it. Nothing in the files is fitted to a boot.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec

from bootlab.errors import UserError
from bootlab.model.costs import Between

_WORD = re.compile(r"(?P<name>[a-z0-9-]{1,40})(?:@(?P<rate>\d{1,5}(?:\.\d{1,3})?)(?P<unit>[MG])Hz)?")
_GHZ_RANGE = (0.01, 10.0)
_FILE_BYTES_MAX = 1 << 20
Range = int | float | tuple[int | float, int | float]


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure of a core: its value or range, and the name of its source in the same file."""

    value: Annotated[Range, msgspec.Meta(description="cycles, or what the figure's name says")] = msgspec.field(
        name="is"
    )
    source: str = msgspec.field(name="from")

    @property
    def between(self) -> Between:
        """Its ends."""
        low, high = self.value if isinstance(self.value, tuple) else (self.value, self.value)
        return Between(float(low), float(high))


class Shape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of each a core has. Caches: `bytes:ways:line bytes`. `window` 0: it executes in order."""

    window: int
    misses: int
    stores: int
    streams: int
    history: int
    itlb: int
    dtlb: int
    tlb: int
    l1i: str
    l1d: str
    l2: str
    l3: str = ""
    source: str = msgspec.field(name="from")

    @property
    def line_bytes(self) -> int:
        """A line of the first data cache."""
        return int(self.l1d.rsplit(":", 1)[1])


class CoreFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A core's file."""

    title: str
    arch: tuple[str, ...]
    ghz: tuple[float, float]
    """Lowest and highest clock of the boards that have it; of one board that was measured: of its repeats."""
    sources: dict[str, str]
    shape: Shape
    figures: dict[str, Figure]


class ChosenCore(msgspec.Struct, frozen=True, kw_only=True):
    """A core at a clock: `ghz` is a range where the clock was not given."""

    word: str
    core: CoreFile
    ghz: Between

    @property
    def arguments(self) -> tuple[str, ...]:
        """The core's figures in the plugin's words, times in cycles (qemu-plugin/cost-core.c).

        The low end of what takes nanoseconds is in cycles of the highest clock, the high end in those of the lowest:
        each end of the forecast is a board of its own.
        """
        words = [
            f"{name}={_cycles(figure, name, self.ghz, self.core.shape.line_bytes)}"
            for name, figure in self.core.figures.items()
        ]
        named = [word.split("=", 1) for word in words]
        shape = msgspec.to_builtins(self.core.shape)
        return (
            *(f"{_argument(name)}={value}" for name, value in named),
            *(f"{name}={value}" for name, value in shape.items() if name != "from" and value != ""),
        )


@cache
def cores() -> Mapping[str, CoreFile]:
    """Return the cores that bootlab knows, by name."""
    from importlib.resources import files  # noqa: PLC0415 - its import delays systems without costs

    folder = files("bootlab.costs").joinpath("cores")
    found = (one for one in folder.iterdir() if one.name.endswith(".toml"))
    return {
        one.name.removesuffix(".toml"): msgspec.convert(tomllib.loads(one.read_text(encoding="utf-8")), CoreFile)
        for one in sorted(found, key=lambda one: one.name)
    }


def is_file(word: str) -> bool:
    """Tell whether a word names a file, and no core that bootlab knows."""
    return word.endswith(".toml") or "/" in word


def core_in(path: Path) -> CoreFile:
    """Return the core of a file: `[processor]` of a file of costs, or a file like those in `costs/cores`.

    Raise UserError.
    """
    hint = "`bootlab board calibrate` writes such a file"
    try:
        table = tomllib.loads(path.read_bytes()[:_FILE_BYTES_MAX].decode("utf-8"))
        return msgspec.convert(table.get("processor", table), CoreFile)
    except OSError as fault:
        raise UserError(f"the core {path} cannot be read: {fault.strerror}", hint=hint) from fault
    except (ValueError, RecursionError) as fault:
        raise UserError(f"{path} is no file of a core: {str(fault)[:200]}", hint=hint) from fault


def named_core(word: str) -> ChosenCore | None:
    """Return the core of a word such as `cortex-a53@1.2GHz`, or of a file; None for no core's name.

    Raise UserError for its clock, or its file.
    """
    if is_file(word):
        core = core_in(Path(word))
        return ChosenCore(word=word, core=core, ghz=Between(*core.ghz))
    match = _WORD.fullmatch(word)
    if match is None or match["name"] not in cores():
        return None
    core = cores()[match["name"]]
    ghz = Between(*core.ghz)
    if match["rate"] is not None:
        given = float(match["rate"]) / (1 if match["unit"] == "G" else 1000)
        if not _GHZ_RANGE[0] <= given <= _GHZ_RANGE[1]:
            raise UserError(f"{word}: a clock of {given:g} GHz cannot be", hint=f"for example {match['name']}@1GHz")
        ghz = Between(given, given)
    return ChosenCore(word=word, core=core, ghz=ghz)


def core_of(word: str, arch: str) -> ChosenCore:
    """Return the core of a word, for a machine. Raise UserError for a name that is not known, or another machine's."""
    chosen = named_core(word)
    if chosen is None:
        raise UserError(f"no core is called {word[:60]!r}", hint=f"known: {', '.join(cores())}; clock: NAME@1.2GHz")
    if arch not in chosen.core.arch:
        fitting = ", ".join(name for name, core in cores().items() if arch in core.arch)
        raise UserError(f"{chosen.core.title} does not execute code for {arch}", hint=f"for {arch}: {fitting}")
    return chosen


def _argument(name: str) -> str:
    return {"dram_ns": "dram", "l3_hit_ns": "l3_hit", "device_ns": "device", "line_mb_s": "line"}.get(name, name)


def _cycles(figure: Figure, name: str, ghz: Between, line_bytes: int) -> str:
    ends = figure.between
    if name == "line_mb_s":
        ends = Between(line_bytes * 1e3 / ends.high, line_bytes * 1e3 / ends.low)
    if name.endswith("_ns") or name == "line_mb_s":
        ends = Between(ends.low * ghz.high, ends.high * ghz.low)
    return f"{ends.low:.4f}:{ends.high:.4f}"
