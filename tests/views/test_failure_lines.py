"""What went wrong in a boot, as a report lists it; how long text is cut."""

from bootlab.logs.boot import Failure
from bootlab.views.log.failure_lines import SHOWN, failure_lines
from bootlab.views.shown_text import SPARED, visible


def failure(kind: str, line: int) -> Failure:
    return Failure(kind=kind, line=line, text=f"text {line}", meaning="why")


def test_what_comes_over_and_over_is_counted():
    lines = failure_lines([*(failure("stall", n) for n in range(10, 22)), failure("panic", 99)])
    assert lines[:SHOWN] == [f"line {n}: stall: text {n}: why" for n in (10, 11, 12)]
    assert lines[SHOWN:] == ["line 99: panic: text 99: why", "lines 13 to 21: stall: 9 more of this kind"]


def test_a_few_are_all_spelled():
    assert failure_lines([failure("stall", 1), failure("oops", 2)]) == [
        "line 1: stall: text 1: why",
        "line 2: oops: text 2: why",
    ]


def test_a_cut_is_worth_its_words():
    assert visible("x" * (10 + SPARED), 10) == "x" * (10 + SPARED)
    assert visible("x" * (11 + SPARED), 10) == f"{'x' * 10} … {SPARED + 1} more characters"
