# SPDX-License-Identifier: MIT
"""The tables of `bootlab trace` as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import RenderableType

from bootlab.api.traces import HELD, NamedTrace
from bootlab.views.functions import levers_text
from bootlab.views.functions import text as function_text

_NO_COUNT = (
    "unknown; this kernel keeps no count of it (CONFIG_PREEMPT_COUNT), or what it is built with is not known "
    "(kernel.config): see --show nosched"
)
_IMPORTED = "unknown: this trace does not show it (bootlab trace SYSTEM.toml does)"
# Title, what no row means.
_HELD = {
    "irqoff": ("Interrupts off", "never"),
    "preemptoff": ("Preemption off", _NO_COUNT),
    "nosched": ("In the kernel without letting others run", "there was one task only"),
}


def views(which: str, traced: NamedTrace, made: dict[str, Any], fields: str, levers: Any) -> list[RenderableType]:
    """Return what to print for one `--show`."""
    if which == "summary":
        return traced.summary
    if which in _HELD:
        title, none = _HELD[which]
        return [function_text.stretch_table(title, made[HELD[which]], none if traced.tells_held else _IMPORTED)]
    shown: dict[str, Callable[[], RenderableType]] = {
        "functions": lambda: function_text.function_table(made["functions"], fields),
        "self": lambda: function_text.function_table(made["self"], "Fcla"),
        "tree": lambda: function_text.call_tree(made["tree"]),
        "waits": lambda: function_text.wait_table(made["waits"]),
        "initcalls": lambda: function_text.initcall_table(made["initcalls"]),
        "levers": lambda: levers_text.lever_table(levers),
    }
    return [shown[which]()]
