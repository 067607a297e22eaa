# SPDX-License-Identifier: MIT
"""`bootlab where`: from a function, initcall, driver, device or symbol to its source and what can be changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from bootlab.cli.options import Argument, Option
from bootlab.cli.session import JsonOption, out, print_json, say
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.api.source_tree import LookedUp

SourceOption = Annotated[
    Path, Option(names=("--source",), metavar="TREE", help="The kernel's source tree.", show_default=False)
]
ConfigOption = Annotated[
    Path | None, Option(names=("--config",), help="The kernel's .config. Default: TREE/.config, if it exists.")
]


def where(
    names: Annotated[
        list[str], Argument(metavar="NAME...", help="Function, initcall, driver, device or CONFIG_ symbol.")
    ],
    *,
    source: SourceOption,
    config: ConfigOption = None,
    arch: Annotated[str, Option(help="Architecture, if no .config says it [this machine's].")] = "",
    symbols: Annotated[
        Path | None,
        Option(help="System.map or kernel image, to tell functions with the same name apart by address."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show where a kernel function is defined, which option builds it, and what you can change.

    Example: bootlab where acpi_init i8042_init 10000000.serial --source linux --config .config
    """
    from bootlab.api.source_tree import look_up_names  # noqa: PLC0415 - not needed for `--help`
    from bootlab.views.functions import levers_text  # noqa: PLC0415

    looked = look_up_names(names, source, config=config, arch=arch, symbols=symbols)
    if looked.assumed and not as_json:
        say(f"architecture: {looked.arch}, this machine's (--arch or --config takes another)")
    found = looked.found
    if as_json:
        said = [_document(one) for one in found]
        print_json(
            {"format": "bootlab-where", "version": 1, "tree": looked.version, "arch": looked.arch, "names": said}
        )
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


def _document(one: LookedUp) -> dict[str, Any]:
    if one.symbol is not None:
        return {"name": one.name, "symbol": one.symbol}
    return {"name": one.name, "nodes": one.nodes, "found": one.levers}
