"""`bootlab stack`: put the winners together and hand over the faster system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.open_system import opened
from bootlab.cli.session import (
    DEFAULT_STORE,
    AllOption,
    JobsOption,
    JsonOption,
    SchedulerOption,
    ShareOption,
    StoreOption,
    SystemArgument,
    err,
    out,
    print_json,
)
from bootlab.cli.try_techniques import AllowOption, AlsoOption, IdsArgument


def stack(
    system_file: SystemArgument,
    ids: IdsArgument = None,
    *,
    allow: AllowOption = None,
    also: AlsoOption = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the HTML report to this file instead of the run's folder.")
    ] = None,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
    share: ShareOption = None,
    everything: AllOption = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Try every technique, stack the winners, leave each one out once, and write the faster system.

    After an interruption at any moment (Ctrl-C, power cut) the same command continues without repeating a boot.

    Example: bootlab stack camera.toml --html report.html
    """
    with opened(system_file, store=store, jobs=jobs, quiet=as_json, scheduler=scheduler, share=share) as system:
        results = system.stack(*ids or (), allow=allow or (), also=also or ())
    page = results.html(html or results.run.folder / "report.html")
    from bootlab.views.run import terminal  # noqa: PLC0415
    from bootlab.views.run.headline import said  # noqa: PLC0415

    if as_json:
        print_json({"run": results.id, **said(results.data), "html": str(page)})
        return
    out().print(terminal.results_view(results.data, everything=everything))
    out().print(f"report: {page}", markup=False, soft_wrap=True)
    err().print(f"next: bootlab boot {results.faster}", markup=False, soft_wrap=True)
