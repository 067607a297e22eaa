# SPDX-License-Identifier: MIT
"""`bootlab board calibrate`: measure a board's processor, memory, kernel, medium and console."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from bootlab.cli.files import STDOUT, write_file
from bootlab.cli.options import Argument, Option
from bootlab.cli.screen import print_json, put_line, say
from bootlab.cli.session import JsonOption
from bootlab.errors import UserError


def calibrate(
    board_file: Annotated[
        Path | None,
        Argument(
            metavar="[BOARD.toml]",
            help="The board file; its [ssh] or [serial] leads to a board that runs. Default: this machine.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[Path, Option(names=("--output", "-o"), help="The file of costs to write.")] = Path("costs.toml"),
    given: Annotated[
        Path | None,
        Option(
            names=("--from",),
            metavar="FILE",
            help="Read what the program printed on the board (a console's log will do), and run nothing.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str | None,
        Option(names=("--ssh",), metavar="HOST", help="Run it on this host, without a board file.", show_default=False),
    ] = None,
    medium: Annotated[
        str | None,
        Option(
            metavar="PATH",
            help="A large file or a block device on the board, whose reading is measured: /dev/mmcblk0.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[bool, Option(help="Measure for a second, roughly.")] = False,
    print_program: Annotated[
        bool, Option(help="Build the program and print where it is, to run it by hand; then --from.")
    ] = False,
    arch: Annotated[
        str | None,
        Option(
            help="With --print-program: x86_64, arm, arm64 or riscv64. Default: this machine's.", show_default=False
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what a board's processor, memory, kernel, medium and console take, and write a file for --costs.

    A small static program runs there for about ten seconds. It needs no rights, but for the medium. Its output is kept
    beside the file, as .txt.

    Example: bootlab board calibrate --ssh root@camera --medium /dev/mmcblk0 -o camera-costs.toml
    """
    from bootlab.api import calibration as api  # noqa: PLC0415 - `--help` must not wait for it

    if print_program:
        built = api.calibrate_program(arch)
        if as_json:
            print_json({"program": str(built), "bytes": built.stat().st_size})
            return
        put_line(str(built))
        say("copy it to the board, run it, keep its output; then: bootlab board calibrate --from OUTPUT")
        return
    if arch is not None:
        raise UserError("--arch belongs to --print-program", hint="elsewhere the board says what it is")
    if given is not None and (board_file, host) != (None, None):
        raise UserError("--from reads a file, and runs nothing on a board", hint="leave the board out")
    try:
        printed = given.read_bytes() if given is not None else None
    except OSError as fault:
        raise UserError(f"{given} cannot be read: {fault.strerror}", hint="bootlab board calibrate --help") from fault
    if printed is None:
        printed = api.calibrate(board_file, host=host, medium=medium, quick=quick, told=say)
    found = api.calibrated(printed)
    write_file(output, found.text())
    if given is None and output != STDOUT:
        write_file(output.with_suffix(".txt"), printed)
    if as_json:
        print_json(_document(found, output))
        return
    _show(found, output)


def _document(found: Any, output: Path) -> dict[str, Any]:
    return {
        "format": "bootlab-calibration",
        "version": 1,
        "costs": str(output),
        "machine": found.machine,
        "notes": found.notes,
        "unknown": found.unknown,
        "processor": found.core,
        "console": found.console,
        "medium": found.medium,
    }


def _show(found: Any, output: Path) -> None:
    core = found.core
    load, memory, wrong = (core.figures[name].between.text() for name in ("l1d_hit", "dram_ns", "mispredict"))
    clock = f"clock {core.ghz[0]:.2f} to {core.ghz[1]:.2f} GHz, a load {load} cycles, memory {memory} ns"
    tables = [f"{name}: {table}" for name, table in (("console", found.console), ("medium", found.medium)) if table]
    said = (core.title, f"{clock}, a branch not foreseen {wrong} cycles", *tables, *found.told)
    for line in said:
        put_line(line)
    for line in (*found.notes, *(f"unknown: {one}" for one in found.unknown)):
        say(line)
    say(
        f"wrote {output}; then: bootlab boot SYSTEM.toml --costing {output}, bootlab stack SYSTEM.toml --costs {output}"
    )
