"""`bootlab rootfs`: a root tree cut down to what is used; which files a board has used; what in a tree cannot run."""

from __future__ import annotations

import typer

from bootlab.cli.rootfs_atime import atime
from bootlab.cli.rootfs_check import check
from bootlab.cli.rootfs_trim import trim

rootfs = typer.Typer(
    help="Remove unused files from a root tree and prove that it still works; list the files that a board used; find "
    "programs that cannot start.\n\nExample: bootlab rootfs trim system.toml",
    no_args_is_help=True,
    rich_markup_mode=None,
)
rootfs.command("trim")(trim)
rootfs.command("atime")(atime)
rootfs.command("check")(check)
