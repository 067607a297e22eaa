"""Opens a system for a verb, with a progress display on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.cli.progress import BootProgress

if TYPE_CHECKING:
    from bootlab.api import System


@contextmanager
def opened(
    path: Path,
    *,
    store: Path,
    jobs: int | None = None,
    quiet: bool = False,
    load_meanwhile: tuple[str, ...] = (),
    scheduler: str | None = None,
    share: str | None = None,
) -> Iterator[System]:
    """Read a system file; what is booted inside the block is shown.

    `load_meanwhile`: modules that are wanted afterwards, loaded while the first machine runs. `scheduler`: the address
    of a dask scheduler; `share`: the URL that its workers share.
    """
    from bootlab.api import System  # noqa: PLC0415 - `--help` must not wait for it

    with BootProgress(jobs=jobs, quiet=quiet, load_meanwhile=load_meanwhile) as progress:
        yield System.load(path, store=store, jobs=jobs, observer=progress, scheduler=scheduler, share=share)
