# SPDX-License-Identifier: MIT
"""A change that the run booted is never told as not booted, where the stack left it out without another boot."""

from __future__ import annotations

from bootlab.model.change import Change, SetParam
from bootlab.model.verdict import Effect, Trial, Verdict
from bootlab.results.booted_before import booted_before
from bootlab.results.document import Rejected


def trial(label: str, verdict: Verdict, key: str | None = "abc") -> Trial:
    change = Change(technique="initramfs-compression", ops=(SetParam(key="x", value=label),), label=label)
    return Trial(change=change, verdict=verdict, base_key="b", key=key, effect=Effect(shown=True, evidence=""))


def left(change_id: str, **parts: object) -> Rejected:
    row = {"reason": "initramfs-compression:lz4 is in the stack already", "verdict": Verdict.NOT_BOOTED}
    return Rejected(change_id=change_id, **(row | parts))


NONE = "initramfs-compression:none"


def test_a_variant_that_lost_against_another_one_was_booted():
    (row,) = booted_before([left(NONE)], [trial("none", Verdict.FASTER)])
    assert (row.verdict, row.key) == (Verdict.FASTER, "abc")
    assert row.reason == "initramfs-compression:lz4 is in the stack already; booted alone: faster"


def test_what_was_booted_on_the_stack_before_keeps_what_it_came_to():
    rows = booted_before([left(NONE, verdict=Verdict.SAME, key="k", reason="no gain"), left(NONE)], [])
    assert [row.verdict for row in rows] == [Verdict.SAME, Verdict.SAME]
    assert rows[1].reason.endswith("; booted on the stack before: same")
    assert rows[1].key == "k"


def test_what_was_booted_only_with_others_is_not_known_by_itself():
    together = left("group:a + b", members=("a", "b"), verdict=Verdict.SLOWER, key="k", reason="slower")
    rows = booted_before([together, left("a")], [])
    assert (rows[0], rows[1].verdict) == (together, Verdict.UNKNOWN)
    assert rows[1].reason.endswith("; booted only together with others")


def test_what_was_never_booted_stays_so():
    rows = booted_before([left(NONE)], [trial("none", Verdict.NOT_BOOTED, key=None)])
    assert rows == (left(NONE),)
