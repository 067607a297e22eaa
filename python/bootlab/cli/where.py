"""`bootlab where`: from a function, initcall, driver, device or symbol to its source and what can be changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bootlab.cli.session import JsonOption, out, print_json
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.kernelsource.lookup import Found

SourceOption = Annotated[
    Path, typer.Option("--source", metavar="TREE", help="The kernel's source tree.", show_default=False)
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="The kernel's .config. Default: TREE/.config, if it exists.")
]


def where(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Function, initcall, driver, device or CONFIG_ symbol.")
    ],
    *,
    source: SourceOption,
    config: ConfigOption = None,
    arch: Annotated[str, typer.Option("--arch", help="Architecture, if no .config says it.")] = "",
    symbols: Annotated[
        Path | None,
        typer.Option(
            "--symbols", help="System.map or kernel image, to tell functions with the same name apart by address."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show where a kernel function is defined, which option builds it, and what you can change.

    Example: bootlab where acpi_init i8042_init 10000000.serial --source linux --config .config
    """
    from bootlab.analysis.traced_source import opened_tree, table_of  # noqa: PLC0415 - not needed for `--help`
    from bootlab.kernelsource.lookup import look_up  # noqa: PLC0415
    from bootlab.views.functions import levers_text  # noqa: PLC0415

    tree = opened_tree(source, config, arch=arch)
    table = table_of(symbols) if symbols is not None else []
    rows = [(name, kind) for _, kind, name in table if kind in "tTwW"]
    placed = tree.resolver.resolve(rows) if rows else []
    found = [look_up(tree, name, placed) for name in names]
    if as_json:
        said = [_document(one) for one in found]
        print_json({"format": "bootlab-where", "version": 1, "tree": tree.version, "arch": tree.srcarch, "names": said})
    else:
        for one in found:
            views = [levers_text.symbol_view(one.symbol)] if one.symbol is not None else []
            views += [levers_text.node_view(node) for node in one.nodes[:20]]
            views += [levers_text.lever_view(answer) for answer in one.levers]
            for view in views:
                out().print(view)
    if not any(one.known for one in found):
        raise UserError(
            f"{', '.join(names)}: not found in {source}",
            hint="is the tree of this kernel's version, and --config its configuration?",
        )


def _document(one: Found) -> dict[str, Any]:
    if one.symbol is not None:
        return {"name": one.name, "symbol": one.symbol}
    return {"name": one.name, "nodes": one.nodes, "found": one.levers}
