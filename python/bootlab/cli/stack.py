"""`bootlab stack`: put the winners together and hand over the faster system."""

from __future__ import annotations

from pathlib import Path
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
from bootlab.cli.trying import AllowOption, AlsoOption, IdsArgument, selection


def stack(
    system_file: SystemArgument,
    ids: IdsArgument = None,
    *,
    allow: AllowOption = None,
    also: AlsoOption = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the HTML report here too.")] = None,
    jobs: JobsOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Try every technique, stack the winners, leave each out once, hand over the faster system.

    Stopped at any moment (Ctrl-C, power cut), the same command goes on without repeating a boot.

    Example: bootlab stack camera.toml --html report.html
    """
    system = opened(system_file)
    with laboratory(store, jobs=jobs, quiet=as_json) as (lab, _):
        run, results = lab.stack(system, selection(ids, allow, also))
    from bootlab.report import publish  # noqa: PLC0415

    page = html or run.folder / "report.html"
    publish.html_page(results, page)
    if as_json:
        print_json({"run": run.id, "results": results, "html": str(page)})
        return
    from bootlab.report import terminal  # noqa: PLC0415

    out().print(terminal.results_view(results))
    out().print(f"report: {page}", markup=False, soft_wrap=True)
    err().print(f"next: bootlab boot {run.folder / 'faster' / 'system.toml'}", markup=False, soft_wrap=True)
