# SPDX-License-Identifier: MIT
"""The facts that every technique states which is a row of a table."""

from __future__ import annotations

from dataclasses import dataclass

from bootlab.techniques.base import NO_RISK, Published, Risk, StageName, Technique


@dataclass(frozen=True, kw_only=True, eq=False)
class TechniqueRow(Technique):
    """What a row says of its technique: `Technique` explains each fact."""

    id: str
    title: str
    stage: StageName = "kernel"
    what: str
    why: str
    when_not: str
    cost: str
    references: tuple[str, ...]
    risk: Risk = NO_RISK
    architectures: tuple[str, ...] = ()
    kernels: str = "any"
    conflicts: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()
