# SPDX-License-Identifier: MIT
"""`bootlab rootfs trim`: leave out of a root tree what nobody uses, and prove that the system still works."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

from bootlab.cli.comparison import TableFiles, write_tables
from bootlab.cli.open_system import opened
from bootlab.cli.options import Option
from bootlab.cli.screen import program
from bootlab.cli.session import Booting, SystemArgument, out, print_json, say
from bootlab.errors import UserError


class AccessMethod(enum.StrEnum):
    """How accesses are seen."""

    FANOTIFY = "fanotify"
    TRACING = "tracing"
    ATIME = "atime"


def trim(
    system_file: SystemArgument,
    *,
    keep: Annotated[
        list[str] | None,
        Option(
            metavar="PATTERN",
            help="Keep files that match this pattern, such as '/etc/ssl/*'. May be given more than once.",
        ),
    ] = None,
    method: Annotated[
        list[AccessMethod] | None,
        Option(help="Use only this way of observing file accesses. May be given more than once. Default: all."),
    ] = None,
    accesses: Annotated[
        Path | None,
        Option(
            help="Use this list of files used on a board instead of observing a boot: the output of `rootfs atime`, "
            "or one path per line."
        ),
    ] = None,
    dry_run: Annotated[bool, Option(help="List what would be removed, without booting the trimmed system.")] = False,
    output: Annotated[
        Path | None, Option(help="Write the trimmed system to this folder. Default: a folder in the store.")
    ] = None,
    every_file: Annotated[
        bool, Option(names=("--all",), help="Print every file with the reason why it stays or goes.")
    ] = False,
    files: TableFiles,
    asked: Booting,
) -> None:
    """Remove files from the root tree that neither the boot up to its goal nor the functional check uses.

    One boot is observed by every method that the kernel offers (fanotify, tracing, access times). Then the trimmed
    system is booted and must pass the check; files that turn out to be missing are put back. What the check, the first
    program, the application or a keep list (`keep` in the system file, --keep) needs always stays. Boots are kept: a
    rerun continues. Exit code 4: the trimmed system cannot be made to work.

    Example: bootlab rootfs trim camera.toml --keep '/etc/ssl/*'
    """
    from bootlab.api import root_files  # noqa: PLC0415
    from bootlab.api.comparisons import TrimRequest, trim_table  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.table import terminal  # noqa: PLC0415

    request = TrimRequest(
        keep=_patterns(keep or []),
        methods=tuple(m.value for m in method or ()),
        given=root_files.load(accesses) if accesses is not None else None,
        dry_run=dry_run,
    )
    with opened(system_file, asked) as system:
        found = system.trim(request, folder=output)
    table = trim_table(found, every_file=every_file)
    write_tables(table, files, section="trim")
    if asked.as_json:
        print_json(found)
        return
    out().print(terminal.view(table))
    say(f"every name with its reason: {found.folder}/trim.json")
    if not dry_run:
        say(f"the tree: {found.folder}/tree.tar\nnext: {program()} boot {found.folder}/trimmed/system.toml")


def _patterns(given: list[str]) -> tuple[str, ...]:
    for pattern in given:
        if not pattern.startswith("/"):
            raise UserError(f"{pattern!r} is not an absolute path", hint=f"write --keep '/{pattern}'")
    return tuple(given)
