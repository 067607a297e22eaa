# SPDX-License-Identifier: MIT
"""The questions that a search is likely to ask next, so that they can be prepared while one is answered. Pure.

The answers alone decide what a search asks. So it is carried out again with the answers that are there, and with
guesses, up to the first question that has none. A wrong guess costs what was prepared for it, and changes no result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

Q = TypeVar("Q")

Search = Callable[[Callable[[Q], str]], object]
"""Carries a search out. Its oracle says why something does not work, or ""."""

_GUESSED = "a guess"
_REPLAYS = 8
"""So many replays are made for each question that is wanted, at most."""


def likely_next(search: Search[Q], answers: Mapping[Q, str], most: int) -> Iterator[Q]:
    """Return questions that may come after the next one, at most so many, the likeliest first.

    That it fails is guessed before that it works: of a group that failed, at least one half does, too.
    """
    guesses: deque[dict[Q, str]] = deque([{}])
    found: set[Q] = set()
    for _ in range(_REPLAYS * (most + 1)):
        if not guesses or len(found) > most:
            return
        guess = guesses.popleft()
        for question in _unanswered(search, {**answers, **guess}):
            if found and question not in found:
                yield question
            found.add(question)
            guesses += ({**guess, question: _GUESSED}, {**guess, question: ""})


class _UnansweredError(Exception):
    """A search asks what nobody has answered."""


def _unanswered(search: Search[Q], answers: Mapping[Q, str]) -> list[Q]:
    """Return the first question without an answer; none where the search comes to its end."""
    asked: list[Q] = []

    def oracle(question: Q) -> str:
        if question not in answers:
            asked.append(question)
            raise _UnansweredError
        return answers[question]

    try:
        search(oracle)
    except _UnansweredError:
        return asked
    return []
