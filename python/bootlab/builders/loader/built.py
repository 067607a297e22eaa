# SPDX-License-Identifier: MIT
"""A boot loader that was built: its folder in the cache, and how what a build made gets there, whole or not at all."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import msgspec

from bootlab.builders.whole_folder import whole
from bootlab.errors import EnvironmentFault, LoaderBuildError
from bootlab.formats import symbol_list
from bootlab.model.boot_loader import LoaderBoard
from bootlab.recordings import sealed
from bootlab.recordings.sealed import Form

FACTS = "loader.json"
# One of an older bootlab is taken as it is, as its kernels are.
_FORM = Form(name="bootlab-loader", version=2, sealed_since=2, oldest=1)
IMAGE = "u-boot-with-spl.bin"
# ELF files of a build, and the names under which their symbols are kept.
_SYMBOLS = (("spl/u-boot-spl", "spl.symbols"), ("u-boot", "u-boot.symbols"))


class LoaderFacts(msgspec.Struct, frozen=True, kw_only=True):
    """`loader.json` beside the artefacts. `sizes_bytes` by file name; `wall_s`: how long the build took."""

    format: str = "bootlab-loader"
    version: int = 2
    source: str
    compiler: str
    sizes_bytes: dict[str, int]
    asked: tuple[str, ...] = ()
    wall_s: float = 0.0


class BuiltLoader(msgspec.Struct, frozen=True, kw_only=True):
    """The artefacts of one U-Boot. `reused`: it was in the cache, nothing was built."""

    folder: Path
    facts: LoaderFacts
    reused: bool = False

    @property
    def image(self) -> Path:
        """SPL and U-Boot as they lie on the card."""
        return self.folder / IMAGE

    @property
    def config(self) -> Path:
        """The configuration it was built with."""
        return self.folder / "config"

    @property
    def log(self) -> Path:
        """What make said."""
        return self.folder / "build.log"

    def spl_symbols(self) -> dict[str, int]:
        """Return the addresses of the SPL's functions. Raise OSError."""
        found = symbol_list.lines(self.folder / "spl.symbols")
        return {name: address for address, kind, name in found if kind in "tTwW"}

    def part(self, board: LoaderBoard, number: int) -> bytes:
        """Return one of the board's parts as it lies in the image. Raise OSError."""
        name, start = board.parts[number]
        return self.image.read_bytes()[start : start + self.facts.sizes_bytes[Path(name).name]]


def load(folder: Path) -> BuiltLoader | None:
    """Return what a folder of the cache holds, None when it holds nothing."""
    facts = sealed.kept(folder / FACTS, LoaderFacts, _FORM)
    if facts is None:
        return None
    return BuiltLoader(folder=folder, facts=facts, reused=True)


def keep(view: Path, log: Path, facts: LoaderFacts, board: LoaderBoard, folder: Path, *, prefix: str) -> BuiltLoader:
    """Copy what a build made into its folder of the cache. Raise OSError, LoaderBuildError, EnvironmentFault."""
    from bootlab.builders.kbuild.overlay import OBJECTS  # noqa: PLC0415 - most systems have no boot loader

    objects = view / OBJECTS
    with whole(folder) as work:
        (work / IMAGE).write_bytes(_joined(objects, board))
        shutil.copyfile(objects / ".config", work / "config")
        shutil.copyfile(log, work / "build.log")
        for file, name in _SYMBOLS:
            (work / name).write_text(_symbols(objects / file, prefix), encoding="utf-8")
        sizes = {Path(name).name: (objects / name).stat().st_size for name, _ in board.parts}
        sizes[IMAGE] = (work / IMAGE).stat().st_size
        facts = msgspec.structs.replace(facts, sizes_bytes=sizes)
        sealed.keep(work / FACTS, facts)
    return BuiltLoader(folder=folder, facts=facts)


def _joined(objects: Path, board: LoaderBoard) -> bytes:
    data = bytearray()
    for name, start in board.parts:
        if len(data) > start:
            raise LoaderBuildError(
                f"the SPL has {len(data)} bytes, but U-Boot begins {start} bytes after its start on the card",
                hint="leave options out; those of the SPL begin with SPL_",
            )
        data += bytes(start - len(data)) + (objects / name).read_bytes()
    return bytes(data)


def _symbols(elf: Path, prefix: str) -> str:
    done = subprocess.run(
        [f"{prefix}nm", "-n", str(elf)], capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        raise EnvironmentFault(f"{prefix}nm cannot read {elf}: {done.stderr.strip()[-200:]}", hint="is the disk full?")
    return done.stdout
