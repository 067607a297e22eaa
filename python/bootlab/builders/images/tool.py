# SPDX-License-Identifier: MIT
"""Running a program that makes images: found or named with its package, with an environment that changes no byte."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import nullcontext
from pathlib import Path

from bootlab.errors import EnvironmentFault, ToolMissing, UserError

UUID = "b0071ab0-0000-4000-8000-000000000000"
"""What an image is known by: one for all, so that the same tree always gives the same bytes."""

_TIMEOUT_S = 900
_SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
# Programs that do not end with an error when the image is too small for what goes in.
_NO_ROOM = ("no space left", "could not allocate", "too small", "ran out of")

# ld.so only warns.
_NOT_PRELOADED = "cannot be preloaded"


def path_of(tool: str) -> str | None:
    """Return a program's path, also where not everybody's PATH leads."""
    return shutil.which(tool, path=f"{os.environ.get('PATH', '')}:{_SYSTEM_FOLDERS}")


def find(tool: str, package: str, needed_for: str) -> str:
    """Return a program's path. Raise ToolMissing, which names its Debian package."""
    path = path_of(tool)
    if path is None:
        raise ToolMissing(tool, package=package, needed_for=needed_for)
    return path


def run(
    command: list[str],
    *,
    environ: dict[str, str] | None = None,
    source: bytes | Path | None = None,
    folder: Path | None = None,
) -> str:
    """Run a program to its end; return what it printed. `source`: its standard input; `folder`: where it runs.

    Raise EnvironmentFault when it fails, UserError when the tree does not fit the image.
    """
    # Time zone, language and a build date of the caller's would get into images.
    plain = {k: v for k, v in os.environ.items() if k not in {"SOURCE_DATE_EPOCH", "LANG", "LANGUAGE"}}
    plain |= {"LC_ALL": "C.UTF-8", "TZ": "UTC", **(environ or {})}
    data = None if isinstance(source, Path) else source or b""
    try:
        with source.open("rb") if isinstance(source, Path) else nullcontext() as stream:
            done = subprocess.run(
                command,
                stdin=stream,
                input=data,
                capture_output=True,
                env=plain,
                cwd=folder,
                timeout=_TIMEOUT_S,
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(
            f"{Path(command[0]).name} did not finish within {_TIMEOUT_S} s", hint="is the disk full?"
        ) from error
    name = Path(command[0]).name
    said = (done.stdout + done.stderr).decode(errors="replace")
    if _NOT_PRELOADED in said:
        raise EnvironmentFault(
            f"{name} ran without the preloaded library that makes its image reproducible: {said.strip()[:200]}",
            hint="is it built for another architecture? check with: bootlab doctor",
        )
    if any(words in said.lower() for words in _NO_ROOM):
        raise UserError(
            f"{name}: the tree does not fit the image: {said.strip()[-200:]}", hint="raise storage.root_kib"
        )
    if done.returncode:
        raise EnvironmentFault(
            f"{name} failed with code {done.returncode}: {said.strip()[-300:]}", hint=f"its version: {name} --version"
        )
    return said
