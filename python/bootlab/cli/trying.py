"""`bootlab try`: boot a system with and without each technique."""

from __future__ import annotations

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

IdsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ID]...", help="Techniques by id (forced); none: all that apply.", show_default=False),
]
RiskyOption = Annotated[
    bool, typer.Option("--risky", help="Also those that cost security or function (marked in `bootlab techniques`).")
]


def try_(
    system_file: SystemArgument,
    ids: IdsArgument = None,
    *,
    risky: RiskyOption = False,
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
        run, results = lab.try_(system, tuple(ids or ()), risky=risky, blocks=blocks, seed=seed)
    if as_json:
        print_json({"run": run.id, "results": results})
        return
    from bootlab.report import terminal  # noqa: PLC0415

    out().print(terminal.results_view(results))
    err().print(f"results: {run.results}", markup=False, soft_wrap=True)
    err().print(f"next: bootlab report {run.id} --html try.html   or: bootlab stack {system_file}", markup=False)
