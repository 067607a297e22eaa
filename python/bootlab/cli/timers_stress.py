# SPDX-License-Identifier: MIT
"""`bootlab timers stress`: thousands of timers, every expiration accounted for, beside the table of 2003."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bootlab.cli.files import write_files
from bootlab.cli.open_system import opened
from bootlab.cli.options import Option
from bootlab.cli.session import Kept, out, print_json, say
from bootlab.cli.timers_options import SystemOption, TimerRun
from bootlab.errors import UserError
from bootlab.timers.request import Mode, StressRequest

if TYPE_CHECKING:
    from bootlab.timers.stress import StressResult


def stress(
    system_file: SystemOption = None,
    *,
    run: TimerRun,
    to_limit: Annotated[
        bool,
        Option(help="Use as many timers as the system allows; find out first how many that is."),
    ] = False,
    mode: Annotated[
        Mode,
        Option(
            help="stress: periodic timers. burst: all timers expire at one instant. curves: cost of each call. churn: "
            "timers are created, rearmed and deleted during the run. limit: how many timers the system allows."
        ),
    ] = "stress",
    threads: Annotated[int, Option(least=1, most=64, help="Number of receiving threads for --receiver thread-id.")] = 2,
    plant: Annotated[
        list[str] | None,
        Option(
            help="Inject a fault into every Nth delivery, to test the test: drop=N, copy=N, delay=N:S. May be given "
            "more than once."
        ),
    ] = None,
    kernel_share: Annotated[
        bool,
        Option(
            help="Count the instructions of the run in the kernel and in user space. Needs exact mode and one more "
            "traced boot per population."
        ),
    ] = False,
    read: Annotated[Path | None, Option(metavar="FILE", help="Show a saved result without running anything.")] = None,
    save: Annotated[Path | None, Option(help="Save the result for `bootlab timers compare`.")] = None,
    html: Annotated[Path | None, Option(help="Write one HTML page with histograms.")] = None,
    asked: Kept,
) -> None:
    """Run thousands of periodic timers and account for every expiration, on this machine or in a booted system.

    Exit code 4: an expiration was lost, early or delivered twice.

    Example: bootlab timers stress --timers classic --scale 60 --html timers.html
    """
    from bootlab.timers import page, saved, text  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.timers.here import TimersFailed  # noqa: PLC0415

    if read is not None:
        result = saved.load(read)
    else:
        wanted = run.request(mode=mode, threads=threads, plants=tuple(plant or ()))
        result = _run(system_file, wanted, asked, to_limit=to_limit, count=kernel_share)
    write_files(
        (save, lambda: saved.encode(result)),
        (html, lambda: page.render(result).encode("utf-8", "replace")),
    )
    if asked.as_json:
        print_json(result)
    else:
        for view in text.stress(result):
            out().print(view)
    if result.faults:
        if asked.as_json:
            raise SystemExit(TimersFailed.exit_code)
        raise TimersFailed(
            f"{len(result.faults)} checks of the counts failed",
            hint="try another --receiver, or --save FILE to keep the figures",
        )


def _run(system_file: Path | None, wanted: StressRequest, asked: Kept, *, to_limit: bool, count: bool) -> StressResult:
    import msgspec  # noqa: PLC0415

    from bootlab.timers import booted, here  # noqa: PLC0415

    limit = msgspec.structs.replace(wanted, mode="limit", populations=(1,))
    if system_file is not None:
        with opened(system_file, asked) as system:
            if to_limit:
                wanted = here.to_limit(booted.stress(system, limit), wanted)
            return booted.stress(system, wanted, count_instructions=count)
    if count:
        raise UserError(
            "--kernel-share counts instructions, which only exact mode can", hint="name a SYSTEM.toml in exact mode"
        )
    if to_limit:
        wanted = here.to_limit(here.stress_here(limit), wanted)
    lines = 0

    def printed() -> None:
        nonlocal lines
        lines += 1
        if not asked.as_json and wanted.total_s > 20:
            say(f"{max(lines - 1, 0)} of {len(wanted.populations)} populations done")

    return here.stress_here(wanted, line=printed)
