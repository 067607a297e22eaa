# SPDX-License-Identifier: MIT
"""The work of `bootlab analyze`, apart from its command line: importing typer takes longer than reading a log."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.api import logs
from bootlab.cli.analysis_request import SEPARATOR, AnalysisRequest
from bootlab.cli.files import write_file
from bootlab.errors import Found, UserError

if TYPE_CHECKING:
    from bootlab.api.logs import Input
    from bootlab.api.values import Analysis, LogComparison
    from bootlab.views.log.recorded_goal import RecordedGoal

_CAPTURE = "capture the console, or save the kernel's log with: dmesg > boot.log"


def run(request: AnalysisRequest) -> int:
    """Read, compare, write and show; return the exit code."""
    _refuse_endless(request)
    groups = _groups(request.files, apart=request.apart)
    kinds = ("svg", "perfetto", "chrome", "folded", "speedscope")
    wanted = {kind: path for kind in kinds if (path := getattr(request, kind)) is not None}

    export = bool(wanted) or request.csv or request.html is not None
    read_groups = [[_read(name, request, export=export) for name in group] for group in groups]
    inputs = [one for group in read_groups for one in group]
    analyses = [one.analysis for one in inputs]
    _refuse_foreign(analyses)
    comparisons = logs.compare(
        [[one.analysis for one in group] for group in read_groups],
        budgets=request.budget,
        threshold_ns=round(request.threshold_ms * 1e6),
        threshold_percent=request.threshold_percent,
        thresholds=request.threshold,
    )
    written = _write_exports(inputs, wanted, request, comparisons)
    if request.as_json:
        _print_json(inputs, comparisons)
    elif request.csv:
        _one(analyses, "--csv")
        sys.stdout.buffer.write(analyses[0].export("csv", boot=request.boot))
    else:
        _show(inputs, comparisons, request, quiet=bool(written) and not comparisons)
    for path in written:
        sys.stderr.write(f"wrote {path}\n")
    if any(comparison.over for comparison in comparisons):
        return Found.REGRESSION
    return _said_nothing(analyses)


def _read(name: str, request: AnalysisRequest, *, export: bool) -> Input:
    return logs.read(
        name,
        application=request.application,
        goal=request.goal,
        baud=request.baud,
        # A system file is made of what programs print.
        keep_lines=request.system is not None,
        export=export,
        noted=lambda note: print(f"note: {note}", file=sys.stderr),
    )


def _refuse_endless(request: AnalysisRequest) -> None:
    """Refuse thresholds that are no numbers: every difference would be called the same, or none."""
    for name, value in (("--threshold-ms", request.threshold_ms), ("--threshold-percent", request.threshold_percent)):
        if not math.isfinite(value):
            raise UserError(
                f"{name} {value}: this is neither a time nor a percentage", hint=f"bootlab analyze A B {name} 2.5"
            )


def _said_nothing(analyses: Sequence[Analysis]) -> int:
    """Return 2 when no input held anything that is read, or only what is no boot: no script may take that for one."""
    if logs.holds_a_boot(analyses):
        return 0
    for analysis in analyses:
        scripts = any(getattr(part, "what", "") == "start-scripts" for part in analysis.document.parts)
        lacks = "nothing in it has a time" if scripts else "no boot log, trace or report was recognised in it"
        sys.stderr.write(f"error: {analysis.name}: {lacks}\n")
    sys.stderr.write(f"hint:  {_CAPTURE}\n")
    return UserError.exit_code


def _groups(files: Sequence[str], *, apart: bool) -> list[list[str]]:
    """Return the base and what is compared with it; a single group is compared with nothing."""
    if SEPARATOR in files:
        at = files.index(SEPARATOR)
        base, new = list(files[:at]), list(files[at + 1 :])
        if not base or not new:
            raise UserError("`--` needs files on both sides", hint="bootlab analyze base/*.log -- new/*.log")
        return [[*base, *new]] if apart else [base, new]
    if list(files).count("-") > 1:
        raise UserError("standard input can be read only once", hint="bootlab analyze A.log -")
    return [list(files)] if apart else [[name] for name in files]


def _refuse_foreign(analyses: Sequence[Analysis]) -> None:
    for analysis in analyses:
        if analysis.document.detected == "foreign":
            what = analysis.document.skipped[0].reason if analysis.document.skipped else "no log"
            raise UserError(f"{analysis.name}: this is {what}", hint=_CAPTURE)


def _one(analyses: Sequence[Analysis], option: str) -> None:
    if len(analyses) != 1:
        raise UserError(
            f"{option} needs exactly one FILE; {len(analyses)} were given", hint=f"bootlab analyze FILE {option} ..."
        )


def _write_exports(
    inputs: list[Input], wanted: dict[str, Path], request: AnalysisRequest, comparisons: list[LogComparison]
) -> list[Path]:
    written: list[Path] = []
    analyses = [one.analysis for one in inputs]
    for kind, path in wanted.items():
        _one(analyses, f"--{kind}")
        write_file(path, analyses[0].export(kind, boot=request.boot))  # type: ignore[arg-type]
        written.append(path)
    if request.html is not None:
        from bootlab.views.log import page as analysis_html  # noqa: PLC0415

        if len(analyses) > 1 and not (comparisons or request.apart):
            names = " and ".join(analysis.name for analysis in analyses)
            raise UserError(f"--html: nothing of {names} can be compared", hint="bootlab analyze FILE --html ...")
        if len(analyses) > 1 and comparisons:
            page = analysis_html.render_comparison(comparisons, analyses)
        else:
            _one(analyses, "--html")
            page = analysis_html.render(analyses[0], boot=request.boot, goal=_goal(inputs[0], request))
        write_file(request.html, page)
        written.append(request.html)
    if request.system is not None:
        _one(analyses, "--system")
        if request.system.exists():
            raise UserError(f"{request.system} already exists", hint="--system NEW-FILE.toml")
        write_file(request.system, logs.system_skeleton(analyses[0], request.system.name, boot=request.boot))
        written.append(request.system)
    if request.junit is not None:
        if not comparisons:
            raise UserError("--junit needs a comparison or a --budget", hint="bootlab analyze A B --junit junit.xml")
        from bootlab.views.log import junit as junit_xml  # noqa: PLC0415

        write_file(request.junit, junit_xml.render(comparisons, _new_names(comparisons, analyses)))
        written.append(request.junit)
    return written


def _new_names(comparisons: list[LogComparison], analyses: Sequence[Analysis]) -> list[str]:
    """Name what each comparison is about, where every file has one of its own."""
    if len(comparisons) > 1:
        return [analysis.name for analysis in analyses[1:]]
    return [""] * len(comparisons)


def _goal(one: Input, request: AnalysisRequest) -> RecordedGoal | None:
    """Return the recorded goal of the boot that is shown: it is that of the last one."""
    boots = one.analysis.boots
    last = request.boot is None or (bool(boots) and one.analysis.boot(request.boot) is boots[-1])
    return one.goal if last else None


def _print_json(inputs: list[Input], comparisons: list[LogComparison]) -> None:
    """One analysis is one document; more of them stand in a list beside the comparisons."""
    from bootlab.views.log.document import document  # noqa: PLC0415

    if len(inputs) == 1 and not comparisons:
        sys.stdout.write(document(*inputs[0]) + "\n")
        return
    documents = ",".join(document(*one) for one in inputs)
    texts = [msgspec.json.encode(comparison).decode() for comparison in comparisons]
    one = texts[0] if len(texts) == 1 else "null"
    head = '{"format":"bootlab-analyses","version":1'
    sys.stdout.write(f'{head},"analyses":[{documents}],"comparison":{one},"comparisons":[{",".join(texts)}]}}\n')


def _show(inputs: list[Input], comparisons: list[LogComparison], request: AnalysisRequest, *, quiet: bool) -> None:
    from bootlab.cli.screen import LongOutput, out  # noqa: PLC0415

    analyses = [one.analysis for one in inputs]
    console = LongOutput(out())
    compared = any(comparison.base_runs for comparison in comparisons)
    if not compared and not quiet:
        from bootlab.views.log.text import analysis_view  # noqa: PLC0415

        for number, (analysis, goal) in enumerate(inputs):
            if number:
                console.print()
            console.print(analysis_view(analysis, top=request.top, boot=request.boot, goal=goal))
    if comparisons:
        from bootlab.views.log.comparison_text import comparison_view, series_view  # noqa: PLC0415

        if len(comparisons) == 1:
            console.print(comparison_view(comparisons[0], analyses, top=request.top))
        else:
            console.print(series_view(comparisons, analyses, top=request.top))
    if console.left_the_screen:
        from bootlab.views.log.closing import closing  # noqa: PLC0415

        lines = closing(analyses, comparisons, boot=request.boot, goals=[one.goal for one in inputs])
        if lines:
            console.print()
        for line in lines:
            console.print(line)
