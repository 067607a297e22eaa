# SPDX-License-Identifier: MIT
"""`bootlab history show`: how a system's boot went over time."""

from __future__ import annotations

from typing import Annotated

from bootlab.cli.files import write_file
from bootlab.cli.gate_options import HistoryOption, HtmlOption
from bootlab.cli.options import Argument, Option
from bootlab.cli.session import AllOption, Kept, out, print_json
from bootlab.errors import UserError


def show(
    system: Annotated[
        str | None,
        Argument(help="The system's name in the history. Default: list all systems.", show_default=False),
    ] = None,
    *,
    named: Annotated[
        str | None, Option(names=("--system",), metavar="NAME", help="The same, as `history add` takes it.")
    ] = None,
    stage: Annotated[
        list[str] | None,
        Option(help="Show only this stage (`total`: the whole boot). May be given more than once."),
    ] = None,
    variant: Annotated[str | None, Option(help="Show only boots of this variant.")] = None,
    newest: Annotated[int | None, Option(least=1, help="Show only this many of the newest boots.")] = None,
    everything: AllOption = False,
    html: HtmlOption = None,
    history: HistoryOption = None,
    asked: Kept,
) -> None:
    """Show how each stage developed over the revisions, where its time changed, and what else changed there.

    Example: bootlab history show camera --stage kernel
    """
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.api.kept_history import trends  # noqa: PLC0415
    from bootlab.views.history import text  # noqa: PLC0415

    if system is not None and named is not None and system != named:
        raise UserError(
            f"one system at a time: {system} or {named}", hint=f"bootlab history show {named}   (the last name given)"
        )
    system = named if system is None else system
    with api.open_history(history, store=asked.store) as database:
        systems = database.systems()
        if system is None:
            if html is not None:
                raise UserError(
                    "--html needs the name of a system", hint="bootlab history show NAME --html history.html"
                )
            if asked.as_json:
                print_json({"format": "bootlab-history", "version": 1, "systems": dict(systems)})
            else:
                out().print(text.systems_view(systems))
            return
        entries = database.entries(system=system, variant=variant, newest=newest)
    if not entries:
        listed = ", ".join(name for name, _ in systems) or "none"
        raise UserError(f"the history has no boot of {system!r}", hint=f"it has: {listed}")
    found = trends(entries, names=tuple(stage or ()))
    if stage and not found:
        named = ", ".join(trend.name for trend in trends(entries))
        raise UserError(f"{system} has no stage {', '.join(stage)}", hint=f"it has: {named}")
    if html is not None:
        from bootlab.views.history import page  # noqa: PLC0415

        write_file(html, page.render_system(system, entries, found, everything=dict(systems)[system]))
    if asked.as_json:
        print_json({"format": "bootlab-history", "version": 1, "system": system, "trends": found})
        return
    if str(html) == "-":
        return
    out().print(text.trends_view(system, entries, found, everything=everything or bool(stage)))
