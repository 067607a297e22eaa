# SPDX-License-Identifier: MIT
"""`bootlab techniques`: the catalogue."""

from __future__ import annotations

from typing import Annotated

from rich.table import Table
from rich.text import Text

from bootlab.api import techniques as catalogue
from bootlab.cli.options import Argument, technique_ids
from bootlab.cli.session import JsonOption, out, print_json
from bootlab.errors import UserError


def techniques(
    action: Annotated[
        str | None,
        Argument(metavar="[show]", help="`show ID` explains one technique in full.", complete=lambda: ["show"]),
    ] = None,
    technique_id: Annotated[
        str | None, Argument(metavar="[ID]", help="The technique's id.", complete=technique_ids)
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the techniques, or explain one.

    Example: bootlab techniques show quiet
    """
    if action is None:
        _list(as_json=as_json)
    elif action == "show" and technique_id:
        _show(catalogue.get(technique_id), as_json=as_json)
    else:
        wanted = "ID" if action == "show" else action
        raise UserError(
            f"`bootlab techniques {action}` is not a command",
            hint=f"bootlab techniques show {wanted}   or, for the list: bootlab techniques",
        )


def _list(*, as_json: bool) -> None:
    found = catalogue.all_techniques()
    if as_json:
        print_json({"format": "bootlab-techniques", "version": 1, "techniques": [catalogue.facts(t) for t in found]})
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("id", "stage", "risk", "what"):
        table.add_column(column)
    for technique in found:
        risk = ", ".join(technique.risk.kinds)
        table.add_row(Text(technique.id, "bold"), technique.stage, Text(risk, "yellow"), Text(technique.title))
    out().print(table)
    out().print(
        f"{len(found)} techniques. Those that cost security, function or run time are tried, but stacked only if you "
        "name or allow them."
    )


def _show(technique: catalogue.Technique, *, as_json: bool) -> None:
    if as_json:
        print_json(catalogue.facts(technique))
        return
    console = out()
    console.print(Text(f"{technique.id}: {technique.title}", "bold"))
    rows = [
        ("stage", technique.stage),
        ("what it does", technique.what),
        ("why it helps", technique.why),
        ("when it does not", technique.when_not),
        ("cost", technique.cost),
        *((f"risk: {kind}", getattr(technique.risk, kind)) for kind in technique.risk.kinds),
        ("kernels", technique.kernels),
        ("architectures", ", ".join(technique.architectures) or "any"),
        ("conflicts with", ", ".join(technique.conflicts)),
        ("tried again at the end", "yes" if technique.late else ""),
        *(("published gain", f"{p.gain} ({p.machine}; {p.source})") for p in technique.published),
        *(("reference", r) for r in technique.references),
    ]
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, text in rows:
        if text:
            table.add_row(Text(name, "dim"), Text(text))
    console.print(table)
    console.print(Text(f"try it: bootlab try SYSTEM.toml {technique.id}", "dim"))
