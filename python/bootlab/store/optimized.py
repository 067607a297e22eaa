# SPDX-License-Identifier: MIT
"""`optimized/`: everything that an optimisation hands over, put in its place at once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

import msgspec

from bootlab.errors import cannot_write
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.system import SystemDescription
from bootlab.store.handover import HandedOver, hand_over

FOLDER: Final = "optimized"


def hand_over_optimized(
    run_folder: Path, system: SystemDescription, plan: BootPlan, texts: dict[str, str]
) -> HandedOver:
    """Write the images, the system file and further texts (by file name) into `optimized/` of a run.

    They are made beside it and moved there: whoever looks sees all of it or what was there before.
    """
    making = run_folder / f".making-{os.getpid()}"
    place = run_folder / FOLDER
    for old in run_folder.glob(".making-*"):
        shutil.rmtree(old, ignore_errors=True)
    try:
        made = hand_over(making, system, plan, FOLDER)
        for name, text in texts.items():
            file = making / FOLDER / name
            file.write_text(text, encoding="utf-8")
            file.chmod(0o755 if name.endswith(".sh") else 0o644)
        for file in (making / FOLDER).iterdir():
            _on_disk(file)
        _on_disk(making / FOLDER)
        shutil.rmtree(place, ignore_errors=True)
        (making / FOLDER).rename(place)
    except OSError as fault:
        raise cannot_write(f"{place} cannot be written", fault, run_folder) from fault
    finally:
        shutil.rmtree(making, ignore_errors=True)
    files = {name: str(place / Path(path).name) for name, path in made.files.items()}
    return msgspec.structs.replace(made, folder=str(place), files=files)


def _on_disk(path: Path) -> None:
    """Have a file, or a folder's names, written out: a power cut must not leave a name without its contents."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
