# SPDX-License-Identifier: MIT
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bootlab.kernelsource.expression import (
    Compare,
    Constant,
    Expression,
    Ref,
    Unknown,
    both,
    either,
    evaluate,
    negated,
    requires,
    written,
)

LEAVES = st.sampled_from([Constant("y"), Constant("m"), Constant("n"), Ref("A"), Ref("B"), Unknown("$(shell,x)")])
EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(
    st.one_of(LEAVES, st.builds(Compare, st.just(Ref("A")), st.sampled_from(["=", "!="]), st.just(Constant("m")))),
    lambda inner: st.one_of(st.builds(both, inner, inner), st.builds(either, inner, inner), st.builds(negated, inner)),
)


def exact(expression: Expression, a: str, b: str, unknown: int) -> int:
    """The kernel's own rules, with a value put in for what is unknown."""
    levels = {"n": 0, "m": 1, "y": 2}
    name = type(expression).__name__
    if name == "Constant":
        return levels[expression.text]
    if name == "Ref":
        return levels[{"A": a, "B": b}[expression.name]]
    if name == "Unknown":
        return unknown
    if name == "Not":
        return 2 - exact(expression.of, a, b, unknown)
    if name == "Compare":
        return 2 * ((a == expression.right.text) == (expression.operator == "="))
    values = [exact(part, a, b, unknown) for part in expression.parts]
    return min(values) if name == "And" else max(values)


@given(EXPRESSIONS, st.sampled_from("nmy"), st.sampled_from("nmy"), st.sampled_from([0, 1, 2]))
def test_what_is_known_holds_whatever_the_unknown_is(expression, a, b, unknown) -> None:
    known = evaluate(expression, {"A": a, "B": b}.get)
    assert known.low <= exact(expression, a, b, unknown) <= known.high


def test_an_unknown_part_does_not_spoil_a_known_answer() -> None:
    expression = both(Ref("A"), Unknown("$(cc-option,-mfoo)"))
    assert evaluate(expression, {"A": "n"}.get).text == "n"
    assert evaluate(expression, {"A": "y"}.get).text == "unknown"
    assert evaluate(either(Ref("A"), Unknown("x")), {"A": "y"}.get).text == "y"


def test_numbers_compare_as_numbers_and_texts_as_texts() -> None:
    lookup = {"N": "0x20", "S": "b"}.get
    assert evaluate(Compare(Ref("N"), ">", Constant("9")), lookup).text == "y"
    assert evaluate(Compare(Ref("S"), ">", Constant("9")), lookup).text == "y"
    assert evaluate(Compare(Ref("NONE"), "=", Constant("9")), lookup).text == "unknown"


def test_written_as_kconfig_writes_it() -> None:
    inner = either(Ref("B"), Compare(Ref("C"), "!=", Constant("m")))
    assert written(both(Ref("A"), inner, negated(Ref("D")))) == "A && (B || C != m) && !D"
    assert written(negated(both(Ref("A"), Ref("B")))) == "!(A && B)"
    assert written(Compare(Ref("A"), "=", Constant('x"y'))) == 'A = "x\\"y"'


def test_requires() -> None:
    anything = {}.get
    assert requires(both(Ref("A"), Ref("B")), "A", anything)
    assert not requires(either(Ref("A"), Ref("B")), "A", anything)
    assert requires(either(Ref("A"), Ref("B")), "A", {"B": "n"}.get)
    assert not requires(negated(Ref("A")), "A", anything)
