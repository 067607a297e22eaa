# SPDX-License-Identifier: MIT
"""From a name that people have (function, initcall, driver, device, CONFIG_ symbol) to its source and its levers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.kernelsource import devices
from bootlab.kernelsource.devices import DeviceNode
from bootlab.kernelsource.levers import Lever, Levers, lever, levers_of
from bootlab.kernelsource.resolve import DefinedAt
from bootlab.kernelsource.tree import ConfiguredTree


class LookedUp(msgspec.Struct, frozen=True, kw_only=True):
    """What a name stands for: a symbol, or functions with their levers and the device-tree nodes of that name."""

    name: str
    symbol: Lever | None = None
    nodes: tuple[DeviceNode, ...] = ()
    levers: tuple[Levers, ...] = ()

    @property
    def known(self) -> bool:
        """Tell whether the source has it."""
        return self.symbol is not None or any(one.place.certainty != "unknown" for one in self.levers)


def look_up(tree: ConfiguredTree, name: str, placed: Sequence[DefinedAt] = ()) -> LookedUp:
    """Find a name. `placed`: functions that a symbol table told apart by address."""
    if name.startswith("CONFIG_"):
        return LookedUp(name=name, symbol=lever(tree, name))
    nodes = devices.nodes(tree, name)
    places = [place for place in placed if place.name == name] or [_sooner(tree, tree.resolver.named(name))]
    if places[0].certainty == "unknown" and not places[0].others:
        words = tuple(dict.fromkeys(word for node in nodes for word in node.compatible))
        places = devices.registering(tree, name) or devices.driven_by(tree, words) or places
    return LookedUp(name=name, nodes=tuple(nodes), levers=tuple(levers_of(tree, places)))


def _sooner(tree: ConfiguredTree, place: DefinedAt) -> DefinedAt:
    """Of several files that define a name, take the one that every kernel with it has built in, as an initcall.

    The others are modules in most kernels, where nothing says that they are not: a symbol table or a configuration
    would tell.
    """
    if place.certainty != "ambiguous":
        return place
    initcalls = {one.file for one in tree.index.named([place.name], "I").get(place.name, ())}
    lines = {one.file: one.line for one in tree.index.named([place.name]).get(place.name, ())}
    found = [
        (file, stem)
        for file in place.others
        for stem in (tree.resolver.objects(file) if file in initcalls else ())
        if not any(_may_be_module(tree, symbol) for way in tree.resolver.ways(stem) for symbol in way.symbols)
    ]
    if len(found) != 1:
        return place
    file, stem = found[0]
    others = tuple(one for one in place.others if one != file)
    why = f"the only initcall among them that cannot be a module; {', '.join(others)} may be built in too"
    return DefinedAt(
        name=place.name,
        certainty="resolved",
        file=file,
        line=lines.get(file, 0),
        stem=stem,
        why=why,
        others=others,
    )


def _may_be_module(tree: ConfiguredTree, symbol: str) -> bool:
    known = tree.kconfig.symbols.get(symbol)
    return known is None or known.type == "tristate"
