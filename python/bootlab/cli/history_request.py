# SPDX-License-Identifier: MIT
"""The work of `bootlab history show`, apart from its command line: importing typer takes as long as much of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from bootlab.cli.files import write_file
from bootlab.cli.gate_options import HistoryOption, HtmlOption
from bootlab.cli.options import Option, take
from bootlab.cli.session import AllOption, Kept, out, print_json
from bootlab.errors import UserError


class ShowRequest(Kept):
    """What was asked for, one field an option."""

    system: str | None = None
    named: Annotated[
        str | None, Option(names=("--system",), metavar="NAME", help="The same, as `history add` takes it.")
    ] = None
    stage: Annotated[
        list[str],
        Option(help="Show only this stage (`total`: the whole boot). May be given more than once."),
    ] = msgspec.field(default_factory=list)
    variant: Annotated[str | None, Option(help="Show only boots of this variant.")] = None
    newest: Annotated[int | None, Option(least=1, help="Show only this many of the newest boots.")] = None
    everything: AllOption = False
    html: HtmlOption = None
    history: HistoryOption = None


def plain_request(args: Sequence[str]) -> ShowRequest | None:
    """Parse arguments without typer; None for anything but plain calls, which typer then parses or refuses."""
    request = ShowRequest()
    words = take(request, args)
    if words is None or len(words) > 1 or any(word.startswith("-") for word in words):
        return None
    request.system = words[0] if words else None
    return request


def run(asked: ShowRequest) -> None:
    """Show what was asked for. Raise BootlabError."""
    if asked.system is not None and asked.named is not None and asked.system != asked.named:
        raise UserError(
            f"one system at a time: {asked.system} or {asked.named}",
            hint=f"bootlab history show {asked.named}   (the last name given)",
        )
    from bootlab.api.opened_history import boots_shown  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.history import text  # noqa: PLC0415

    system = asked.named if asked.system is None else asked.system
    systems, entries = boots_shown(
        system, variant=asked.variant, newest=asked.newest, url=asked.history, store=asked.store
    )
    if system is None:
        if asked.html is not None:
            raise UserError("--html needs the name of a system", hint="bootlab history show NAME --html history.html")
        if asked.as_json:
            print_json({"format": "bootlab-history", "version": 1, "systems": dict(systems)})
        else:
            out().print(text.systems_view(systems))
        return
    if not entries:
        listed = ", ".join(name for name, _ in systems) or "none"
        raise UserError(f"the history has no boot of {system!r}", hint=f"it has: {listed}")
    from bootlab.api.kept_history import trends  # noqa: PLC0415 - with numpy, which a list of systems does without

    found = trends(entries, names=tuple(asked.stage))
    if asked.stage and not found:
        named = ", ".join(trend.name for trend in trends(entries))
        raise UserError(f"{system} has no stage {', '.join(asked.stage)}", hint=f"it has: {named}")
    if asked.html is not None:
        from bootlab.views.history import page  # noqa: PLC0415

        write_file(asked.html, page.render_system(system, entries, found, everything=dict(systems)[system]))
    if asked.as_json:
        print_json({"format": "bootlab-history", "version": 1, "system": system, "trends": found})
        return
    if str(asked.html) == "-":
        return
    out().print(text.trends_view(system, entries, found, everything=asked.everything or bool(asked.stage)))
