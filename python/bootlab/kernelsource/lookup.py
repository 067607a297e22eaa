"""From a name that people have (function, initcall, driver, device, CONFIG_ symbol) to its source and its levers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.kernelsource import devices
from bootlab.kernelsource.devices import Node
from bootlab.kernelsource.levers import Lever, Levers, lever, levers_of
from bootlab.kernelsource.resolve import Place
from bootlab.kernelsource.tree import SourceTree


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a name stands for: a symbol, or functions with their levers and the device-tree nodes of that name."""

    name: str
    symbol: Lever | None = None
    nodes: tuple[Node, ...] = ()
    levers: tuple[Levers, ...] = ()

    @property
    def known(self) -> bool:
        """Tell whether the source has it."""
        return self.symbol is not None or any(one.place.certainty != "unknown" for one in self.levers)


def look_up(tree: SourceTree, name: str, placed: Sequence[Place] = ()) -> Found:
    """Find a name. `placed`: functions that a symbol table told apart by address."""
    if name.startswith("CONFIG_"):
        return Found(name=name, symbol=lever(tree, name))
    nodes = devices.nodes(tree, name)
    places = [place for place in placed if place.name == name] or [tree.resolver.named(name)]
    if places[0].certainty == "unknown" and not places[0].others:
        words = tuple(dict.fromkeys(word for node in nodes for word in node.compatible))
        places = devices.registering(tree, name) or devices.driven_by(tree, words) or places
    return Found(name=name, nodes=tuple(nodes), levers=tuple(levers_of(tree, places)))
