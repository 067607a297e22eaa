"""Preset loops per jiffy for people: the value, the five tests, the saving by tick rate, the validation."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bootlab.experiment.lpj import LpjMatrix, RateSweep
from bootlab.logs.delay_loop import DelayLoop
from bootlab.logs.lpj_value import Validation
from bootlab.report import figures
from bootlab.report.shown_text import one_line

_TEST_HEAD = ("test", "command line", "compiled in", "expected", "got", "verdict", "saved (ms)")
_RATE_HEAD = ("HZ", "lpj", "calibration (ms)", "goal (ms)", "with preset (ms)", "saved (ms)")
_WORDS = {
    "measured": "calibrated at boot",
    "preset": "taken from a preset, nothing was measured",
    "computed": "computed, nothing was measured: a preset has nothing to save",
}


def value(found: DelayLoop) -> RenderableType:
    """Return what one boot says."""
    rows = [
        f"lpj={found.lpj}  ({_WORDS[found.source]})",
        f"tick rate: HZ={found.hz}" if found.hz else "tick rate: the log does not tell",
    ]
    if found.cost_ns is not None:
        rows.append(f"calibration: {figures.ms(found.cost_ns)} ms, which a preset saves")
    rows += [text for text in (found.board.model, found.board.cpu, found.board.clock) if text]
    return Text("\n".join(one_line(row, 200) for row in rows))


def tests(matrix: LpjMatrix) -> RenderableType:
    """Return the five tests as a table."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in _TEST_HEAD:
        table.add_column(name, justify="right" if name == "saved (ms)" else "left", overflow="fold")
    for test in matrix.tests:
        style = "" if test.passed else "bold red"
        table.add_row(*(Text(cell, style) for cell in _test_cells(matrix, test.number - 1)))
    return Group(Text(_headline(matrix), "bold"), table)


def tests_markdown(matrix: LpjMatrix) -> str:
    """Return the five tests as a Markdown table."""
    rows = [_row(_TEST_HEAD), "|---|---|---|---|---|---|--:|"]
    rows += [_row(_test_cells(matrix, n)) for n in range(len(matrix.tests))]
    return "\n".join(rows) + "\n"


def rates(sweep: RateSweep) -> RenderableType:
    """Return the saving by tick rate as a table."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in _RATE_HEAD:
        table.add_column(name, justify="right")
    for n in range(len(sweep.rates)):
        table.add_row(*(Text(cell) for cell in _rate_cells(sweep, n)))
    return Group(Text(f"{one_line(sweep.system, 80)}: what a preset saves at each tick rate", "bold"), table)


def rates_markdown(sweep: RateSweep) -> str:
    """Return the saving by tick rate as a Markdown table."""
    rows = [_row(_RATE_HEAD), "|--:|--:|--:|--:|--:|--:|"]
    rows += [_row(_rate_cells(sweep, n)) for n in range(len(sweep.rates))]
    return "\n".join(rows) + "\n"


def validation(said: Validation) -> RenderableType:
    """Return the judgement with its numbers."""
    rows = [f"{said.judgement}: {said.reason}"]
    if said.measured is not None and said.expected is not None and said.ratio is not None:
        rows.append(
            f"measured {said.measured}, expected {said.expected}: {100 * (said.ratio - 1):+.2f} % "
            f"(tolerance {100 * said.tolerance:.2f} %)"
        )
    if not said.fits and said.use is not None:
        rows.append(f"store anew: lpj={said.use}")
    lines = [
        Text(one_line(row, 400), "" if n else ("bold green" if said.fits else "bold red")) for n, row in enumerate(rows)
    ]
    return Group(*lines)


def _test_cells(matrix: LpjMatrix, index: int) -> tuple[str, ...]:
    test = matrix.tests[index]
    return (
        f"{test.number} {test.name}",
        one_line(test.command_line, 200) or "(none)",
        one_line(test.compiled_in, 200) or "(none)",
        test.expected,
        test.got,
        "pass" if test.passed else "FAIL",
        figures.signed_ms(test.saved_ns),
    )


def _rate_cells(sweep: RateSweep, index: int) -> tuple[str, ...]:
    row = sweep.rates[index]
    times = (row.cost_ns, row.goal_ns, row.preset_goal_ns)
    return (str(row.hz), str(row.lpj), *(figures.ms(t) for t in times), figures.signed_ms(row.saved_ns))


def _headline(matrix: LpjMatrix) -> str:
    done = sum(test.passed for test in matrix.tests)
    return (
        f"{one_line(matrix.system, 80)}: {done} of {len(matrix.tests)} tests passed "
        f"(lpj={matrix.lpj}, HZ={matrix.hz}, compiled in {matrix.way})"
    )


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
