"""`bootlab xip`: start a kernel from flash in every way, and see what execute-in-place saves and costs."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from bootlab.cli.markdown_page import put
from bootlab.cli.opening import opened
from bootlab.cli.session import DEFAULT_STORE, JobsOption, JsonOption, StoreOption, SystemArgument, out, print_json


class Start(enum.StrEnum):
    """How the kernel starts."""

    IN_PLACE = "in-place"
    COPIED = "copied"
    UNPACKED = "unpacked"
    UNPACKED_IN_PLACE = "unpacked-in-place"


def xip(
    system_file: SystemArgument,
    starts: Annotated[
        list[Start] | None, typer.Argument(metavar="[START]...", help="Only these ways; none: all.", show_default=False)
    ] = None,
    *,
    markdown: Annotated[
        Path | None,
        typer.Option(help="Write the tables as Markdown; into its section xip-tables-ARCH of a page that has one."),
    ] = None,
    flash_line_ns: Annotated[float, typer.Option(min=1, help="Model: a cache line read from flash.")] = 530.0,
    ram_line_ns: Annotated[float, typer.Option(min=0, help="Model: a cache line read from RAM.")] = 60.0,
    misses: Annotated[
        float, typer.Option(min=0, max=1000, help="Model: instruction-cache misses in 1000 instructions.")
    ] = 10.0,
    jobs: JobsOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Start a system's kernel from NOR flash: executed in place, copied, unpacked; compare the boots and the run time.

    Builds a kernel for each way. Where the kernel's code lies is asked of the emulator and of /proc/iomem.

    ARM and RISC-V `virt`; a RISC-V kernel does not unpack itself.

    Example: bootlab xip examples/arm-virt-flash/system.toml in-place copied
    """
    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        table = system.xip(*(start.value for start in starts or ()))
    from bootlab.report import xip_text  # noqa: PLC0415
    from bootlab.report.xip_model import FlashModel  # noqa: PLC0415

    model = FlashModel(flash_line_ns=flash_line_ns, ram_line_ns=ram_line_ns, misses_per_1000=misses)
    if markdown is not None:
        put(markdown, f"xip-tables-{system.value.machine.arch}", xip_text.markdown(table, model))
    if as_json:
        rows = [{**msgspec.to_builtins(row), "model_added_ns": model.added_ns(row)} for row in table.rows]
        print_json({**msgspec.to_builtins(table), "rows": rows, "model": model})
    else:
        out().print(xip_text.terminal(table, model))
