# SPDX-License-Identifier: MIT
"""From a base, fragments and options to the `.config` that the kernel makes of them, and whether it did as asked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.builders.kbuild import build_log
from bootlab.builders.kbuild.fragment import Layer, merge, same_value
from bootlab.builders.kbuild.make_run import Make, run
from bootlab.builders.kbuild.overlay import OBJECTS
from bootlab.errors import EnvironmentFault, KernelBuildError, UserError
from bootlab.kernelsource.configuration import read_config, write_config

NOTHING = ("allnoconfig", "alldefconfig", "allyesconfig", "allmodconfig")
_TARGET = re.compile(r"[A-Za-z0-9_.-]*config")
_NAMED_MAX = 8


class LostOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option that was asked for and that the kernel's configuration does not have so."""

    name: str
    asked: str
    got: str | None
    place: str
    reason: str = ""

    def __str__(self) -> str:
        """Say it in one line."""
        now = f"it is {self.got}" if self.got is not None else "it is not there"
        why = f": {self.reason}" if self.reason else ""
        return f"CONFIG_{self.name}={self.asked} ({self.place}) did not take effect, {now}{why}"


def resolve(
    make: Make,
    base: str,
    layers: tuple[Layer, ...],
    log: Path,
    *,
    why: Callable[[LostOption, dict[str, str]], str] | None,
) -> str:
    """Return the text of the `.config` that the kernel's own tools make in `make.tree/obj`.

    Layers are merged in order; of the last one every option must be as it was asked for, while it may take effect on
    what earlier ones asked for (`SMP=n` takes `NR_CPUS` away). Raise KernelBuildError naming every option that is not,
    unless `why` is None: then what came out is wanted, whatever it is.
    """
    config = make.tree / OBJECTS / ".config"
    config.parent.mkdir(parents=True, exist_ok=True)
    text = _configure(make, base, merge(layers), config, log)
    if not layers or why is None:
        return text
    got = read_config(text)
    lost = [
        LostOption(name=name, asked=asked, got=got.get(name), place=layers[-1].place(name))
        for name, asked in layers[-1].options.items()
        if not same_value(asked, got.get(name, "n"))
    ]
    if lost:
        named = [msgspec.structs.replace(item, reason=why(item, got)) for item in lost[:_NAMED_MAX]]
        rest = f"\n(and {len(lost) - _NAMED_MAX} more)" if len(lost) > _NAMED_MAX else ""
        raise KernelBuildError(
            "\n".join(map(str, named)) + rest,
            hint="also set what it depends on, or leave it out   (bootlab kernel config shows the result)",
        )
    return text


def renewed(make: Make, text: str, log: Path) -> str:
    """Return what the kernel's own tools make of a whole `.config` on this machine."""
    config = make.tree / OBJECTS / ".config"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text, encoding="utf-8")
    _make(make, ("olddefconfig",), log, {})
    return config.read_text(encoding="utf-8")


def holds(layer: Layer, got: dict[str, str]) -> bool:
    """Tell whether every option of a layer is in a configuration as it was asked for."""
    return all(same_value(asked, got.get(name, "n")) for name, asked in layer.options.items())


def _configure(make: Make, base: str, asked: dict[str, str], config: Path, log: Path) -> str:
    asked_file = config.with_name("asked.config")
    asked_file.write_text(write_config(asked), encoding="utf-8")
    if base in NOTHING:
        config.unlink(missing_ok=True)
        _make(make, (base,), log, {"KCONFIG_ALLCONFIG": str(asked_file)})
        return config.read_text(encoding="utf-8")
    if base.startswith("/"):
        try:
            shutil.copyfile(base, config)
        except OSError as error:
            raise UserError(f"{base} cannot be read: {error.strerror}", hint=f"ls -l {base}") from error
    elif _TARGET.fullmatch(base):
        config.unlink(missing_ok=True)
        _make(make, (base,), log, {})
    else:
        raise UserError(
            f"{base!r} is not a configuration target",
            hint=f"allnoconfig, defconfig, NAME_defconfig, or a file's path with a slash in it (./{base})",
        )
    text = config.read_text(encoding="utf-8", errors="replace")
    replaced = {number for number, name, *_ in _core.config_lines(text)[0] if name in asked}
    kept = [line for number, line in enumerate(text.split("\n"), 1) if number not in replaced]
    config.write_text("\n".join(kept).rstrip("\n") + "\n" + write_config(asked), encoding="utf-8")
    _make(make, ("olddefconfig",), log, {})
    return config.read_text(encoding="utf-8")


def _make(make: Make, targets: tuple[str, ...], log: Path, extra: dict[str, str]) -> None:
    code = run(make, targets, log, line=lambda _: None, extra=extra)
    if code:
        error = build_log.first_error(log)
        if "Can't find default configuration" in str(error) or "No rule to make target" in str(error):
            raise UserError(
                f"the source tree has no configuration {targets[0]!r} (looked for in its configs folders)",
                hint=f"ls {make.tree}/arch/*/configs   (a file of yours is named with a slash: ./{targets[0]})",
            )
        raise EnvironmentFault(f"make {' '.join(targets)} failed: {error}", hint=f"the whole log: {log}")
