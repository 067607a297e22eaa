"""`bootlab try`: boot a system with and without each technique."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from bootlab.cli.opening import laboratory, opened
from bootlab.cli.session import (
    DEFAULT_STORE,
    JobsOption,
    JsonOption,
    StoreOption,
    SystemArgument,
    err,
    out,
    print_json,
)
from bootlab.experiment.selection import Selection


class Cost(enum.StrEnum):
    """What a technique may cost beyond time."""

    FUNCTION = "function"
    SECURITY = "security"


IdsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ID]...", help="Techniques by id (forced); none: all that apply.", show_default=False),
]
AllowOption = Annotated[
    list[Cost] | None,
    typer.Option("--allow", help="Stack also what costs `function` or `security`. May be given twice."),
]
AlsoOption = Annotated[
    list[str] | None,
    typer.Option("--also", metavar="ID", help="Stack also this technique, whatever it costs. May be repeated."),
]


def selection(ids: list[str] | None, allow: list[Cost] | None, also: list[str] | None) -> Selection:
    """Put the options together."""
    return Selection(ids=tuple(ids or ()), allow=frozenset(c.value for c in allow or ()), also=tuple(also or ()))


def try_(
    system_file: SystemArgument,
    ids: IdsArgument = None,
    *,
    blocks: Annotated[int, typer.Option(min=3, max=1000, help="Free mode: how many blocks of boots.")] = 7,
    seed: Annotated[int, typer.Option(help="Free mode: seed of the random order.")] = 1,
    jobs: JobsOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Try techniques one by one: boot with and without, prove the effect, give a verdict.

    Example: bootlab try camera.toml quiet crypto-selftests
    """
    system = opened(system_file)
    with laboratory(store, jobs=jobs, quiet=as_json) as (lab, _):
        run, results = lab.try_(system, Selection(ids=tuple(ids or ())), blocks=blocks, seed=seed)
    if as_json:
        print_json({"run": run.id, "results": results})
        return
    from bootlab.report import terminal  # noqa: PLC0415

    out().print(terminal.results_view(results))
    err().print(f"results: {run.results}", markup=False, soft_wrap=True)
    err().print(f"next: bootlab report {run.id} --html try.html   or: bootlab stack {system_file}", markup=False)
