# SPDX-License-Identifier: MIT
"""`bootlab trace`: every function of the boot, from the first instruction to the goal, without touching the kernel."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from bootlab.cli.files import write_files
from bootlab.cli.options import Argument, Group, Option, RowsOption
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


class Tables(Group):
    """What is shown of a trace, and how much of it."""

    show: Annotated[list[Show], Option(help="Print this table. May be given more than once.")] = msgspec.field(
        default_factory=list
    )
    rows: RowsOption = 25
    min_us: Annotated[
        float,
        Option(
            names=("-t", "--min-us"),
            least=0,
            help="Leave out functions that took less than this many microseconds.",
        ),
    ] = 0
    fields: Annotated[
        str,
        Option(
            names=("-f", "--fields"),
            help="Columns of the function table: F function, c calls, t time, a average, l local time, m costliest "
            "callee, n its calls, w wall time, x longest call.",
        ),
    ] = "Fctalmn"
    sort: Annotated[
        str,
        Option(
            names=("-s", "--sort"),
            help="Sort the function table by this column letter.",
        ),
    ] = "t"
    root: Annotated[str | None, Option(help="Show the call tree below this function.")] = None
    depth: Annotated[int, Option(least=1, most=200, help="Show at most this many levels of the call tree.")] = 8


class Spans(Group):
    """Which calls are traced, and which of their spans are kept."""

    start: Annotated[str | None, Option(help="Start tracing at the first call of this function.")] = None
    stop: Annotated[str | None, Option(help="Stop tracing at the first call of this function.")] = None
    subtree: Annotated[
        list[str],
        Option(
            help="Keep only spans below this function; with --by ftrace, trace only these. May be given more than once."
        ),
    ] = msgspec.field(default_factory=list)
    span_depth: Annotated[
        int | None, Option(least=1, most=512, help="Keep spans of at most this many call levels.")
    ] = None
    span_us: Annotated[float, Option(least=0, help="Keep only spans of at least this many microseconds.")] = 20


class Source(Group):
    """What a kernel's source, configuration and symbols add to a trace."""

    source: Annotated[
        Path | None,
        Option(metavar="TREE", help="Kernel source tree: show what you can change about slow functions."),
    ] = None
    config: Annotated[Path | None, Option(help="The kernel's .config, if the image does not contain it.")] = None
    coverage: Annotated[
        bool,
        Option(help="Show which functions never ran; with --source, by Kconfig symbol and object file."),
    ] = False
    coverage_csv: Annotated[
        Path | None,
        Option(help="Write a CSV of all functions in the image: size in bytes, executed or not."),
    ] = None
    symbols: Annotated[
        Path | None,
        Option(help="The kernel's System.map or image, needed for --coverage of a recording."),
    ] = None


class KernelTracing(Group):
    """How much the kernel's own tracer records and sends."""

    levels: Annotated[int, Option(least=0, help="With --by ftrace: trace this many call levels; 0 means all.")] = 0
    buffer_kib: Annotated[
        int,
        Option(least=16, help="With --by ftrace: size of the kernel's trace buffer in KiB, per processor."),
    ] = 16384
    collect_kib: Annotated[
        int,
        Option(least=1, help="With --by ftrace: let the agent send at most this many KiB of trace."),
    ] = 2048


class TraceFiles(Group):
    """The files that a trace goes into."""

    html: Annotated[Path | None, Option(help="Write one self-contained HTML page with a flame graph.")] = None
    perfetto: Annotated[Path | None, Option(help="Write the spans as a Perfetto trace.")] = None
    chrome: Annotated[Path | None, Option(help="Write the spans as a Chrome JSON trace.")] = None
    speedscope: Annotated[Path | None, Option(help="Write a speedscope profile.")] = None
    folded: Annotated[Path | None, Option(help="Write folded stacks for a flame graph.")] = None
    folded_us: Annotated[
        float,
        Option(least=0, help="In --folded, a path below this many microseconds counts as its caller's own time."),
    ] = 0


def trace(
    what: Annotated[
        Path,
        Argument(
            metavar="SYSTEM.toml|TRACE",
            help="A system file, the recording folder of a traced boot, or a trace from another tool: KFI or KFT log, "
            "function_graph text, trace.dat, perf script. `-` reads standard input.",
            show_default=False,
        ),
    ],
    *,
    compare: Annotated[
        Path | None,
        Option(
            metavar="BASE",
            help="Show what changed since BASE: a system file, a recording's folder, or a trace that `bootlab "
            "analyze` reads.",
        ),
    ] = None,
    by: Annotated[
        Literal["plugin", "ftrace"],
        Option(help="Choose the tracer: the QEMU plugin (exact), or the kernel's own function_graph tracer."),
    ] = "plugin",
    tables: Tables,
    spans: Spans,
    tree: Source,
    kernel: KernelTracing,
    files: TraceFiles,
    asked: Kept,
) -> None:
    """Show which function executed every instruction of a boot (QEMU in exact mode, any kernel with symbols).

    With --by ftrace the kernel traces itself, on any target. Traces from other tools give the same tables.

    Example: bootlab trace camera.toml --show functions --show waits -n 30 --html boot.html --perfetto boot.pftrace
    """
    from bootlab.api import traces  # noqa: PLC0415 - loaded only where a trace is shown
    from bootlab.cli import trace_difference, trace_sources, trace_views  # noqa: PLC0415
    from bootlab.views.functions import export as function_export  # noqa: PLC0415
    from bootlab.views.functions import levers_page, levers_text  # noqa: PLC0415
    from bootlab.views.functions import page as function_page  # noqa: PLC0415
    from bootlab.views.functions import text as function_text  # noqa: PLC0415

    wrong = [letter for letter in tables.fields + tables.sort if letter not in function_text.FIELDS]
    if wrong or len(tables.sort) != 1:
        raise UserError(
            f"there is no column {''.join(wrong) or tables.sort!r}", hint=f"columns: {' '.join(function_text.FIELDS)}"
        )
    request = traces.TraceRequest(
        min_ns=int(spans.span_us * 1000),
        depth=spans.span_depth,
        start=spans.start,
        stop=spans.stop,
        subtree=tuple(spans.subtree),
    )
    min_ns = int(tables.min_us * 1000)
    if compare is not None:
        _refuse(
            show=tables.show,
            perfetto=files.perfetto,
            chrome=files.chrome,
            speedscope=files.speedscope,
            folded=files.folded,
            root=tables.root,
        )
        trace_difference.run(compare, what, request, asked, rows=tables.rows, floor=min_ns, html=files.html)
        return
    if by == "ftrace":
        if spans.start or spans.stop:
            raise UserError(
                "--start and --stop work with the plugin only",
                hint="use --subtree to choose the function below which ftrace traces",
            )
        tracer = traces.KernelTracer(
            functions=request.subtree,
            depth=kernel.levels,
            buffer_kib=kernel.buffer_kib,
            collect_kib=kernel.collect_kib,
        )
        traced = trace_sources.traced_by_kernel(what, tracer, asked)
    else:
        traced = trace_sources.traced(what, request, asked)
    found = traced.trace
    cover = tree.coverage or tree.coverage_csv is not None
    known = traces.Known()
    if tree.source is not None or cover:
        if not traced.complete:
            raise UserError("--source and --coverage need a trace by the plugin", hint="bootlab trace SYSTEM.toml")
        known = traces.known(
            found,
            traced.folder,
            source=tree.source,
            config=tree.config,
            symbols=tree.symbols,
            cover=cover,
            rows=tables.rows,
        )
    elif Show.LEVERS in tables.show:
        raise UserError("--show levers needs the kernel's source", hint="--source TREE")
    write_files(
        (
            files.html,
            lambda: function_page.render(found, traced.name, min_ns=min_ns, more=levers_page.tables(known)).encode(),
        ),
        (tree.coverage_csv, lambda: levers_text.coverage_csv(known.covered)),
        (files.perfetto, traces.spans(traced, "perfetto")),
        (files.chrome, traces.spans(traced, "chrome")),
        (files.speedscope, lambda: function_export.speedscope(found, traced.name)),
        (files.folded, lambda: function_export.folded(found, traced.name, least_ns=round(files.folded_us * 1000))),
    )
    made = traces.tables(found, rows=tables.rows, min_ns=min_ns, sort=tables.sort, root=tables.root, depth=tables.depth)
    if asked.as_json:
        levers = [{"kind": kind, "ns": ns, "levers": levers} for kind, ns, levers in known.levers]
        about = {"format": "bootlab-function-trace", "version": 1, **traced.about}
        print_json({**about, **made, "levers": levers, "coverage": known.document()})
        return
    wanted = tables.show or [Show.WAITS, Show.SELF, Show.FUNCTIONS, Show.SUMMARY]
    if tree.source is not None and Show.LEVERS not in wanted:
        wanted = [Show.LEVERS, *wanted]
    for which in wanted:
        for view in trace_views.views(which.value, traced, made, tables.fields, known.levers):
            out().print(view)
    if tree.coverage:
        out().print(levers_text.coverage_view(known.total, known.groups, tables.rows))
    out().print(function_text.answer(found, traced.name))
    say(traced.source)


def _refuse(**options: object) -> None:
    for name, value in options.items():
        if value:
            raise UserError(
                f"--{name} needs one trace, --compare takes two",
                hint="bootlab trace NEW --compare BASE --html changes.html",
            )
