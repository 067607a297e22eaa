# SPDX-License-Identifier: MIT
"""The program that measures a board (guest/calibrate), built once for each architecture."""

from __future__ import annotations

from pathlib import Path

from bootlab.builders.guest_program import build
from bootlab.data import source_folder
from bootlab.model.architecture import Arch

# As guest/Makefile builds it: without a C library.
_FLAGS = (
    "-O2", "-static", "-s", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-fno-pie", "-no-pie",
    "-fno-asynchronous-unwind-tables", "-fno-tree-loop-distribute-patterns", "-Wl,--build-id=none",
    "-Wl,-z,noseparate-code",
)  # fmt: skip


def calibrate_program(arch: Arch) -> Path:
    """Return the program for an architecture, built at first use. Raise ToolMissing or EnvironmentFault."""
    folder = source_folder("calibrate", "main.c")
    sources = [*sorted(folder.glob("*.[ch]")), source_folder("late", "start.h") / "start.h"]
    # Thumb's short branches do not reach over a measured block.
    flags = (*_FLAGS, "-marm") if arch == "arm" else _FLAGS
    return build("bootlab-calibrate", sources, arch, flags, needed_for="to measure a board")
