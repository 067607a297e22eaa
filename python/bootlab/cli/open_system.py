# SPDX-License-Identifier: MIT
"""Opens a system for a verb, with a progress display on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.cli.options import Kept
from bootlab.cli.progress import BootProgress

if TYPE_CHECKING:
    from bootlab.api import System


@contextmanager
def opened(path: Path, asked: Kept, *, load_meanwhile: tuple[str, ...] = ()) -> Iterator[System]:
    """Read a system file; what is booted inside the block is shown.

    `load_meanwhile`: modules that are wanted afterwards, loaded while the first machine runs.
    """
    from bootlab.api import System  # noqa: PLC0415 - `--help` must not wait for it

    with BootProgress(quiet=asked.as_json, load_meanwhile=load_meanwhile) as progress:
        yield System.load(
            path,
            store=asked.store,
            jobs=asked.jobs,
            observer=progress,
            scheduler=asked.scheduler,
            share=asked.share,
            costs=asked.costs,
        )
