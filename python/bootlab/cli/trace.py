"""`bootlab trace`: every function of the boot, from the first instruction to the goal, without touching the kernel."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from bootlab.cli.files import write_files
from bootlab.cli.session import Kept, out, print_json, say
from bootlab.errors import UserError


class Show(StrEnum):
    """A table to print."""

    SUMMARY = "summary"
    FUNCTIONS = "functions"
    SELF = "self"
    TREE = "tree"
    WAITS = "waits"
    INITCALLS = "initcalls"
    IRQOFF = "irqoff"
    LEVERS = "levers"
    PREEMPTOFF = "preemptoff"
    NOSCHED = "nosched"


def trace(
    what: Annotated[
        Path,
        typer.Argument(
            metavar="SYSTEM.toml|TRACE",
            help="A system file, the recording folder of a traced boot, or a trace from another tool: KFI or KFT log, "
            "function_graph text, trace.dat, perf script. `-` reads standard input.",
            show_default=False,
        ),
    ],
    *,
    compare: Annotated[
        Path | None,
        typer.Option(
            "--compare",
            metavar="BASE",
            help="Show what changed since BASE: a system file, a recording's folder, or a trace that `bootlab "
            "analyze` reads.",
        ),
    ] = None,
    by: Annotated[
        Literal["plugin", "ftrace"],
        typer.Option(
            "--by", help="Choose the tracer: the QEMU plugin (exact), or the kernel's own function_graph tracer."
        ),
    ] = "plugin",
    show: Annotated[
        list[Show] | None, typer.Option("--show", help="Print this table. May be given more than once.")
    ] = None,
    rows: Annotated[int, typer.Option("-n", "--rows", min=1, help="Show at most this many rows of each table.")] = 25,
    min_us: Annotated[
        float,
        typer.Option("-t", "--min-us", min=0, help="Leave out functions that took less than this many microseconds."),
    ] = 0,
    fields: Annotated[
        str,
        typer.Option(
            "-f",
            "--fields",
            help="Columns of the function table: F function, c calls, t time, a average, l local time, m costliest "
            "callee, n its calls, w wall time, x longest call.",
        ),
    ] = "Fctalmn",
    sort: Annotated[str, typer.Option("-s", "--sort", help="Sort the function table by this column letter.")] = "t",
    root: Annotated[str | None, typer.Option("--root", help="Show the call tree below this function.")] = None,
    depth: Annotated[
        int, typer.Option("--depth", min=1, max=200, help="Show at most this many levels of the call tree.")
    ] = 8,
    start: Annotated[
        str | None, typer.Option("--start", help="Start tracing at the first call of this function.")
    ] = None,
    stop: Annotated[str | None, typer.Option("--stop", help="Stop tracing at the first call of this function.")] = None,
    subtree: Annotated[
        list[str] | None,
        typer.Option(
            "--subtree",
            help="Keep only spans below this function; with --by ftrace, trace only these. May be given more than "
            "once.",
        ),
    ] = None,
    span_depth: Annotated[
        int | None, typer.Option("--span-depth", min=1, max=512, help="Keep spans of at most this many call levels.")
    ] = None,
    span_us: Annotated[
        float, typer.Option("--span-us", min=0, help="Keep only spans of at least this many microseconds.")
    ] = 20,
    source: Annotated[
        Path | None,
        typer.Option(
            "--source", metavar="TREE", help="Kernel source tree: show what you can change about slow functions."
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="The kernel's .config, if the image does not contain it.")
    ] = None,
    coverage: Annotated[
        bool,
        typer.Option(
            "--coverage", help="Show which functions never ran; with --source, by Kconfig symbol and object file."
        ),
    ] = False,
    coverage_csv: Annotated[
        Path | None,
        typer.Option(
            "--coverage-csv", help="Write a CSV of all functions in the image: size in bytes, executed or not."
        ),
    ] = None,
    symbols: Annotated[
        Path | None,
        typer.Option("--symbols", help="The kernel's System.map or image, needed for --coverage of a recording."),
    ] = None,
    levels: Annotated[
        int, typer.Option("--levels", min=0, help="With --by ftrace: trace this many call levels; 0 means all.")
    ] = 0,
    buffer_kib: Annotated[
        int,
        typer.Option(
            "--buffer-kib", min=16, help="With --by ftrace: size of the kernel's trace buffer in KiB, per processor."
        ),
    ] = 16384,
    collect_kib: Annotated[
        int,
        typer.Option(
            "--collect-kib", min=1, help="With --by ftrace: let the agent send at most this many KiB of trace."
        ),
    ] = 2048,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write one self-contained HTML page with a flame graph.")
    ] = None,
    perfetto: Annotated[Path | None, typer.Option("--perfetto", help="Write the spans as a Perfetto trace.")] = None,
    chrome: Annotated[Path | None, typer.Option("--chrome", help="Write the spans as a Chrome JSON trace.")] = None,
    speedscope: Annotated[Path | None, typer.Option("--speedscope", help="Write a speedscope profile.")] = None,
    folded: Annotated[Path | None, typer.Option("--folded", help="Write folded stacks for a flame graph.")] = None,
    asked: Kept,
) -> None:
    """Show which function executed every instruction of a boot (QEMU in exact mode, any kernel with symbols).

    With --by ftrace the kernel traces itself, on any target. Traces from other tools give the same tables.

    Example: bootlab trace camera.toml --show functions --show waits -n 30 --html boot.html --perfetto boot.pftrace
    """
    from bootlab.analysis import traced_source  # noqa: PLC0415 - loaded only where a trace is shown
    from bootlab.cli import trace_difference, trace_sources, trace_views  # noqa: PLC0415
    from bootlab.collectors.kernel_tracer import KernelTracer  # noqa: PLC0415 - loaded only where a trace is made
    from bootlab.targets.trace_boot import TraceRequest  # noqa: PLC0415
    from bootlab.views.functions import export as function_export  # noqa: PLC0415
    from bootlab.views.functions import levers_page, levers_text  # noqa: PLC0415
    from bootlab.views.functions import page as function_page  # noqa: PLC0415
    from bootlab.views.functions import text as function_text  # noqa: PLC0415

    wrong = [letter for letter in fields + sort if letter not in function_text.FIELDS]
    if wrong or len(sort) != 1:
        raise UserError(
            f"there is no column {''.join(wrong) or sort!r}", hint=f"columns: {' '.join(function_text.FIELDS)}"
        )
    request = TraceRequest(
        min_ns=int(span_us * 1000), depth=span_depth, start=start, stop=stop, subtree=tuple(subtree or ())
    )
    min_ns = int(min_us * 1000)
    if compare is not None:
        _refuse(show=show, perfetto=perfetto, chrome=chrome, speedscope=speedscope, folded=folded, root=root)
        trace_difference.run(compare, what, request, asked, rows=rows, floor=min_ns, html=html)
        return
    if by == "ftrace":
        if start or stop:
            raise UserError(
                "--start and --stop work with the plugin only",
                hint="use --subtree to choose the function below which ftrace traces",
            )
        tracer = KernelTracer(functions=request.subtree, depth=levels, buffer_kib=buffer_kib, collect_kib=collect_kib)
        traced = trace_sources.traced_by_kernel(what, tracer, asked)
    else:
        traced = trace_sources.traced(what, request, asked)
    found = traced.trace
    cover = coverage or coverage_csv is not None
    known = traced_source.Known()
    if source is not None or cover:
        if not traced.complete:
            raise UserError("--source and --coverage need a trace by the plugin", hint="bootlab trace SYSTEM.toml")
        known = traced_source.known(
            found, traced.folder, source=source, config=config, symbols=symbols, cover=cover, rows=rows
        )
    elif Show.LEVERS in (show or ()):
        raise UserError("--show levers needs the kernel's source", hint="--source TREE")
    write_files(
        (
            html,
            lambda: function_page.render(found, traced.name, min_ns=min_ns, more=levers_page.tables(known)).encode(),
        ),
        (coverage_csv, lambda: levers_text.coverage_csv(known.covered)),
        (perfetto, trace_sources.spans(traced, "perfetto")),
        (chrome, trace_sources.spans(traced, "chrome")),
        (speedscope, lambda: function_export.speedscope(found, traced.name)),
        (folded, lambda: function_export.folded(found, traced.name)),
    )
    tables = trace_views.tables(found, rows=rows, min_ns=min_ns, sort=sort, root=root, depth=depth)
    if asked.as_json:
        levers = [{"kind": kind, "ns": ns, "levers": levers} for kind, ns, levers in known.levers]
        about = {"format": "bootlab-function-trace", "version": 1, **traced.about}
        print_json({**about, **tables, "levers": levers, "coverage": known.document()})
        return
    wanted = show or [Show.WAITS, Show.SELF, Show.FUNCTIONS, Show.SUMMARY]
    if source is not None and Show.LEVERS not in wanted:
        wanted = [Show.LEVERS, *wanted]
    for which in wanted:
        for view in trace_views.views(which.value, traced, tables, fields, known.levers):
            out().print(view)
    if coverage:
        out().print(levers_text.coverage_view(known.total, known.groups, rows))
    out().print(function_text.answer(found, traced.name))
    say(traced.source)


def _refuse(**options: object) -> None:
    for name, value in options.items():
        if value:
            raise UserError(
                f"--{name} needs one trace, --compare takes two",
                hint="bootlab trace NEW --compare BASE --html changes.html",
            )
