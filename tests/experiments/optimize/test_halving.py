# SPDX-License-Identifier: MIT
"""Halving on planted needs: what can go goes, what is needed stays with its reason, and few questions are asked."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.experiments.optimize.halving import Family, shrink, take_most


def families(parents: dict[str, str | None]) -> list[Family]:
    """Make families of a forest: each name with all below it."""

    def below(name: str) -> frozenset[str]:
        return frozenset({name}).union(*(below(n) for n, p in parents.items() if p == name))

    return [Family(name=name, members=below(name)) for name in parents]


def broken_by(needed: set[str]):
    """Say which needed things are missing."""
    return lambda dropped: ", ".join(sorted(needed & dropped))


def test_all_at_once_when_nothing_is_needed():
    asked = []
    found = take_most(range(64), lambda taken, group: asked.append(group) or "")
    assert found.taken == tuple(range(64))
    assert len(asked) == 1


@given(st.integers(1, 200), st.sets(st.integers(0, 199), max_size=8))
def test_exactly_what_fails_is_left(count, bad):
    asked = []

    def why_not(taken, group):
        asked.append(group)
        return "bad" if bad & {*taken, *group} else ""

    found = take_most(range(count), why_not)
    here = {b for b in bad if b < count}
    assert set(found.taken) == set(range(count)) - here
    assert {item for item, _ in found.left} == here
    k = max(1, len(here))
    assert len(asked) <= 2 * k * (math.log2(count) + 2) + 1


def test_two_that_exclude_each_other_the_first_is_taken():
    found = take_most("abcdefgh", lambda taken, group: "b and g" if {"b", "g"} <= {*taken, *group} else "")
    assert set(found.taken) == set("abcdefh")
    assert found.left == (("g", "b and g"),)


def test_a_parent_takes_its_children_along():
    parents = {"NET": None, **{f"NET_{n}": "NET" for n in range(50)}, "TTY": None}
    asked = []
    found = shrink(families(parents), lambda dropped: asked.append(dropped) or "")
    assert found.dropped == set(parents)
    assert len(asked) == 1


def test_children_of_a_parent_that_stays_are_asked_on_their_own():
    parents = {"NET": None, "INET": "NET", "IPV6": "INET", "WIRELESS": "NET", "SOUND": None}
    found = shrink(families(parents), broken_by({"NET", "INET"}))
    assert found.dropped == {"IPV6", "WIRELESS", "SOUND"}
    assert found.kept == {"NET": "INET, NET", "INET": "INET"}


@pytest.mark.parametrize("seed", range(20))
def test_a_planted_forest(seed):
    rng = random.Random(seed)
    names = [f"O{n}" for n in range(300)]
    parents: dict[str, str | None] = {}
    for n, name in enumerate(names):
        parents[name] = rng.choice(names[:n]) if n and rng.random() < 0.7 else None
    needed = set(rng.sample(names, 7))
    # Whoever needs a thing needs all that it hangs on.
    for name in list(needed):
        above = parents[name]
        while above is not None:
            needed.add(above)
            above = parents[above]
    found = shrink(families(parents), broken_by(needed))
    assert found.dropped == set(names) - needed
    assert set(found.kept) == needed
    assert all(reason for reason in found.kept.values())
    assert found.asked <= 2 * len(needed) * (math.log2(300) + 2)


def test_either_of_two_must_stay():
    found = shrink(families(dict.fromkeys("abcdef")), lambda dropped: "a or d" if {"a", "d"} <= dropped else "")
    assert len(found.dropped & {"a", "d"}) == 1
    assert len(found.dropped) == 5


def test_answers_that_are_known_are_not_asked_again():
    first: dict[frozenset[str], str] = {}

    def oracle(dropped):
        first[dropped] = "c" if "c" in dropped else ""
        return first[dropped]

    whole = shrink(families(dict.fromkeys("abcdefgh")), oracle)
    again = shrink(families(dict.fromkeys("abcdefgh")), pytest.fail, known=first)
    assert again.dropped == whole.dropped == set("abdefgh")
    assert again.asked == 0


def test_a_budget_leaves_the_rest_as_it_is():
    found = shrink(families({f"O{n}": None for n in range(64)}), broken_by({"O1", "O40", "O63"}), most=6)
    assert found.asked == 6
    assert not found.dropped & {"O1", "O40", "O63"}
    assert any("budget" in reason for reason in found.kept.values())


def test_circles_end():
    both = frozenset({"a", "b"})
    found = shrink([Family(name="a", members=both), Family(name="b", members=both)], broken_by({"b"}))
    assert "b" not in found.dropped


def test_what_a_failure_names_is_left_and_the_others_are_asked_together():
    """A linker says what it misses: no need to halve for that."""
    parents = {"NET": None, "INET": "NET", "IPV6": "INET", **{f"O{n}": None for n in range(100)}}
    asked = []

    def why_broken(dropped):
        asked.append(dropped)
        return "undefined reference" if {"INET", "O7"} & dropped else ""

    found = shrink(families(parents), why_broken, culprits=lambda dropped: {"INET", "O7"} & dropped)
    assert found.dropped == set(parents) - {"NET", "INET", "O7"}
    assert set(found.kept) == {"NET", "INET", "O7"}
    assert len(asked) == 3, "all, all without those that were named, and the child of one that stays"


def test_a_failure_that_names_nothing_known_is_halved():
    found = shrink(
        families(dict.fromkeys("abcdefgh")), broken_by({"c"}), culprits=lambda _dropped: frozenset({"elsewhere"})
    )
    assert found.dropped == set("abdefgh")


def test_what_fails_is_parted_between_the_likely_and_the_unlikely():
    asked = []
    likely = families({f"a{n}": None for n in range(8)})
    perhaps = [Family(name=f"b{n}", members=frozenset({f"b{n}"}), tier=2) for n in range(4)]
    found = shrink([*perhaps, *likely], lambda dropped: asked.append(dropped) or broken_by({"b3"})(dropped))
    assert len(asked[0]) == 12, "the boldest first"
    assert asked[1] == {f"a{n}" for n in range(8)}
    assert found.dropped == {f"a{n}" for n in range(8)} | {"b0", "b1", "b2"}
