"""`bootlab new`: write a commented system file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.session import JsonOption, err, print_json
from bootlab.errors import UserError
from bootlab.systemfile import template


def new(
    path: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The file to write.", show_default=False)],
    *,
    kernel: Annotated[
        str, typer.Option(help="The kernel image. Environment variables are expanded when the system file is read.")
    ] = ("$BOOTLAB_KERNEL"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a commented system file to start from.

    Example: bootlab new camera.toml --kernel /boot/vmlinuz-6.1.0-56-cloud-amd64
    """
    if path.exists() and not force:
        raise UserError(f"{path} already exists", hint="give another name, or --force to replace it")
    try:
        path.write_text(template(path.stem, kernel=kernel), encoding="utf-8")
    except OSError as fault:
        raise UserError(f"{path} cannot be written: {fault.strerror}", hint="is the folder there?") from fault
    if as_json:
        print_json({"path": str(path)})
    else:
        err().print(f"wrote {path}; next: bootlab boot {path}", markup=False)
