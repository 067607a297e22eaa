# SPDX-License-Identifier: MIT
"""What a search asks next is guessed from its answers: never what is answered, and right wherever the guess was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bootlab.experiments.optimize.foresight import likely_next
from bootlab.experiments.optimize.halving import shrink, take_most
from tests.experiments.optimize.test_halving import broken_by, families


def halving(names):
    """Return a search for what of these can be taken together."""
    return lambda oracle: take_most(names, lambda taken, group: oracle(frozenset((*taken, *group))))


def watched(search, oracle, most):
    """Carry a search out; return its questions, and what was guessed when each was asked."""
    answers, asked, guessed = {}, [], []

    def answer(question):
        if question not in answers:
            asked.append(question)
            guessed.append(list(likely_next(search, answers, most)))
            answers[question] = oracle(question)
        return answers[question]

    search(answer)
    return asked, guessed, answers


@given(st.integers(1, 60), st.sets(st.integers(0, 59), max_size=6), st.integers(0, 7))
def test_nothing_that_is_known_is_guessed_and_after_a_failure_the_first_guess_is_asked(count, bad, most):
    search = halving(tuple(range(count)))
    asked, guessed, answers = watched(search, lambda group: "bad" if bad & group else "", most)
    for number, (question, guesses) in enumerate(zip(asked, guessed, strict=True)):
        assert len(guesses) == len(set(guesses)) <= most
        assert not set(guesses) & set(asked[: number + 1])
        if most and number + 1 < len(asked) and answers[question]:
            assert guesses[0] == asked[number + 1]
        if most > 1 and number + 1 < len(asked):
            assert asked[number + 1] in guesses[:2]


@given(st.sets(st.integers(0, 39), max_size=5), st.integers(1, 4))
def test_a_kernels_options_parents_first(bad, most):
    parents = {f"O{n}": f"O{n // 3}" if n % 4 and n > 3 else None for n in range(40)}
    needed = {f"O{n}" for n in bad}
    forest = families(parents)

    def search(oracle):
        return shrink(forest, oracle)

    asked, guessed, answers = watched(search, broken_by(needed), most)
    for number, question in enumerate(asked[:-1]):
        if answers[question]:
            assert guessed[number][0] == asked[number + 1]


def test_a_search_that_ends_either_way_leaves_nothing_to_guess():
    assert list(likely_next(halving(("a",)), {}, 3)) == []
    assert list(likely_next(halving(()), {}, 3)) == []


def test_both_halves_are_guessed_and_then_what_follows_each():
    all_, first = frozenset("abcd"), frozenset("ab")
    assert list(likely_next(halving(tuple("abcd")), {}, 3)) == [first, frozenset("a"), frozenset("abc")]
    assert list(likely_next(halving(tuple("abcd")), {all_: "hang"}, 2)) == [frozenset("a"), frozenset("abc")]
