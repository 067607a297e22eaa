# SPDX-License-Identifier: MIT
"""Ask every technique about what was given."""

from __future__ import annotations

from collections.abc import Iterable

from bootlab.advice.facts import Facts
from bootlab.advice.finding import Finding, Gain, published_gain
from bootlab.logs.costs import Cost
from bootlab.techniques.base import Answer, Technique
from bootlab.techniques.scope import propose

_ORDER = {Answer.YES: 0, Answer.UNKNOWN: 1, Answer.NO: 2}


def check(facts: Facts, techniques: Iterable[Technique]) -> tuple[Finding, ...]:
    """Return one finding a technique: those that apply first, by the gain that the log shows, then the open ones."""
    findings = [_finding(facts, technique) for technique in techniques]
    return tuple(sorted(findings, key=lambda f: (_ORDER[f.answer], -_largest_ns(f))))


def _finding(facts: Facts, technique: Technique) -> Finding:
    proposal = propose(technique, facts.context)
    answer = proposal.applies
    applies = answer.answer is Answer.YES
    changes = proposal.changes if applies else ()
    gains = tuple(_seen_gain(cost) for cost in facts.costs if cost.kind in technique.addresses)
    return Finding(
        technique=technique.id,
        title=technique.title,
        answer=answer.answer,
        reason=answer.reason,
        evidence=answer.evidence,
        place=facts.find(answer.evidence, answer.options),
        changes=changes,
        gains=(*gains, *(published_gain(said) for said in technique.published)) if applies else (),
        when_not=technique.when_not,
        cost=technique.cost,
        risk=technique.risk,
        both_ways=technique.both_ways,
    )


def _seen_gain(cost: Cost) -> Gain:
    ns = cost.gain_ns if cost.gain_ns is not None else cost.cost_ns
    return Gain(basis=cost.basis, text=cost.evidence, ns=ns)


def _largest_ns(finding: Finding) -> int:
    return max((gain.ns or 0 for gain in finding.gains), default=0)
