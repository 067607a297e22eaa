# SPDX-License-Identifier: MIT
"""`bootlab xip`: start a kernel from flash in every way, and see what execute-in-place saves and costs."""

from __future__ import annotations

import enum
from typing import Annotated

from bootlab.cli.comparison import TableFiles, show
from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, Option
from bootlab.cli.session import Booting, SystemArgument


class XipStart(enum.StrEnum):
    """How the kernel starts."""

    IN_PLACE = "in-place"
    COPIED = "copied"
    UNPACKED = "unpacked"
    UNPACKED_IN_PLACE = "unpacked-in-place"
    PARTIAL = "partial"


def xip(
    system_file: SystemArgument,
    starts: Annotated[
        list[XipStart] | None,
        Argument(metavar="[START]...", help="Ways to start the kernel. Default: all but partial.", show_default=False),
    ] = None,
    *,
    files: TableFiles,
    flash_line_ns: Annotated[
        float, Option(least=1, help="For the model: time to read a cache line from flash, in nanoseconds.")
    ] = 530.0,
    ram_line_ns: Annotated[
        float, Option(least=0, help="For the model: time to read a cache line from RAM, in nanoseconds.")
    ] = 60.0,
    misses: Annotated[
        float, Option(least=0, most=1000, help="For the model: instruction-cache misses per 1000 instructions.")
    ] = 10.0,
    asked: Booting,
) -> None:
    """Start a kernel from NOR flash in several ways: executed in place, copied, unpacked; compare boot and run times.

    Builds a kernel for each way. The emulator and /proc/iomem show where the kernel's code really is.

    `partial` traces the kernel executed in place, and builds one whose hottest functions run from RAM while all others
    stay in flash (ARM, Linux 6.1).

    Works on the `virt` machines of ARM and RISC-V. A RISC-V kernel cannot unpack itself.

    Example: bootlab xip examples/arm-virt-flash/system.toml in-place copied
    """
    from bootlab.api.comparisons import Xip  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.model.flash_model import FlashModel  # noqa: PLC0415

    model = FlashModel(flash_line_ns=flash_line_ns, ram_line_ns=ram_line_ns, misses_per_1000=misses)
    with opened(system_file, asked) as system:
        results = system.compare(Xip(*(start.value for start in starts or ()), model=model))
    section = f"xip-tables-{system.value.machine.arch}"
    if XipStart.PARTIAL in (starts or ()):
        section += "-partial"
    show(results.comparison, files, asked, results, section=section)
