# SPDX-License-Identifier: MIT
"""From a function to what a person can change: its file, the Kconfig symbol that builds it, and what may be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from bootlab.kernelsource.expression import requires
from bootlab.kernelsource.kbuild import Built
from bootlab.kernelsource.resolve import DefinedAt
from bootlab.kernelsource.tree import ConfiguredTree

Answer: TypeAlias = Literal["yes", "no", "unknown"]


class Lever(msgspec.Struct, frozen=True, kw_only=True):
    """A Kconfig symbol without which the object is not built. The nearest has the smallest reach."""

    symbol: str
    type: str
    prompt: str
    value: str
    """As configured, or `unknown`."""
    defined: str
    """`file:line` of its first definition."""
    disable: Answer
    disable_why: tuple[str, ...]
    module: Answer
    module_why: tuple[str, ...]
    dependents: tuple[str, ...]
    """What is on and goes with it; without a configuration: what cannot be on without it."""
    selected_by: tuple[str, ...]
    """What selects it now; without a configuration: all that may."""


class Levers(msgspec.Struct, frozen=True, kw_only=True):
    """One function and its levers, the nearest first."""

    place: DefinedAt
    makefile: str
    condition_known: bool
    levers: tuple[Lever, ...]
    initcall: str
    """Its level's macro when it is an initcall (`device_initcall`, `module_pci_driver`)."""
    driver: str
    """Name of the driver that it registers, where its file has one driver."""
    said: tuple[str, ...]
    """What can be done, in sentences."""


def levers_of(tree: ConfiguredTree, places: Sequence[DefinedAt]) -> list[Levers]:
    """Return the levers of resolved functions; of the others, why there are none."""
    known: dict[str, Lever] = {}
    out = []
    initcalls = tree.index.named([place.name for place in places], "I")
    for place in places:
        ways = tree.resolver.ways(place.stem) if place.stem else []
        way = ways[0] if ways else None
        levers = tuple(_lever(tree, name, known) for name in _needed(tree, way)) if way else ()
        initcall = next((d.detail for d in initcalls.get(place.name, ()) if d.file == place.file), "")
        driver = _driver(tree, place, initcall)
        out.append(
            Levers(
                place=place,
                makefile=f"{way.steps[-1].makefile}:{way.steps[-1].line}" if way else "",
                condition_known=way is not None,
                levers=levers,
                initcall=initcall,
                driver=driver,
                said=tuple(_said(place, levers, initcall, driver, way)),
            )
        )
    return out


def _needed(tree: ConfiguredTree, way: Built) -> list[str]:
    """Return the symbols that the object cannot do without."""
    lookup = tree.advisor.value if tree.configuration else lambda _: None
    return [name for name in way.symbols if requires(way.condition, name, lookup)]


def lever(tree: ConfiguredTree, symbol: str) -> Lever:
    """Return what can be done with one symbol."""
    return _lever(tree, symbol.removeprefix("CONFIG_"), {})


def _lever(tree: ConfiguredTree, name: str, known: dict[str, Lever]) -> Lever:
    if name in known:
        return known[name]
    advisor = tree.advisor
    symbol = tree.kconfig.symbols.get(name)
    if symbol is None:
        answer: Answer = "unknown"
        return Lever(
            symbol=name, type="unknown", prompt="", value="unknown", defined="", dependents=(), selected_by=(),
            disable=answer, disable_why=("no Kconfig file defines it",), module=answer, module_why=(),
        )  # fmt: skip
    if tree.configuration is None:
        disable: Answer = "unknown" if symbol.prompt else "no"
        off: tuple[str, ...] = () if symbol.prompt else (f"{name} has no prompt",)
        module: Answer = "unknown" if symbol.type == "tristate" and symbol.prompt else "no"
        why: tuple[str, ...] = () if symbol.type == "tristate" else (f"{name} is a {symbol.type}",)
        dependents = tuple(advisor.requiring(name))
        selecting = tuple(dict.fromkeys(s.by for s in advisor.selected_by(name)))
    else:
        disable, reasons = advisor.may_be(name, "n")
        off = tuple(reason.text for reason in reasons)
        module, reasons = advisor.may_be(name, "m")
        why = tuple(reason.text for reason in reasons)
        dependents = tuple(d.symbol for d in advisor.dependents(name))
        selecting = tuple(dict.fromkeys(s.by for s in advisor.selected_by(name, active=True)))
    value = advisor.value(name)
    first = symbol.definitions[0]
    known[name] = Lever(
        symbol=name,
        type=symbol.type,
        prompt=symbol.prompt,
        value="unknown" if value is None else value,
        defined=f"{first.file}:{first.line}",
        disable=disable,
        disable_why=off,
        module=module,
        module_why=why,
        dependents=dependents,
        selected_by=selecting,
    )
    return known[name]


def _driver(tree: ConfiguredTree, place: DefinedAt, initcall: str) -> str:
    if not initcall or not place.file:
        return ""
    drivers = tree.index.in_file(place.file, "D")
    own = [d.detail for d in drivers if f"{d.name}_init" == place.name] or [d.detail for d in drivers]
    return own[0] if len(set(own)) == 1 else ""


def _said(place: DefinedAt, levers: tuple[Lever, ...], initcall: str, driver: str, way: Built | None) -> list[str]:
    if place.certainty != "resolved":
        return []
    out = []
    if way is None:
        return ["no Makefile line was found that builds it"]
    if not levers:
        out.append("no Kconfig symbol leaves it out: it is always built")
    near = levers[0] if levers else None
    if near is not None:
        out.append(_verdict("disable", near.symbol, near.disable, near.disable_why))
        if near.type == "tristate":
            out.append(_verdict("make a module", near.symbol, near.module, near.module_why))
            if near.module == "yes":
                out.append("defer: as a module it can be loaded after the goal")
    if initcall:
        out.append(f"try without it: initcall_blacklist={place.name}")
        if driver:
            out.append(
                f"defer: driver_async_probe={driver} lets its probes run in parallel, unless the driver forbids it"
            )
    return out


def _verdict(verb: str, symbol: str, answer: Answer, why: tuple[str, ...]) -> str:
    text = f"{verb}: {answer} (CONFIG_{symbol})"
    shown = "; ".join(why[:4]) + (f"; and {len(why) - 4} more" if len(why) > 4 else "")
    return f"{text}: {shown}" if shown else text
