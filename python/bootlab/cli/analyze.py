"""`bootlab analyze`: read any boot log or trace and say what costs what; compare logs; keep budgets."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from typer.core import TyperCommand

from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.logs import Analysis
    from bootlab.logs.comparison import Comparison

SEPARATOR = "\0--"
"""Stands for `--` among the files: click would swallow it, and with it which files are the base."""

_EXIT_OVER = 1


class AnalyzeCommand(TyperCommand):
    """A command that keeps the `--` between base and new files."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        """Replace the first `--`, then parse as ever."""
        if "--" in args:
            args[args.index("--")] = SEPARATOR
        return super().parse_args(ctx, args)


COMMAND = AnalyzeCommand
"""The command class of this verb."""


def analyze(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Logs or traces of any kind, `-` for standard input. Two files are compared; `BASE... -- NEW...` "
            "compares groups.",
            show_default=False,
        ),
    ],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print the timeline (of --boot) as CSV.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained HTML page.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture of the boot.")] = None,
    perfetto: Annotated[Path | None, typer.Option(help="Write a Perfetto trace.")] = None,
    chrome: Annotated[Path | None, typer.Option(help="Write a Chrome-JSON trace.")] = None,
    folded: Annotated[Path | None, typer.Option(help="Write folded stacks for flame graphs.")] = None,
    speedscope: Annotated[Path | None, typer.Option(help="Write a speedscope file.")] = None,
    top: Annotated[int, typer.Option(min=1, max=10_000, help="Rows of each table.")] = 10,
    boot: Annotated[int | None, typer.Option(min=1, help="Only this boot of a log with several.")] = None,
    application: Annotated[str | None, typer.Option(help="Text the console shows when the application starts.")] = None,
    goal: Annotated[str | None, typer.Option(help="Text the console shows when the system is usable.")] = None,
    baud: Annotated[int | None, typer.Option(min=1, help="Speed of the console, where the log does not say it.")] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=TIME", help="Limit for `kernel`, a stage, an initcall or a device: kernel=500ms."),
    ] = None,
    threshold_ms: Annotated[float, typer.Option(min=0, help="Smaller differences are no change.")] = 1.0,
    junit: Annotated[Path | None, typer.Option(help="Write budgets and comparison as JUnit XML.")] = None,
) -> None:
    """Read boot logs and traces: stages, initcalls by true duration, what costs what, what failed.

    Exit code 1: a budget is not kept, or a comparison is slower beyond noise (more than 5 % and --threshold-ms, and
    every new value above every old one).

    Example: bootlab analyze boot.log --html boot.html
    """
    from bootlab.logs import analysis as logs  # noqa: PLC0415

    base_names, new_names, compared = _sides(files)
    exports = {"svg": svg, "perfetto": perfetto, "chrome": chrome, "folded": folded, "speedscope": speedscope}
    wanted = {kind: path for kind, path in exports.items() if path is not None}

    def read(name: str) -> Analysis:
        return logs.analyze(
            name, application=application, goal=goal, baud=baud, export=bool(wanted) or csv, keep_lines=False
        )

    base, new = [read(name) for name in base_names], [read(name) for name in new_names]
    if compared and len(files) == 2 and not (base[0].boots and new[0].boots):
        # Two files of which one is no boot log: nothing to compare, each is shown.
        base, new, compared = [], base + new, False
    analyses = [*base, *new]
    _refuse_foreign(analyses)
    comparison = _compare(base, new, budget or [], threshold_ms, compared=compared)
    written = _write_exports(analyses, wanted, html, boot, comparison, junit)
    if as_json:
        _print_json(analyses, comparison)
    elif csv:
        _one(analyses, "--csv")
        sys.stdout.buffer.write(analyses[0].export("csv", boot=boot))
    else:
        _show(analyses, comparison, top=top, boot=boot, compared=compared, quiet=bool(written) and comparison is None)
    for path in written:
        typer.echo(f"wrote {path}", err=True)
    if comparison is not None and (comparison.broken_budgets or comparison.slower):
        raise typer.Exit(_EXIT_OVER)


def _sides(files: Sequence[str]) -> tuple[list[str], list[str], bool]:
    if SEPARATOR in files:
        at = files.index(SEPARATOR)
        base, new = list(files[:at]), list(files[at + 1 :])
        if not base or not new:
            raise UserError("`--` needs files on both sides", hint="bootlab analyze base/*.log -- new/*.log")
        return base, new, True
    if list(files).count("-") > 1:
        raise UserError("standard input can be read once only", hint="bootlab analyze A.log -")
    if len(files) == 2:
        return [files[0]], [files[1]], True
    return [], list(files), False


def _refuse_foreign(analyses: Sequence[Analysis]) -> None:
    for analysis in analyses:
        if analysis.document.detected == "foreign":
            what = analysis.document.skipped[0].reason if analysis.document.skipped else "no log"
            hint = "capture the console, or save the kernel's log with: dmesg > boot.log"
            raise UserError(f"{analysis.name}: this is {what}", hint=hint)


def _compare(
    base: list[Analysis], new: list[Analysis], budgets: list[str], threshold_ms: float, *, compared: bool
) -> Comparison | None:
    if not compared and not budgets:
        return None
    from bootlab.logs.comparison import compare  # noqa: PLC0415

    return compare(base, new, budgets=budgets, threshold_ns=round(threshold_ms * 1e6))


def _one(analyses: Sequence[Analysis], option: str) -> None:
    if len(analyses) != 1:
        raise UserError(f"{option} needs exactly one FILE, {len(analyses)} are given", hint=f"bootlab analyze FILE {option} ...")


def _write_exports(
    analyses: list[Analysis],
    wanted: dict[str, Path],
    html: Path | None,
    boot: int | None,
    comparison: Comparison | None,
    junit: Path | None,
) -> list[Path]:
    written: list[Path] = []
    for kind, path in wanted.items():
        _one(analyses, f"--{kind}")
        _write(path, analyses[0].export(kind, boot=boot))  # type: ignore[arg-type]
        written.append(path)
    if html is not None:
        _one(analyses, "--html")
        from bootlab.report import analysis_html  # noqa: PLC0415

        _write(html, analysis_html.render(analyses[0], boot=boot).encode("utf-8", "replace"))
        written.append(html)
    if junit is not None:
        if comparison is None:
            raise UserError("--junit needs a comparison or a --budget", hint="bootlab analyze A B --junit junit.xml")
        from bootlab.report import junit as junit_xml  # noqa: PLC0415

        _write(junit, junit_xml.render(comparison))
        written.append(junit)
    return written


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}", hint=f"ls -ld {path.parent}") from None


def _print_json(analyses: list[Analysis], comparison: Comparison | None) -> None:
    """One analysis is the core's document, byte for byte; more of them stand in a list beside the comparison."""
    if len(analyses) == 1 and comparison is None:
        sys.stdout.write(analyses[0].json + "\n")
        return
    import msgspec  # noqa: PLC0415

    documents = ",".join(analysis.json for analysis in analyses)
    compared = "null" if comparison is None else msgspec.json.encode(comparison).decode()
    head = '{"format":"bootlab-analyses","version":1'
    sys.stdout.write(f'{head},"analyses":[{documents}],"comparison":{compared}}}\n')


def _show(
    analyses: list[Analysis], comparison: Comparison | None, *, top: int, boot: int | None, compared: bool, quiet: bool
) -> None:
    from bootlab.cli.session import out  # noqa: PLC0415

    console = out()
    if not compared and not quiet:
        from bootlab.report.analysis_text import analysis_view  # noqa: PLC0415

        for number, analysis in enumerate(analyses):
            if number:
                console.print()
            console.print(analysis_view(analysis, top=top, boot=boot))
    if comparison is not None:
        from bootlab.report.comparison_text import comparison_view  # noqa: PLC0415

        console.print(comparison_view(comparison, analyses, top=top))
