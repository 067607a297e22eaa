# SPDX-License-Identifier: MIT
"""Differences of call forests add up, whatever the forests are."""

import hypothesis
import hypothesis.strategies as st
import pytest

from bootlab.analysis.call_forest import IDLE, CallForest, ForestBuilder, of_columns
from bootlab.analysis.forest_difference import compare
from bootlab.errors import UserError


def forest(*paths, clock="virtual", unit="ns") -> CallForest:
    """Make a forest of `("task;outer;inner", count, own)`."""
    made = ForestBuilder()
    weights: dict[int, tuple[int, int]] = {}
    for path, count, own in paths:
        at = 0
        for name in path.split(";"):
            at = made.child(at, name)
        old = weights.get(at, (0, 0))
        weights[at] = (old[0] + count, old[1] + own)
    rows = [weights.get(node, (0, 0)) for node in range(len(made.parent))]
    return made.forest([c for c, _ in rows], [o for _, o in rows], clock=clock, unit=unit)


BEFORE = forest(
    ("init;a", 1, 10), ("init;a;b", 2, 20), ("init;a;b;a", 3, 5), ("init;gone", 1, 7), ("init;a;" + IDLE, 1, 40)
)
AFTER = forest(
    ("init;a", 1, 10), ("init;a;b", 2, 25), ("init;a;b;a", 1, 1), ("irq;fresh", 4, 3), ("init;a;" + IDLE, 1, 10)
)


def test_what_is_new_vanished_slower_and_faster():
    rows = {row.function: row for row in compare(BEFORE, AFTER).functions}
    assert {name: row.change for name, row in rows.items()} == {
        "a": "slower", "b": "slower", "gone": "vanished", "fresh": "new",
    }  # fmt: skip
    assert (rows["a"].total, rows["a"].own, rows["a"].count, rows["a"].wait) == (1, -4, -2, -30)
    assert (rows["b"].total, rows["b"].own, rows["b"].count) == (1, 5, 0)
    assert (rows["gone"].total, rows["gone"].after.total, rows["fresh"].before.count) == (-7, 0, 0)


def test_equal_traces_have_no_change():
    assert {row.change for row in compare(BEFORE, BEFORE).functions} == {"same"}


def test_both_sides_stand_on_the_same_paths():
    found = compare(BEFORE, AFTER)
    assert found.before.names == found.after.names
    assert found.before.parent.tolist() == found.after.parent.tolist()
    assert (int(found.before.total[0]), int(found.after.total[0])) == (42, 39)
    assert (int(found.before.wait[0]), int(found.after.wait[0])) == (40, 10)


names = st.sampled_from(["a", "b", "c", IDLE])
chains = st.tuples(st.sampled_from(["t", "u"]), st.lists(names, min_size=1, max_size=5))
paths = st.tuples(
    chains.map(lambda chain: ";".join([chain[0], *chain[1]])),
    st.integers(0, 5),
    st.integers(0, 1000),
)  # fmt: skip


@hypothesis.given(st.lists(paths, max_size=20), st.lists(paths, max_size=20))
def test_differences_add_up_exactly(before, after):
    a, b = forest(*before), forest(*after)
    found = compare(a, b)
    assert sum(row.own for row in found.functions) == int(b.total[0]) - int(a.total[0])
    on_paths = found.after.own - found.before.own
    assert int(on_paths.sum()) == sum(own for _, _, own in after) - sum(own for _, _, own in before)
    assert (found.after.total[0], found.before.total[0]) == (b.total[0], a.total[0])
    for row in found.functions:
        assert row.before.own <= row.before.total <= int(a.total[0])


@pytest.mark.parametrize("other", [forest(("t;a", 1, 1), clock="trace"), forest(("t;a", 1, 1), unit="samples")])
def test_two_kinds_of_weight_are_not_compared(other):
    with pytest.raises(UserError, match="differ"):
        compare(BEFORE, other)


def test_columns_become_one_task_and_interrupts():
    names = ["", "a", "b", "[interrupts]", "irq", "[switched out]"]
    made = of_columns(
        names,
        [0, 0, 1, 0, 3, 1],
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2, 0, 4, 1],
        [0, 10, 20, 0, 5, 9],
        clock="trace",
        unit="ns",
    )
    tasks = {made.name(n): int(made.total[n]) for n in range(1, len(made)) if made.parent[n] == 0}
    assert tasks == {"all tasks": 30, "[interrupts]": 5}
    assert int(made.wait[0]) == 9
    assert {f.function: f.total for f in made.functions().values()} == {"a": 30, "b": 20, "irq": 5}
