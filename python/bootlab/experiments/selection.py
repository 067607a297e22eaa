# SPDX-License-Identifier: MIT
"""Which techniques an experiment takes."""

from __future__ import annotations

import msgspec

from bootlab import techniques
from bootlab.errors import UserError
from bootlab.techniques.base import COSTS, Technique


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """A choice of techniques.

    `ids`: only these, tried also where they say that they do not apply, and stacked whatever they cost. Without: all
    of the catalogue is tried; what costs security, function or run time is stacked only when `allow` lets its kinds in
    (`security`, `function`, `runtime`) or `also` names it. `stages`: without `ids`, only techniques of these.
    """

    ids: tuple[str, ...] = ()
    allow: frozenset[str] = frozenset()
    also: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise UserError for a cost that there is not."""
        if wrong := sorted(self.allow.difference(COSTS)):
            raise UserError(f"{wrong[0]!r} is not a cost that --allow knows", hint=f"known: {', '.join(COSTS)}")

    @property
    def forced(self) -> bool:
        """Tell whether techniques are tried that say no."""
        return bool(self.ids)

    @property
    def words(self) -> tuple[str, ...]:
        """Return how the command line says it; `stages` has no word there."""
        costs = (word for cost in sorted(self.allow) for word in ("--allow", cost))
        return (*self.ids, *costs, *(word for named in self.also for word in ("--also", named)))

    def techniques(self) -> tuple[Technique, ...]:
        """Return the techniques to try. Raise UnknownTechnique (a UserError) for an id that nobody has."""
        for named in self.also:
            techniques.get(named)
        if self.ids:
            return tuple(techniques.get(i) for i in dict.fromkeys((*self.ids, *self.also)))
        return tuple(t for t in techniques.all_techniques() if not self.stages or t.stage in self.stages)

    def why_not_stacked(self, technique: Technique) -> str:
        """Return why a technique stays out of the stack, or "" when it may be stacked."""
        if technique.id in self.ids or technique.id in self.also:
            return ""
        barred = [kind for kind in technique.risk.costs if kind not in self.allow]
        if not barred:
            return ""
        options = " ".join(f"--allow {kind}" for kind in barred)
        return f"it costs {' and '.join(barred)}: stacked only with --also {technique.id} or {options}"
