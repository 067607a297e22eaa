# SPDX-License-Identifier: MIT
"""`bootlab bisect`: the revision that made the boot slower."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from bootlab.cli.gate_options import SmallestOption, smallest_ns
from bootlab.cli.options import Argument, Option
from bootlab.cli.progress import BootProgress
from bootlab.cli.session import Kept, out, print_json, say
from bootlab.errors import Found


def bisect(
    what: Annotated[
        list[str],
        Argument(
            metavar="GOOD..BAD | SYSTEM.toml...",
            help="A range of commits, or system files, oldest first, for example of different configurations.",
            show_default=False,
        ),
    ],
    *,
    system_file: Annotated[
        Path | None,
        Option(help="The system to boot. If the file is in the repository, each commit's own version is used."),
    ] = None,
    repository: Annotated[Path, Option(help="The git repository.")] = Path(),
    build: Annotated[
        str,
        Option(help="Shell command that builds a commit in its checkout ($BOOTLAB_TREE). Default: build nothing."),
    ] = "",
    smallest_ms: SmallestOption = None,
    functions: Annotated[
        bool,
        Option(
            names=("--functions/--no-functions",),
            help="Trace the boots before and after the change, to show which functions grew.",
        ),
    ] = True,
    asked: Kept,
) -> None:
    """Find the commit (or configuration) that made an exact boot slower, with the stages and functions that grew.

    64 revisions take at most 7 boots; the step is then confirmed by 8 more, under dithers.
    Exit code 11: a revision was found; 0: no revision is slower; 14: several suspects
    remain, the step is not confirmed, or only the newest revision boots.

    Example: bootlab bisect v1.0..HEAD --system-file board/system.toml --build "make -j4 initramfs"
    """
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.history import bisect_text  # noqa: PLC0415

    with ExitStack() as stack:
        revisions = stack.enter_context(
            api.revisions(what, system_file=system_file, repository=repository, build=build)
        )
        say(bisect_text.plan_line(len(revisions.all)))
        progress = stack.enter_context(BootProgress(quiet=asked.as_json))
        found, grown = api.bisect(
            revisions,
            store=asked.store,
            smallest_ns=smallest_ns(smallest_ms),
            functions=functions,
            observer=progress,
            told=lambda step: say(bisect_text.step_line(step)),
        )
    if asked.as_json:
        rows = [{"function": row.function, "self": row.own, "total": row.total, "count": row.count} for row in grown]
        print_json(
            {
                "format": "bootlab-bisect",
                "version": 1,
                "culprit": found.culprit,
                "cost_ns": found.found.cost_ns,
                "bisection": found,
                "stages_grew_ns": found.stages_grew_ns(),
                "functions": rows,
            }
        )
    else:
        out().print(bisect_text.view(found, grown))
    if found.culprit is not None:
        raise SystemExit(Found.REGRESSION)
    if found.found.first_slow is not None or not found.found.compared:
        raise SystemExit(Found.UNDECIDED)
