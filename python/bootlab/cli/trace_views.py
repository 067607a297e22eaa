"""The tables of `bootlab trace`: as data for JSON, and as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import RenderableType

from bootlab.analysis import delay_census, function_tables
from bootlab.analysis.call_tree import FunctionTrace
from bootlab.cli.trace_sources import NamedTrace
from bootlab.errors import UserError
from bootlab.views.functions import levers_text
from bootlab.views.functions import text as function_text

_NO_COUNT = (
    "unknown; this kernel keeps no count of it (CONFIG_PREEMPT_COUNT), or not where bootlab looks (x86): "
    "see --show nosched"
)
_IMPORTED = "unknown: this trace does not show it (bootlab trace SYSTEM.toml does)"
# Title, key of the JSON, what no row means.
_HELD = {
    "irqoff": ("Interrupts off", "interrupts_off", "never"),
    "preemptoff": ("Preemption off", "preemption_off", _NO_COUNT),
    "nosched": ("In the kernel without letting others run", "no_schedule", "there was one task only"),
}


def tables(trace: FunctionTrace, *, rows: int, min_ns: int, sort: str, root: str | None, depth: int) -> dict[str, Any]:
    """Return every table cut to `rows`. Raise UserError when `root` was never called."""
    functions = [row for row in function_tables.functions(trace) if row.time_ns >= min_ns]
    waits = [row for row in delay_census.census(trace) if row.time_ns >= min_ns]
    tree = function_tables.tree(trace, root=root, min_ns=max(min_ns, 1), depth=depth, limit=rows)
    if root and not tree:
        raise UserError(f"{root!r} was not called before the goal", hint="names are those of the kernel's symbols")
    held = [function_tables.stretches(trace, table, rows) for table in trace.held]
    return {
        "functions": function_text.ordered(functions, sort)[:rows],
        "self": function_text.ordered(functions, "l")[:rows],
        "waits": waits[:rows],
        "tree": tree,
        "initcalls": sorted(function_tables.initcalls(trace), key=lambda row: -row.wall_ns)[:rows],
        **{key: table for (_, key, _), table in zip(_HELD.values(), held, strict=True)},
    }


def views(which: str, traced: NamedTrace, made: dict[str, Any], fields: str, levers: Any) -> list[RenderableType]:
    """Return what to print for one `--show`."""
    if which == "summary":
        return traced.summary
    if which in _HELD:
        title, key, none = _HELD[which]
        return [function_text.stretch_table(title, made[key], none if traced.tells_held else _IMPORTED)]
    shown: dict[str, Callable[[], RenderableType]] = {
        "functions": lambda: function_text.function_table(made["functions"], fields),
        "self": lambda: function_text.function_table(made["self"], "Fcla"),
        "tree": lambda: function_text.call_tree(made["tree"]),
        "waits": lambda: function_text.wait_table(made["waits"]),
        "initcalls": lambda: function_text.initcall_table(made["initcalls"]),
        "levers": lambda: levers_text.lever_table(levers),
    }
    return [shown[which]()]
