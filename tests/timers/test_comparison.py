# SPDX-License-Identifier: MIT
"""Configurations side by side."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.errors import UserError
from bootlab.model.change import SetParam
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.verdict import Verdict
from bootlab.timers import stress
from bootlab.timers.comparison import TimerConfiguration, change_of, compare
from bootlab.timers.stress import StressPlace
from tests.timers.samples import HEAD, ROW, output


def result(clock="wall", head=(), **row):
    return stress.parse(output(HEAD | dict(head), ROW | row), StressPlace(name="x", clock=clock))


def side(name, *results, equal=None):
    return TimerConfiguration(name=name, results=results, equal=equal)


def line(found, quantity):
    return next(row.values for row in found.rows if row.title == quantity)


def values(found, quantity):
    return tuple(line(found, quantity)[f"c{n}"] for n in range(2))


def verdict(found, quantity):
    return line(found, quantity).get("c1_verdict")


def test_values_stand_side_by_side():
    found = compare([side("a", result(lost=0)), side("b", result(lost=3))])
    assert values(found, "lost") == (0, 3)
    assert values(found, "lateness p50, ns") == (20_000, 20_000)
    assert values(found, "arm, ns each") == (500, 500)


def test_verdicts_need_three_runs_on_the_wall_clock():
    slow = ROW["lateness"] | {"p50_ns": 90_000}
    base = [result() for _ in range(8)]
    late = [result(lateness=slow) for _ in range(8)]
    assert verdict(compare([side("a", *base), side("b", *late)]), "lateness p50, ns") == Verdict.SLOWER
    assert verdict(compare([side("a", *base), side("b", *base)]), "lateness p50, ns") == Verdict.SAME
    few = compare([side("a", *base[:2]), side("b", *late[:2])])
    assert verdict(few, "lateness p50, ns") is None


def test_different_questions_are_not_compared():
    for other, words in (
        (result(head={"seed": 2}), "different kinds of runs"),
        (result(clock="virtual"), "cannot be compared"),
        (result(timers=7), "no population in common"),
    ):
        with pytest.raises(UserError, match=words):
            compare([side("a", result()), side("b", other)])


def test_words_become_a_change():
    change = change_of("highres=off nohz CONFIG_HZ_100=y CONFIG_HZ_250=n")
    assert change.ops == (
        SetParam("highres", "off"),
        SetParam("nohz", None),
        SetKernelOptions((("HZ_100", "y"), ("HZ_250", "n"))),
    )
    for words in ("", "  ", "=off"):
        with pytest.raises(UserError):
            change_of(words)


def test_a_comparison_survives_its_document():
    found = compare([side("a", result(), equal=True), side("b", result(), equal=True)])
    assert msgspec.json.decode(msgspec.json.encode(found), type=type(found)) == found
