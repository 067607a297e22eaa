"""Opens system files and the laboratory for a verb."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.cli.progress import BootProgress
from bootlab.cli.session import cache_folder, err
from bootlab.model.system import System
from bootlab.systemfile import load

if TYPE_CHECKING:
    from bootlab.laboratory import Laboratory


def opened(path: Path) -> System:
    """Read a system file."""
    return load(path)


@contextmanager
def laboratory(store: Path, *, jobs: int | None, quiet: bool) -> Iterator[tuple[Laboratory, BootProgress]]:
    """Open a laboratory with a progress display on standard error."""
    from bootlab.laboratory import Laboratory  # noqa: PLC0415 - `--help` must not wait for it

    with (
        BootProgress(err(), jobs=jobs or 2, quiet=quiet) as progress,
        Laboratory(store, cache=cache_folder(), jobs=jobs, observer=progress) as lab,
    ):
        yield lab, progress
