# SPDX-License-Identifier: MIT
"""A kernel configuration (`.config`): what each Kconfig symbol is set to. The core reads its lines."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.errors import UserError

_GENERATED = "Automatically generated file"


def parse_config(text: str) -> dict[str, str]:
    """Read a `.config`: `CONFIG_X` to `y`, `m`, `n` or the value's text without quotes."""
    return {f"CONFIG_{name}": plain for _, name, _, plain in _core.config_lines(text)[0]}


def read_config(text: str) -> dict[str, str]:
    """Read a `.config`: names without `CONFIG_` to values as written, quotes included; `n` for what is not set."""
    return {name: raw for _, name, raw, _ in _core.config_lines(text)[0]}


def write_config(options: Mapping[str, str]) -> str:
    """Write options as `.config` writes them: names without `CONFIG_`, `n` for what is not set."""
    return "".join(
        f"# CONFIG_{name} is not set\n" if value == "n" else f"CONFIG_{name}={value}\n"
        for name, value in options.items()
    )


class Configuration(msgspec.Struct, frozen=True):
    """Values by symbol, without `CONFIG_`. `complete`: what it does not name is off; of a fragment it is unknown."""

    values: dict[str, str]
    complete: bool = True
    source: str = ""

    def value(self, symbol: str) -> str | None:
        """Return a symbol's value; `n` for what a complete configuration does not name, else None: unknown."""
        found = self.values.get(symbol)
        return "n" if found is None and self.complete else found


def from_mapping(config: dict[str, str], source: str = "") -> Configuration:
    """Take values by `CONFIG_X`, as a kernel image gives them: a complete configuration."""
    return Configuration({name.removeprefix("CONFIG_"): value for name, value in config.items()}, True, source)


def from_text(text: str, source: str = "") -> Configuration:
    """Read `.config` text. What the kernel's own tool did not write is a fragment: it leaves the rest unknown."""
    values = {name: plain for _, name, _, plain in _core.config_lines(text)[0]}
    return Configuration(values, _GENERATED in text[:4096], source)


def read_configuration(path: Path) -> Configuration:
    """Read a `.config`, packed with xz or not. Raise UserError when it cannot be read or names no symbol."""
    try:
        raw = path.read_bytes()
        if raw[:6] == b"\xfd7zXZ\0":
            raw = lzma.decompress(raw)
    except (OSError, lzma.LZMAError) as fault:
        raise UserError(f"cannot read {path}: {fault}", hint="give a kernel's .config") from fault
    found = from_text(raw.decode("utf-8", errors="replace"), str(path))
    if not found.values:
        raise UserError(f"{path} sets no CONFIG_ symbol", hint="give a kernel's .config")
    return found
