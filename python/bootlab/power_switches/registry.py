# SPDX-License-Identifier: MIT
"""All power switches by name: bootlab's own, and those that other packages name as entry points."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points

from bootlab.power_switches.gpiod import Gpiod
from bootlab.power_switches.pdudaemon import PduDaemon
from bootlab.power_switches.shelly import Shelly
from bootlab.power_switches.snmp import Snmp
from bootlab.power_switches.switch import PowerSwitchKeys
from bootlab.power_switches.tasmota import Tasmota
from bootlab.power_switches.uhubctl import Uhubctl
from bootlab.power_switches.usbrelay import UsbRelay

ENTRY_POINTS = "bootlab.power_switches"
BUILT_IN: Mapping[str, type[PowerSwitchKeys]] = {
    "gpiod": Gpiod,
    "pdudaemon": PduDaemon,
    "shelly": Shelly,
    "snmp": Snmp,
    "tasmota": Tasmota,
    "uhubctl": Uhubctl,
    "usbrelay": UsbRelay,
}


class NoSuchSwitch(Exception):
    """No power switch has this name, or the package that brings it does not load. `hint`: what to do."""

    def __init__(self, message: str, hint: str) -> None:
        """Keep both."""
        super().__init__(message)
        self.hint = hint


def switch_named(name: str, points: Iterable[EntryPoint] | None = None) -> type[PowerSwitchKeys]:
    """Return the switch of this name. bootlab's own cannot be replaced. Raise NoSuchSwitch."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    installed = {point.name: point for point in (entry_points(group=ENTRY_POINTS) if points is None else points)}
    if name not in installed:
        known = sorted({*BUILT_IN, *installed})
        close = difflib.get_close_matches(name[:100], known, n=2)
        hint = f"did you mean {' or '.join(close)}?   " if close else ""
        raise NoSuchSwitch(f"there is no power switch {name[:100]!r}", f"{hint}all of them: {', '.join(known)}")
    point = installed[name]
    try:
        switch = point.load()
    except Exception as error:
        raise NoSuchSwitch(
            f"the power switch {name!r} does not load: {type(error).__name__}: {error}",
            f"see the package that brings it: {point.value}",
        ) from error
    if not (isinstance(switch, type) and issubclass(switch, PowerSwitchKeys) and _has_commands(switch)):
        raise NoSuchSwitch(
            f"{point.value} is no power switch",
            "it must be a class derived from bootlab.extend.PowerSwitchKeys, with the methods on and off",
        )
    return switch


def _has_commands(switch: type[PowerSwitchKeys]) -> bool:
    return all(callable(getattr(switch, name, None)) for name in ("on", "off"))
