"""`bootlab try`: boot a system with and without each technique."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from bootlab.cli.open_system import opened
from bootlab.cli.session import (
    DEFAULT_STORE,
    AllOption,
    JobsOption,
    JsonOption,
    StoreOption,
    SystemArgument,
    err,
    out,
    print_json,
)


class Cost(enum.StrEnum):
    """What a technique may cost beyond time."""

    FUNCTION = "function"
    SECURITY = "security"
    RUNTIME = "runtime"


IdsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ID]...",
        help="Techniques to try, even if they seem not to apply. Default: all that apply.",
        show_default=False,
    ),
]
AllowOption = Annotated[
    list[Cost] | None,
    typer.Option(
        "--allow",
        help="Also stack techniques that cost `function`, `security` or `runtime`. May be given more than once.",
    ),
]
AlsoOption = Annotated[
    list[str] | None,
    typer.Option(
        "--also", metavar="ID", help="Also stack this technique, whatever it costs. May be given more than once."
    ),
]


def try_(
    system_file: SystemArgument,
    ids: IdsArgument = None,
    *,
    inexact: Annotated[
        bool,
        typer.Option("--inexact", help="If boots of the same system differ, continue and judge as in free mode."),
    ] = False,
    blocks: Annotated[
        int, typer.Option(min=3, max=1000, help="Free mode and --inexact: number of blocks of boots.")
    ] = 7,
    seed: Annotated[int, typer.Option(help="Free mode and --inexact: seed of the random order.")] = 1,
    jobs: JobsOption = None,
    everything: AllOption = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Try techniques one by one: boot with and without, prove the effect, give a verdict.

    Example: bootlab try camera.toml quiet crypto-selftests
    """
    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        results = system.try_(*ids or (), blocks=blocks, seed=seed, inexact=inexact)
    from bootlab.views.run import terminal  # noqa: PLC0415
    from bootlab.views.run.headline import said  # noqa: PLC0415

    if as_json:
        print_json({"run": results.id, **said(results.data)})
        return
    out().print(terminal.results_view(results.data, everything=everything))
    err().print(f"results: {results.run.results}", markup=False, soft_wrap=True)
    err().print(
        f"next: bootlab report {results.id} --html try.html   or: bootlab stack {system_file}",
        markup=False,
        soft_wrap=True,
    )
