# SPDX-License-Identifier: MIT
"""What a kernel's source tree adds to a trace: what can be changed, and coverage."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.analysis import coverage, function_tables
from bootlab.analysis.call_tree import FunctionTrace
from bootlab.analysis.coverage import Cover, FunctionCover
from bootlab.builders.cache import default_folder
from bootlab.errors import UserError
from bootlab.kernelsource.configuration import Configuration, from_mapping, parse_config, read_configuration
from bootlab.kernelsource.levers import Levers, levers_of
from bootlab.kernelsource.tree import ConfiguredTree
from bootlab.model.launch import Launch
from bootlab.recordings import recording_dir
from bootlab.tracing import symbols as trace_symbols


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What was found: functions with their cost, and coverage with its roll-ups."""

    levers: tuple[tuple[str, int, Levers], ...] = ()
    covered: tuple[FunctionCover, ...] = ()
    groups: tuple[tuple[str, tuple[Cover, ...]], ...] = ()

    @property
    def total(self) -> Cover:
        """The whole kernel."""
        return coverage.whole(self.covered)

    def document(self) -> dict[str, object] | None:
        """Return coverage for JSON; None when it was not asked for."""
        if not self.covered:
            return None
        never = [row for row in self.covered if not row.executed]
        return {"kernel": self.total, "groups": dict(self.groups), "never": never}


def opened_tree(
    source: Path, config: Path | None, *, arch: str = "", configuration: Configuration | None = None
) -> ConfiguredTree:
    """Open a tree with its index in the user's cache."""
    chosen = read_configuration(config) if config is not None else configuration
    return ConfiguredTree(source, cache=default_folder(), arch=arch, configuration=chosen)


def table_of(path: Path) -> list[tuple[int, str, str]]:
    """Read a symbol table from a System.map, or from a kernel image."""
    try:
        raw = path.read_bytes()
    except OSError as fault:
        raise UserError(f"cannot read {path}: {fault.strerror}", hint=f"ls -l {path}") from fault
    try:
        return _core.kernel_symbol_table(raw)
    except ValueError:
        return trace_symbols.read_map(path)


def known(
    trace: FunctionTrace,
    folder: str | None,
    *,
    source: Path | None,
    config: Path | None,
    symbols: Path | None,
    cover: bool,
    rows: int,
) -> Known:
    """Find what can be changed about the costliest functions and initcalls; with `cover`, what never ran."""
    launch = recording_dir.load(Path(folder)).meta.launch if folder is not None else None
    arch = launch.arch if launch is not None else ""
    image = _kernel(launch)
    levers: list[Levers] = []
    costly: list[tuple[str, int, Levers]] = []
    chosen = None
    if cover:
        path = symbols or image
        if path is None:
            raise UserError("coverage needs the kernel's symbols", hint="--symbols System.map, or the kernel image")
        chosen = trace_symbols.choose(table_of(path), arch or "x86_64")
    if source is not None:
        tree = opened_tree(source, config, configuration=_configuration(image), arch=arch)
        names = trace.names[len(trace_symbols.BUCKETS) :]
        places = tree.resolver.resolve([(name, "") for name in names])
        wanted = _costly(trace, rows)
        by_name: dict[str, list[int]] = {}
        for at, name in enumerate(names):
            by_name.setdefault(name, []).append(at)
        asked = [(kind, cost, by_name[name]) for kind, name, cost in wanted if name in by_name]
        # Of a name that stands in the image more than once, the initcall's number is not known: all that it may be.
        levers = levers_of(tree, places if cover else [places[at] for _, _, ats in asked for at in ats])
        number = 0
        for kind, cost, ats in asked:
            for at in ats:
                costly.append((kind, cost, levers[at] if cover else levers[number]))
                number += 1
    if chosen is None:
        return Known(levers=tuple(costly))
    try:
        covered = coverage.functions(trace, chosen, levers)
    except ValueError as fault:
        raise UserError(f"coverage: {fault}", hint="--symbols: System.map or image of the kernel traced") from fault
    groups = [
        ("Never ran, by Kconfig symbol", coverage.by_symbol(covered)),
        ("Never ran, by folder", coverage.by_folder(covered)),
        ("Never ran, by object", coverage.by_object(covered)),
    ]
    if source is None:
        groups = []
    return Known(
        levers=tuple(costly), covered=tuple(covered), groups=tuple((title, tuple(rows)) for title, rows in groups)
    )


def _costly(trace: FunctionTrace, rows: int) -> list[tuple[str, str, int]]:
    """Return the longest initcalls, then the functions with the most time of their own."""
    initcalls = sorted(function_tables.initcalls(trace), key=lambda row: -row.wall_ns)[:rows]
    functions = sorted(function_tables.functions(trace), key=lambda row: -row.local_ns)[:rows]
    return [
        *(("initcall", row.function, row.wall_ns) for row in initcalls),
        *(("self", row.function, row.local_ns) for row in functions),
    ]


def _kernel(launch: Launch | None) -> Path | None:
    """Return the kernel that was booted, if it still is there."""
    if launch is None or launch.kernel is None:
        return None
    return Path(launch.kernel) if Path(launch.kernel).is_file() else None


def _configuration(image: Path | None) -> Configuration | None:
    if image is None:
        return None
    try:
        text = _core.kernel_config(image.read_bytes())
    except (ValueError, OSError):
        return None
    return from_mapping(parse_config(text), str(image)) if text else None
