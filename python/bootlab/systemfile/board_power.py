# SPDX-License-Identifier: MIT
"""`[power]` of a board file: the commands that switch, written down or made by a driver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from bootlab.model.real_board import Command, PowerSwitch
from bootlab.power_switches.registry import NoSuchSwitch, switch_named
from bootlab.power_switches.switch import PowerSwitchCommands, PowerSwitchKeys
from bootlab.systemfile.command_words import required
from bootlab.systemfile.place import Place
from bootlab.systemfile.problem import translate
from bootlab.systemfile.raw_board import RawPower


def without_driver_keys(table: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, object]]:
    """Divide a board file into what bootlab knows and the keys of `[power]` that its driver knows.

    Without a driver nothing is divided, so that an unknown key is an error.
    """
    power = table.get("power")
    if not isinstance(power, dict) or "driver" not in power:
        return dict(table), {}
    known = {key: value for key, value in power.items() if key in RawPower.__struct_fields__}
    return {**table, "power": known}, {key: value for key, value in power.items() if key not in known}


def power_of(raw: RawPower, keys: Mapping[str, object], place: Place) -> PowerSwitch:
    """Return the switch with its commands. Raise SystemFileError that names the key."""
    if raw.driver and (raw.on or raw.off):
        raise place.error("both a driver and commands switch the board", "power.driver", "leave out on and off")
    kind: type[PowerSwitchKeys] | None = None
    if raw.driver:
        kind = _kind(raw.driver, raw.zero, place)
        on, off = _commands(kind, keys, place)
    else:
        on, off = required(raw.on, "power.on", place), required(raw.off, "power.off", place)
    return PowerSwitch(
        on=on,
        off=off,
        off_s=raw.off_s,
        timeout_s=raw.timeout_s,
        zero=raw.zero,
        switches_while_it_runs=kind is not None and kind.switches_while_it_runs,
    )


def _kind(name: str, zero: str, place: Place) -> type[PowerSwitchKeys]:
    try:
        kind = switch_named(name)
    except NoSuchSwitch as error:
        raise place.error(str(error), "power.driver", error.hint) from error
    if zero == "reported" and kind.tells_no_instant:
        raise place.error(
            f"{name} does not know when power comes: it {kind.tells_no_instant}",
            "power.zero",
            'zero = "console": time starts at the first byte',
        )
    return kind


def _commands(kind: type[PowerSwitchKeys], keys: Mapping[str, object], place: Place) -> tuple[Command, Command]:
    values = {
        key: place.expand(value, f"power.{key}") if isinstance(value, str) else value for key, value in keys.items()
    }
    try:
        switch = cast("PowerSwitchCommands", msgspec.convert(values, kind))
    except msgspec.ValidationError as error:
        raise translate(error, root=kind, value=values, path=place.path, prefix="power") from error
    return switch.on(), switch.off()
