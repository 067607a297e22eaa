"""The work of `bootlab analyze`, apart from its command line: importing typer takes longer than reading a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.logs import Analysis
    from bootlab.logs.comparison import Comparison

SEPARATOR = "\0--"
"""Stands for `--` among the files: the parser would swallow it, and with it which files are the base."""

EXIT_OVER = 1
"""A budget is not kept, or a comparison is slower beyond noise."""


class Request(msgspec.Struct, kw_only=True):
    """What was asked for, one field an option."""

    files: list[str]
    as_json: bool = False
    csv: bool = False
    html: Path | None = None
    svg: Path | None = None
    perfetto: Path | None = None
    chrome: Path | None = None
    folded: Path | None = None
    speedscope: Path | None = None
    top: int = 10
    boot: int | None = None
    application: str | None = None
    goal: str | None = None
    baud: int | None = None
    budget: list[str] = []
    threshold_ms: float = 1.0
    junit: Path | None = None


_VALUES: dict[str, Callable[[str], Any]] = {
    "html": Path, "svg": Path, "perfetto": Path, "chrome": Path, "folded": Path, "speedscope": Path, "junit": Path,
    "top": int, "boot": int, "baud": int, "application": str, "goal": str, "budget": str, "threshold-ms": float,
}  # fmt: skip


def plain_request(args: Sequence[str]) -> Request | None:
    """Parse arguments without typer; None for anything but plain calls, which typer then parses or refuses."""
    request = Request(files=[])
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if word == "--":
            if SEPARATOR in request.files or any(r.startswith("-") and r != "-" for r in rest):
                return None
            request.files.append(SEPARATOR)
        elif word in {"--json", "--csv"}:
            setattr(request, "as_json" if word == "--json" else "csv", True)
        elif word == "-" or not word.startswith("-"):
            request.files.append(word)
        elif not _take(request, word, rest):
            return None
    numbers = (request.top, request.boot, request.baud)
    fine = request.files and all(n is None or n >= 1 for n in numbers) and request.threshold_ms >= 0
    return request if fine and request.top <= 10_000 else None


def _take(request: Request, word: str, rest: list[str]) -> bool:
    name, equals, value = word.removeprefix("--").partition("=")
    convert = _VALUES.get(name)
    if convert is None or not (equals or rest):
        return False
    try:
        taken = convert(value if equals else rest.pop(0))
    except ValueError:
        return False
    if name == "budget":
        request.budget.append(taken)
    else:
        setattr(request, name.replace("-", "_"), taken)
    return True


def run(request: Request) -> int:
    """Read, compare, write and show; return the exit code."""
    from bootlab.logs import analysis as logs  # noqa: PLC0415

    base_names, new_names, compared = _sides(request.files)
    kinds = ("svg", "perfetto", "chrome", "folded", "speedscope")
    wanted = {kind: path for kind in kinds if (path := getattr(request, kind)) is not None}

    def read(name: str) -> Analysis:
        return logs.analyze(
            name,
            application=request.application,
            goal=request.goal,
            baud=request.baud,
            export=bool(wanted) or request.csv or request.html is not None,
        )

    base, new = [read(name) for name in base_names], [read(name) for name in new_names]
    if compared and len(request.files) == 2 and not (base[0].boots and new[0].boots):
        # Two files of which one is no boot log: nothing to compare, each is shown.
        base, new, compared = [], base + new, False
    analyses = [*base, *new]
    _refuse_foreign(analyses)
    comparison = _compare(base, new, request.budget, request.threshold_ms, compared=compared)
    written = _write_exports(analyses, wanted, request.html, request.boot, comparison, request.junit)
    if request.as_json:
        _print_json(analyses, comparison)
    elif request.csv:
        _one(analyses, "--csv")
        sys.stdout.buffer.write(analyses[0].export("csv", boot=request.boot))
    else:
        quiet = bool(written) and comparison is None
        _show(analyses, comparison, top=request.top, boot=request.boot, compared=compared, quiet=quiet)
    for path in written:
        sys.stderr.write(f"wrote {path}\n")
    return EXIT_OVER if comparison is not None and (comparison.broken_budgets or comparison.slower) else 0


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
        raise UserError(
            f"{option} needs exactly one FILE, {len(analyses)} are given", hint=f"bootlab analyze FILE {option} ..."
        )


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
    documents = ",".join(analysis.json for analysis in analyses)
    compared = "null" if comparison is None else msgspec.json.encode(comparison).decode()
    head = '{"format":"bootlab-analyses","version":1'
    sys.stdout.write(f'{head},"analyses":[{documents}],"comparison":{compared}}}\n')


def _show(
    analyses: list[Analysis], comparison: Comparison | None, *, top: int, boot: int | None, compared: bool, quiet: bool
) -> None:
    from bootlab.cli.screen import out  # noqa: PLC0415

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
