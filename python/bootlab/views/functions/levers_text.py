# SPDX-License-Identifier: MIT
"""Views of what can be changed and of coverage, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.analysis.coverage import Cover, FunctionCover
from bootlab.kernelsource.devices import DeviceNode
from bootlab.kernelsource.levers import Lever, Levers
from bootlab.model import figures
from bootlab.views.csv_text import csv_text
from bootlab.views.text_table import cell, text_table


def lever_table(rows: Sequence[tuple[str, int, Levers]], *, left: int = 0) -> RenderableType:
    """Show functions with their cost (in nanoseconds) and the nearest symbol of each."""
    table = text_table(
        "What can be changed", "~function", ">ms", "~source", "~symbol", "now", "off", "module", ">goes too"
    )
    for kind, cost_ns, found in rows:
        near = found.levers[0] if found.levers else None
        name = f"{found.place.name} ({kind})" if kind else found.place.name
        table.add_row(
            cell(name), figures.ms(cost_ns), cell(_source(found)),
            cell(f"CONFIG_{near.symbol}" if near else "always built" if found.condition_known else "unknown"),
            cell(near.value if near else ""), near.disable if near else "", near.module if near else "",
            str(len(near.dependents)) if near else "",
        )  # fmt: skip
    parts: list[RenderableType] = [table]
    if left:
        parts.append(Text(f"{left} more were left out", "dim"))
    return Group(*parts)


def _source(found: Levers) -> str:
    place = found.place
    if place.certainty == "resolved":
        return f"{place.file}:{place.line}" if place.line else place.file
    return f"{place.certainty}: {', '.join(place.others[:3])}" if place.others else place.certainty


def lever_view(found: Levers) -> RenderableType:
    """Show one function with everything known."""
    place = found.place
    lines = [cell(place.name, "bold"), cell(f"  source    {_source(found)}  ({place.why})", "", 400)]
    if place.stem:
        lines.append(cell(f"  object    {place.stem}.o  ({found.makefile or 'no Makefile line found'})", "", 400))
    if found.initcall:
        driver = f", driver {found.driver}" if found.driver else ""
        lines.append(cell(f"  initcall  {found.initcall}{driver}", "", 400))
    parts: list[RenderableType] = [*lines, *(symbol_view(lever) for lever in found.levers)]
    parts += [cell(f"  {said}", "green", 600) for said in found.said]
    return Group(*parts)


def symbol_view(lever: Lever) -> RenderableType:
    """Show one symbol."""
    prompt = f'"{lever.prompt}"' if lever.prompt else "no prompt"
    lines = [
        cell(f"  symbol    CONFIG_{lever.symbol}={lever.value}  {lever.type}, {prompt}  ({lever.defined})", "", 400)
    ]
    for label, names in (("selected by", lever.selected_by), ("goes too", lever.dependents)):
        if names:
            more = f" and {len(names) - 12} more" if len(names) > 12 else ""
            lines.append(cell(f"            {label}: {', '.join(names[:12])}{more}", "dim", 800))
    return Group(*lines)


def node_view(node: DeviceNode) -> RenderableType:
    """Show a device-tree node."""
    return cell(
        f"  node      {node.name}  {node.file}:{node.line}  compatible {', '.join(node.compatible) or 'none'}", "", 400
    )


def coverage_view(total: Cover, groups: Sequence[tuple[str, Sequence[Cover]]], rows: int) -> RenderableType:
    """Show what never ran."""
    share = 100 * total.never_bytes / max(1, total.bytes)
    parts: list[RenderableType] = [
        Text(
            f"{total.never:,} of {total.functions:,} functions never ran up to the goal: {total.never_bytes:,} of "
            f"{total.bytes:,} bytes of text ({share:.1f} %)"
        ),
        Text("They may run later or when something fails. Functions inlined into others count for those.", "dim"),
    ]
    for title, covers in groups:
        table = text_table(title, "~name", ">never ran, bytes", ">of bytes", ">functions", "ran")
        for row in covers[:rows]:
            table.add_row(
                cell(row.name), f"{row.never_bytes:,}", f"{row.bytes:,}", f"{row.never}/{row.functions}", row.ran
            )
        parts.append(table)
    return Group(*parts)


def coverage_csv(covered: Sequence[FunctionCover]) -> bytes:
    """Write a line for each function of the image."""
    head = ("function", "bytes", "executed", "object", "symbol")
    rows = ((row.function, row.bytes, int(row.executed), row.object, row.symbol) for row in covered)
    return csv_text(head, rows).encode("utf-8", "replace")
