"""`bootlab where`: from a function, initcall, driver, device or symbol to its source and what can be changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from bootlab.cli.session import JsonOption, out, print_json
from bootlab.errors import UserError

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
    arch: Annotated[str, typer.Option("--arch", help="Architecture, if no .config tells it.")] = "",
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
    from bootlab.cli.trace_levers import opened_tree, table_of  # noqa: PLC0415 - not needed for `--help`
    from bootlab.kernelsource import devices  # noqa: PLC0415
    from bootlab.kernelsource.levers import lever, levers_of  # noqa: PLC0415
    from bootlab.views.functions import levers_text  # noqa: PLC0415

    tree = opened_tree(source, config, arch=arch)
    table = table_of(symbols) if symbols is not None else []
    rows: list[tuple[str, str]] = [(name, kind) for _, kind, name in table if kind in "tTwW"]
    placed = tree.resolver.resolve(rows) if rows else []
    views: list[RenderableType] = []
    found: list[dict[str, Any]] = []
    for name in names:
        if name.startswith("CONFIG_"):
            one = lever(tree, name)
            views.append(levers_text.symbol_view(one))
            found.append({"name": name, "symbol": one})
            continue
        nodes = devices.nodes(tree, name)
        places = [place for place in placed if place.name == name] or [tree.resolver.named(name)]
        if places[0].certainty == "unknown" and not places[0].others:
            words = tuple(dict.fromkeys(word for node in nodes for word in node.compatible))
            places = devices.registering(tree, name) or devices.driven_by(tree, words) or places
        answers = levers_of(tree, places)
        views += [levers_text.node_view(node) for node in nodes[:20]]
        views += [levers_text.lever_view(answer) for answer in answers]
        found.append({"name": name, "nodes": nodes, "found": answers})
    if as_json:
        print_json(
            {"format": "bootlab-where", "version": 1, "tree": tree.version, "arch": tree.srcarch, "names": found}
        )
    else:
        for view in views:
            out().print(view)
    if not any(answer.place.certainty != "unknown" for one in found for answer in one.get("found", ())) and not any(
        "symbol" in one for one in found
    ):
        raise UserError(
            f"{', '.join(names)}: not found in {source}",
            hint="is the tree of this kernel's version, and --config its configuration?",
        )
