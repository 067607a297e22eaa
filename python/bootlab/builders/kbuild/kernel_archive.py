# SPDX-License-Identifier: MIT
"""A kernel that was built as one file, to be handed from one machine to another."""

from __future__ import annotations

from pathlib import Path

from bootlab.builders.kbuild.tar import tar
from bootlab.builders.whole_folder import whole
from bootlab.errors import EnvironmentFault, cannot_write


def pack(folder: Path, archive: Path) -> None:
    """Write all of a kernel's folder into a file. Raise EnvironmentFault."""
    said = tar("--sort=name", "--use-compress-program=gzip -1", "-cf", str(archive), "-C", str(folder), ".")
    if said:
        raise EnvironmentFault(
            f"{folder} cannot be packed: {said[-300:]}", hint=f"is there room? df -h {archive.parent}"
        )


def unpack(archive: Path, folder: Path) -> None:
    """Put a kernel into its folder, whole or not at all. Raise EnvironmentFault."""
    try:
        with whole(folder) as work:
            said = tar("--no-same-owner", "-xf", str(archive), "-C", str(work))
            if said:
                raise EnvironmentFault(
                    f"{archive} cannot be unpacked: {said[-300:]}", hint=f"is there room? df -h {folder.parent}"
                )
    except OSError as error:
        raise cannot_write(f"{folder} cannot be written", error, folder.parent) from error
