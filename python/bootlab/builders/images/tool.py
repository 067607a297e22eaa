"""Running a program that makes images: found or named with its package, with an environment that changes no byte."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from bootlab.errors import EnvironmentFault, ToolMissing, UserError

_TIMEOUT_S = 900
_SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
# Programs that do not end with an error when the image is too small for what goes in.
_NO_ROOM = ("no space left", "could not allocate", "too small", "ran out of")


def find(tool: str, package: str, needed_for: str) -> str:
    """Return a program's path. Raise ToolMissing, which names its Debian package."""
    path = shutil.which(tool, path=f"{os.environ.get('PATH', '')}:{_SYSTEM_FOLDERS}")
    if path is None:
        raise ToolMissing(tool, package=package, needed_for=needed_for)
    return path


def run(command: list[str], *, environ: dict[str, str] | None = None, source: bytes | Path | None = None) -> str:
    """Run a program to its end; return what it printed. `source` becomes its standard input.

    Raise EnvironmentFault when it fails, UserError when the tree does not fit the image.
    """
    # Time zone, language and a build date of the caller's would get into images.
    plain = {k: v for k, v in os.environ.items() if k not in {"SOURCE_DATE_EPOCH", "LANG", "LANGUAGE"}}
    plain |= {"LC_ALL": "C.UTF-8", "TZ": "UTC", **(environ or {})}
    try:
        if isinstance(source, Path):
            with source.open("rb") as stream:
                done = subprocess.run(
                    command, stdin=stream, capture_output=True, env=plain, timeout=_TIMEOUT_S, check=False
                )
        else:
            done = subprocess.run(
                command, input=source or b"", capture_output=True, env=plain, timeout=_TIMEOUT_S, check=False
            )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(
            f"{Path(command[0]).name} did not end within {_TIMEOUT_S} s", hint="is the disk full?"
        ) from error
    said = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode or any(words in said.lower() for words in _NO_ROOM):
        name = Path(command[0]).name
        if any(words in said.lower() for words in _NO_ROOM):
            raise UserError(
                f"{name}: the tree does not fit the image: {said.strip()[-200:]}", hint="raise storage.root_kib"
            )
        raise EnvironmentFault(
            f"{name} failed with code {done.returncode}: {said.strip()[-300:]}", hint=f"its version: {name} --version"
        )
    return said
