# SPDX-License-Identifier: MIT
"""Every technique against recorded boots, in both directions."""

import msgspec
import pytest

from bootlab.model.cmdline import CommandLine
from bootlab.techniques import all_techniques, get
from bootlab.techniques.base import Answer
from bootlab.techniques.program import ProgramTechnique
from tests.techniques.cases_applies import CASES as SAYS
from tests.techniques.cases_effect import CASES as SHOWS
from tests.techniques.cases_effect import TAKEN_OVER
from tests.techniques.recordings import context, evidence


@pytest.mark.parametrize("case", SAYS, ids=lambda case: f"{case.technique}-{case.answer}-{case.part[:30]}")
def test_applies(case):
    answer = get(case.technique).applies(case.context)
    assert answer.answer is case.answer, answer
    assert case.part in f"{answer.reason} {answer.evidence}", answer
    assert answer.reason


@pytest.mark.parametrize("case", SHOWS, ids=lambda case: f"{case.technique}-{case.shown}-{case.part[:30]}")
def test_took_effect(case):
    effect = get(case.technique).took_effect(case.before, case.after)
    assert effect.shown is case.shown, effect
    assert case.part in effect.evidence, effect
    assert effect.evidence


@pytest.mark.parametrize(
    "technique",
    # Those of the boot loader: test_loader.py.
    [t for t in all_techniques() if not t.builds and t.stage != "loader" and not isinstance(t, ProgramTechnique)],
    ids=lambda t: t.id,
)
def test_both_directions_are_covered(technique):
    answers = {case.answer for case in SAYS if case.technique == technique.id}
    assert Answer.NO in answers
    assert answers & {Answer.YES, Answer.UNKNOWN}
    assert {case.shown for case in SHOWS if case.technique == technique.id} == {True, False}


BOOTED = ("base", "microvm", "disk-rootdelay", "disk-rootwait", "quiet", "console-null")


@pytest.mark.parametrize("technique", all_techniques(), ids=lambda t: t.id)
def test_a_parameter_alone_is_no_proof(technique):
    """The same console as before, under a system that carries the change: nothing is shown."""
    for name in BOOTED:
        before = evidence(name, diagnostic="diagnostic")
        for change in technique.changes(context(name, diagnostic="diagnostic")):
            after = msgspec.structs.replace(before, system=change.apply(before.system))
            effect = technique.took_effect(before, after)
            assert not effect.shown, (name, change, effect)


@pytest.mark.parametrize("technique", all_techniques(), ids=lambda t: t.id)
def test_changes_change_only_what_they_name(technique):
    for name in BOOTED:
        booted = context(name, diagnostic="diagnostic")
        changes = technique.changes(booted)
        assert len({change.id for change in changes}) == len(changes), name
        for change in changes:
            once = change.apply(booted.system)
            assert change.technique == technique.id
            assert once.goal == booted.system.goal, (name, change)
            assert change.apply(once) == once, (name, change, "applied twice it is the same")


def test_a_cost_is_not_said_to_have_moved_where_something_else_changed_too():
    """Tried in a group, `initramfs_async=0` makes populate_rootfs longer, and the initcalls left out do not."""
    before, after, _ = TAKEN_OVER
    line = CommandLine.parse(f"{after.system.cmdline} initramfs_async=0")
    grouped = msgspec.structs.replace(after, system=msgspec.structs.replace(after.system, cmdline=line))
    technique = get("initcall-blacklist")
    assert "its cost moved" in technique.took_effect(before, after).evidence
    assert "moved" not in technique.took_effect(before, grouped).evidence
