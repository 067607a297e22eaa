# SPDX-License-Identifier: MIT
"""`bootlab kernel`: build a system's kernel, or show the configuration that it is built with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from rich.table import Table
from rich.text import Text

from bootlab.cli.files import write_files
from bootlab.cli.options import Argument, Option
from bootlab.cli.progress import BootProgress
from bootlab.cli.session import JsonOption, SystemArgument, out, print_json, put_line, say
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.api.values import BuiltKernel, KernelOption, KernelSize


def kernel(
    action: Annotated[
        Literal["build", "config", "size"],
        Argument(
            help="build: build the kernel. config: print its .config, or what --set would change. size: show which "
            "parts make it large."
        ),
    ],
    system_file: SystemArgument,
    *,
    options: Annotated[
        list[str] | None,
        Option(
            names=("--set",),
            metavar="OPTION=VALUE",
            help="Set a kernel option, such as SMP=n. May be given more than once.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        Option(help="build: copy the image and the files that belong to it into this folder."),
    ] = None,
    compilers: Annotated[
        int | None,
        Option(
            names=("--jobs", "-j"),
            least=1,
            most=1024,
            help="Run up to this many compilers at a time. Default: one per core.",
        ),
    ] = None,
    depth: Annotated[int, Option(least=1, most=8, help="size: group by source folders down to this depth.")] = 2,
    rows: Annotated[int, Option(least=1, help="size: show this many rows of each table and add up the rest.")] = 20,
    csv: Annotated[Path | None, Option(help="size: write all rows as CSV.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Build a system's kernel, show its configuration, or show what makes it large.

    The section [kernel] of the system file must name a source. A kernel that was built before comes from the cache.
    Ctrl-C stops a build; the same command continues it.

    Example: bootlab kernel build system.toml --set SMP=n --output out
    """
    from bootlab.api import System  # noqa: PLC0415 - `--help` must not wait for it

    wanted = tuple(_option(text) for text in options or ())
    with BootProgress(quiet=as_json) as progress:
        system = System.load(system_file, observer=progress)
        try:
            if action == "size":
                size = system.kernel_size(wanted, depth=depth)
            elif action == "config":
                if wanted:
                    changed = system.kernel_options(wanted)
                else:
                    config = system.kernel_config()
            else:
                built = system.build_kernel(wanted, compilers=compilers)
        except KeyboardInterrupt:
            say("stopped; the same command continues the build")
            raise SystemExit(130) from None
    if action == "size":
        _say_size(size, csv, rows, as_json=as_json)
    elif action == "build":
        if output is not None:
            built.copy_to(output)
        _say_built(built, output, as_json=as_json)
    elif wanted:
        _say_changed(changed, as_json=as_json)
    elif as_json:
        print_json({"config": config})
    else:
        sys.stdout.write(config)


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UserError(f"{text[:80]!r} is not OPTION=VALUE", hint="--set SMP=n, --set HZ_100=y, --set CMDLINE='\"x\"'")
    return name.removeprefix("CONFIG_"), value


def _say_built(built: BuiltKernel, output: Path | None, *, as_json: bool) -> None:
    folder = output if output is not None else built.folder
    if as_json:
        print_json({**msgspec.structs.asdict(built.facts), "folder": str(folder), "reused": built.reused})
        return
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for name, size in built.facts.sizes_bytes.items():
        table.add_row(Text(name), Text(f"{size:,}".replace(",", " "), justify="right"), Text("bytes"))
    out().print(table)
    facts = built.facts
    how = "from the cache" if built.reused else f"{facts.objects_built} of {facts.objects} objects made"
    put_line(f"Linux {facts.source}, {facts.arch}, {facts.compiler}; {how}, {facts.wall_s:.0f} s")
    put_line(str(folder))


def _say_size(size: KernelSize, csv: Path | None, rows: int, *, as_json: bool) -> None:
    from bootlab.views.run import kernel_size_text  # noqa: PLC0415

    write_files((csv, lambda: kernel_size_text.comma_separated(size)))
    if as_json:
        print_json(size)
    else:
        out().print(kernel_size_text.terminal(size, rows=rows))


def _say_changed(changed: tuple[KernelOption, ...], *, as_json: bool) -> None:
    if as_json:
        print_json({"changed": changed})
        return
    if not changed:
        out().print("nothing changes: the options are so already")
    for option in changed:
        why = "" if option.asked else "   (follows)"
        before, after = (value if value is not None else "not there" for value in (option.before, option.after))
        put_line(f"CONFIG_{option.name}: {before} -> {after}{why}")
