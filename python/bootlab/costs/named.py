# SPDX-License-Identifier: MIT
"""A board's costs by name: words such as `sd-card-20MB,115200`, presets of media, or a file of the user's."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec

from bootlab.costs.cores import CoreFile, named_core
from bootlab.errors import UserError
from bootlab.model.cmdline import CommandLine
from bootlab.model.costs import LINE_TIMES, READ_TIMES, Between, BoardConsole, BoardMedium, Core, Costs
from bootlab.model.key import key

_WORDS_HINT = (
    "a baud rate (115200), a medium (emmc-hs200, sd-card-20MB), a core (cortex-a53@1.2GHz) or an instruction's time "
    "(1.2ns), or a TOML file"
)
_FILE_BYTES_MAX = 1 << 20
# A rate of one's own behind a name: sd-card-20MB, flash-5.5MB.
_OWN_RATE = re.compile(r"(?P<name>[a-z][a-z0-9-]{0,40}?)-(?P<rate>\d+(?:\.\d+)?)MB")
_INSTRUCTION = re.compile(r"(?P<low>\d+(?:\.\d+)?)(?:-(?P<high>\d+(?:\.\d+)?))?ns")
FORMAT, VERSION = "bootlab-costs", 1
OF_SYSTEM = "[costs]"
"""The name of costs that stand in the system file."""
NO_CONSOLE = "no-console"
BAUD_RANGE = (50, 10**15)
_OFF_LINE = "; its pauses in 28 logs were 3.3 % shorter to 9.6 % longer"
_OFF_READ = "; 16 loads at a known rate were up to 2.7 % off"
_NO_TIME = Between(float(BAUD_RANGE[1]), float(BAUD_RANGE[1]))

Number = int | float
Range = Number | tuple[Number, Number]


class RawMedium(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[medium]`: a preset, or rates of one's own. Megabytes are 10^6 bytes."""

    preset: Annotated[str | None, key("one of the media that bootlab knows; the other keys override it")] = None
    name: Annotated[str, key("its name in reports")] = ""
    megabytes_per_s: Annotated[
        Range | None,
        key(
            "rate of reading, in 10^6 bytes a second: a number, which counts as 2.7 % more or less (so far was the"
            " model off at known rates), or a list of lowest and highest, which is taken at its word"
        ),
    ] = None
    request_us: Annotated[
        Range, key("latency of each request, microseconds: a number, or a list of lowest and highest")
    ] = 0
    request_kib: Annotated[int, key("the largest request in KiB; 0: one request for each file")] = 0
    source: Annotated[str, key("where the values come from; reports show it")] = ""


class RawConsole(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[console]`."""

    baud: Annotated[
        Range,
        key(
            "bits a second: a number, which counts as 3.3 % faster to 9.6 % slower (so far was the model off at known "
            "rates); a list of two, lowest and highest, is taken at its word. Left out: the rate in `console=` of the "
            "command line; without one the rate is unknown"
        ),
    ]
    bits_per_character: Annotated[int, key("10: a start bit, eight data bits, a stop bit")] = 10
    source: Annotated[str, key("where the value comes from; reports show it")] = ""


class RawCore(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[core]`."""

    name: Annotated[str, key("its name in reports")] = "own"
    instruction_ns: Annotated[
        Range,
        key(
            "what an instruction takes on average in a boot, waits for caches and memory included, nanoseconds: a"
            " number, or a list of lowest and highest. Left out (without `[costs.core]`): as exact mode counts it"
        ),
    ]
    source: Annotated[str, key("where the value comes from; reports show it")] = ""


class RawCosts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of costs, or `[costs]` of a system. `board`: words, which the tables then add to."""

    board: Annotated[str, key('words, as `--costs` takes them: `"sd-card-20MB,115200"`; the tables override them')] = ""
    console: RawConsole | None = None
    medium: RawMedium | None = None
    core: RawCore | None = None


class RawCostsFile(RawCosts, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of costs. `processor`: a core, as `bootlab board calibrate` measured it; a costing boot tells its time."""

    processor: CoreFile | None = None
    format: str = FORMAT
    version: int = VERSION


@cache
def media() -> Mapping[str, BoardMedium]:
    """Return the presets of media by name, from the file that states their sources."""
    from importlib.resources import files  # noqa: PLC0415 - its import delays systems without costs

    table = tomllib.loads(files("bootlab.costs").joinpath("media.toml").read_text(encoding="utf-8"))
    raw = msgspec.convert(table, dict[str, RawMedium])
    return {name: _medium(msgspec.structs.replace(one, name=name), f"media.toml: {name}") for name, one in raw.items()}


def costs_of(given: str) -> Costs:
    """Return what a user's words say, or a file that they name. Raise UserError, which says what is known."""
    if given.endswith(".toml") or "/" in given:
        return _of_file(Path(given))
    found = Costs(name=given)
    for word in filter(None, (part.strip() for part in given.split(","))):
        found = _with_word(found, word)
    if found == Costs(name=given):
        raise UserError("the costs are empty", hint=_WORDS_HINT)
    return found


def costs_of_table(raw: RawCosts, name: str) -> Costs:
    """Return what a table says; `name`: of the file or the system. Raise UserError for a value that cannot be."""
    found = costs_of(raw.board) if raw.board else Costs(name=name)
    if raw.console is not None:
        bits = raw.console.bits_per_character
        if not 7 <= bits <= 13:
            raise UserError(f"{name}: {bits} bits a character are none of a serial line", hint="10: 8N1")
        baud = _line(_between(raw.console.baud, f"{name}: console.baud", *BAUD_RANGE))
        console = BoardConsole(baud=baud, bits_per_character=bits, source=raw.console.source)
        found = msgspec.structs.replace(found, console=console)
    if raw.medium is not None:
        found = msgspec.structs.replace(found, medium=_medium(raw.medium, f"{name}: medium"))
    if raw.core is not None:
        ns = _between(raw.core.instruction_ns, f"{name}: core.instruction_ns", 0.01, 10_000)
        core = Core(name=raw.core.name[:80], instruction_ns=ns, source=raw.core.source)
        found = msgspec.structs.replace(found, core=core, modelled="")
    tables = (raw.console, raw.medium, raw.core) != (None, None, None)
    return found if raw.board and not tables else msgspec.structs.replace(found, name=name)


def known_on(costs: Costs, cmdline: CommandLine) -> Costs:
    """Return the costs with the console's rate that a command line names, where they do not say one themselves."""
    baud = cmdline.console_baud
    if costs.console is not None or not baud or baud < BAUD_RANGE[0]:
        return costs
    source = f"{baud:g} on the command line{_OFF_LINE}"
    return msgspec.structs.replace(costs, console=BoardConsole(baud=_line(Between(baud, baud)), source=source))


def costs_in(path: str) -> Costs:
    """Return the costs of a file with a core: none beside it where it holds a core alone, as in `costs/cores`.

    Raise UserError.
    """
    table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    return _of_file(Path(path)) if "processor" in table else Costs(name=path, modelled=path)


def _of_file(path: Path) -> Costs:
    hint = f"[console] baud = 115200, [medium] preset or megabytes_per_s; or words: {_WORDS_HINT}"
    try:
        with path.open("rb") as stream:
            data = stream.read(_FILE_BYTES_MAX + 1)
        if len(data) > _FILE_BYTES_MAX:
            raise UserError(f"{path} is too large for a file of costs", hint=hint)
        raw = msgspec.toml.decode(data, type=RawCostsFile)
    except OSError as fault:
        raise UserError(f"the costs {path} cannot be read: {fault.strerror}", hint=hint) from fault
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise UserError(f"the costs {path}: {fault}", hint=hint) from fault
    if (raw.format, raw.version) != (FORMAT, VERSION):
        raise UserError(f"{path} is {raw.format!r}, version {raw.version}: no file of costs of this bootlab", hint=hint)
    if raw == RawCostsFile():
        raise UserError(f"the costs {path} say nothing", hint=hint)
    found = costs_of_table(raw, path.name)
    if raw.processor is not None:
        if found.modelled or found.core is not None:
            raise UserError(f"the costs {path} name two values for the core", hint=hint)
        found = msgspec.structs.replace(found, modelled=str(path))
    return msgspec.structs.replace(found, name=str(path))


def _with_word(costs: Costs, word: str) -> Costs:
    if word.isascii() and word.isdigit():
        baud = _between(int(word), "the console", *BAUD_RANGE)
        return _once(costs, "console", BoardConsole(baud=_line(baud), source=f"{word} given{_OFF_LINE}"))
    if word == NO_CONSOLE:
        return _once(costs, "console", BoardConsole(baud=_NO_TIME, source="nothing is printed"))
    if named_core(word) is not None:
        if costs.modelled or costs.core is not None:
            raise UserError(f"the costs {costs.name[:80]} name two values for the core", hint=_WORDS_HINT)
        return msgspec.structs.replace(costs, modelled=word)
    if match := _INSTRUCTION.fullmatch(word):
        if costs.modelled:
            raise UserError(f"the costs {costs.name[:80]} name two values for the core", hint=_WORDS_HINT)
        low = float(match["low"])
        ns = _between((low, float(match["high"] or low)), "the processor", 0.01, 10_000)
        return _once(costs, "core", Core(name=word, instruction_ns=ns, source="given"))
    if word in media():
        return _once(costs, "medium", media()[word])
    if match := _OWN_RATE.fullmatch(word):
        rate = _between(float(match["rate"]), f"the medium {word}", 0.001, 1e6)
        source = f"{match['rate']} MB/s given{_OFF_READ}"
        own = BoardMedium(name=match["name"], bytes_per_s=_read(rate).scaled(1e6), source=source)
        return _once(costs, "medium", own)
    raise UserError(f"{word[:60]!r} is not known of a board; media: {', '.join(media())}", hint=_WORDS_HINT)


def _line(baud: Between) -> Between:
    """Return the rates that a line of one rate may have in effect; a range is taken at its word."""
    if not baud.known or baud == _NO_TIME:
        return baud
    return Between(baud.low / LINE_TIMES.high, baud.high / LINE_TIMES.low)


def _read(rate: Between) -> Between:
    """Return the rates at which a medium of one rate may give images; a range is taken at its word."""
    return Between(rate.low / READ_TIMES.high, rate.high / READ_TIMES.low) if rate.known else rate


def _once(costs: Costs, part: str, value: BoardConsole | BoardMedium | Core) -> Costs:
    if getattr(costs, part) is not None:
        raise UserError(f"the costs {costs.name[:80]} name two values for the {part}", hint=_WORDS_HINT)
    return msgspec.structs.replace(costs, **{part: value})


def _medium(raw: RawMedium, where: str) -> BoardMedium:
    own: dict[str, Any] = {}
    if raw.megabytes_per_s is not None:
        rate = _between(raw.megabytes_per_s, f"{where}.megabytes_per_s", 0.001, 1e6)
        own["bytes_per_s"] = _read(rate).scaled(1e6)
    if raw.request_us != 0:
        late = _between(raw.request_us, f"{where}.request_us", 0, 1e7)
        own["request_ns"] = Between(late.low * 1e3, late.high * 1e3)
    if raw.request_kib:
        if not 1 <= raw.request_kib <= 1 << 20:
            raise UserError(f"{where}.request_kib: {raw.request_kib} is out of range", hint="1 to 1048576")
        own["request_bytes"] = raw.request_kib << 10
    own |= {key: getattr(raw, key)[:200] for key in ("name", "source") if getattr(raw, key)}
    if raw.preset is not None:
        if raw.preset not in media():
            known = ", ".join(media())
            raise UserError(f"{where}.preset: {raw.preset[:60]!r} is not known", hint=f"known: {known}")
        return msgspec.structs.replace(media()[raw.preset], **own)
    if "bytes_per_s" not in own:
        raise UserError(f"{where} names neither a preset nor megabytes_per_s", hint=_WORDS_HINT)
    return BoardMedium(**{"name": "own", **own})


def _between(value: Range, where: str, least: float, most: float) -> Between:
    low, high = value if isinstance(value, tuple) else (value, value)
    if not (math.isfinite(low) and math.isfinite(high) and least <= low <= high <= most):
        raise UserError(
            f"{where}: {value} is out of range", hint=f"one number, or [low, high], from {least:g} to {most:g}"
        )
    return Between(float(low), float(high))
