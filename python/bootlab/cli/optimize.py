# SPDX-License-Identifier: MIT
"""`bootlab optimize`: from a system to the fastest system that still works, unattended."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated

from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, Option
from bootlab.cli.screen import program
from bootlab.cli.session import AllOption, Costed, out, print_json, put_line, say
from bootlab.cli.try_techniques import AlsoOption
from bootlab.errors import UserError

_ALWAYS = frozenset({"", "debug"})
_SECONDS = {"s": 1, "m": 60, "h": 3600}


def optimize(
    what: Annotated[
        Path,
        Argument(
            metavar="SYSTEM.toml|PLAN.toml",
            help="The system file, or a plan that --write wrote and you edited.",
            show_default=False,
        ),
    ],
    *,
    plan: Annotated[
        bool, Option(help="Only show the plan. It boots the base and its diagnosis, nothing else.")
    ] = False,
    write: Annotated[
        Path | None,
        Option(
            metavar="PLAN.toml", help="Write the plan to this file. Edit it, then give it instead of the system file."
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        Option(
            help="Also use techniques that cost `function`, `security` or `runtime`; separate several with commas. "
            "Techniques that only make debugging harder are always used; the report says what to undo."
        ),
    ] = None,
    also: AlsoOption = None,
    budget_time: Annotated[
        str | None,
        Option(metavar="TIME", help="End after about this much machine time: 90m, 6h."),
    ] = None,
    rounds: Annotated[
        int, Option(least=1, most=10, help="Try rejected changes again on the faster system, this many times.")
    ] = 2,
    shrink: Annotated[
        bool,
        Option(help="Leave out kernel options whose code never runs up to the goal (builds kernels)."),
    ] = False,
    keep: Annotated[
        list[str] | None,
        Option(metavar="OPTION", help="With --shrink: keep this kernel option. May be given more than once."),
    ] = None,
    final: Annotated[
        list[str] | None,
        Option(
            metavar="COMMAND",
            help="Run this command in the base and in the result: output and exit status must be the same. May be "
            "given more than once.",
        ),
    ] = None,
    html: Annotated[Path | None, Option(help="Write the HTML report to this file too.")] = None,
    everything: AllOption = False,
    asked: Costed,
) -> None:
    """Find the fastest system that still works: try the techniques in groups, prove each gain, write the result.

    Ctrl-C ends it with what is proved so far, Ctrl-C twice at once. After an interruption at any moment (Ctrl-C, kill,
    power cut) the same command continues without repeating a boot.

    Example: bootlab optimize camera.toml --budget-time 6h
    """
    from bootlab.api.optimizing import given_plan, keep_plan, wishes_of  # noqa: PLC0415 - `--help` must not wait for it

    given = given_plan(what)
    if given is not None and given.note:
        say(f"{what}: {given.note}")
    wishes = wishes_of(
        allow=[word for words in allow or () for word in words.split(",") if word not in _ALWAYS],
        also=also or (),
        budget_s=_seconds(budget_time),
        rounds=rounds,
        shrink=shrink,
        keep=[name.removeprefix("CONFIG_") for name in keep or ()],
        final=final or (),
    )
    if given is not None and wishes != wishes_of():
        raise UserError(
            f"{what} is a plan, so options such as --allow cannot be given",
            hint="edit the plan, or give the system file",
        )
    system_file = Path(given.system) if given is not None else what
    with opened(system_file, asked) as system:
        if plan or write is not None:
            found = given or system.plan_optimisation(wishes)
        else:
            results = system.optimize(wishes, plan=given, reproduce=_command(what) + asked.costs_words)
    if plan or write is not None:
        from bootlab.views.run.plan import plan_view  # noqa: PLC0415

        if write is not None:
            keep_plan(found, write)
        if asked.as_json:
            print_json(found)
            return
        out().print(plan_view(found, everything=everything))
        then = f"{write}   (edit it first)" if write is not None else str(what)
        say(f"next: {program()} optimize {then}{asked.costs_words}")
        return
    from bootlab.views.run import terminal  # noqa: PLC0415
    from bootlab.views.run.headline import said  # noqa: PLC0415

    page = results.html(html) if html is not None else results.run.folder / "optimized" / "report.html"
    if asked.as_json:
        print_json({"run": results.id, **said(results.data), "html": str(page)})
        return
    out().print(terminal.results_view(results.data, everything=everything))
    put_line(f"report: {page}")
    put_line(f"by hand: {results.run.folder / 'optimized' / 'by-hand.sh'}")
    say(f"next: {program()} boot {results.faster}")


def _command(what: Path) -> str:
    import shlex  # noqa: PLC0415

    return f"bootlab optimize {shlex.quote(str(what))}"


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh])", text.strip())
    seconds = float(found[1]) * _SECONDS[found[2]] if found is not None else 0
    if not 0 < seconds < math.inf:
        raise UserError(f"{text[:40]!r} is not a duration", hint="--budget-time 90m, --budget-time 6h")
    return seconds
