"""Which techniques an experiment takes."""

from __future__ import annotations

import msgspec

from bootlab.techniques import all_techniques, get
from bootlab.techniques.base import Technique


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """A choice of techniques.

    `ids`: only these, and also where they say that they do not apply. Else all of the catalogue without those that
    cost security or function, but with what `allow` (`security`, `function`) lets in and what `also` names.
    """

    ids: tuple[str, ...] = ()
    allow: frozenset[str] = frozenset()
    also: tuple[str, ...] = ()

    @property
    def forced(self) -> bool:
        """Tell whether techniques are tried that say no."""
        return bool(self.ids)

    def techniques(self) -> tuple[Technique, ...]:
        """Return the techniques. Raise UnknownTechnique (a UserError) for an id that nobody has."""
        if self.ids:
            return tuple(get(i) for i in dict.fromkeys((*self.ids, *self.also)))
        named = {get(i).id for i in self.also}
        return tuple(t for t in all_techniques() if t.id in named or self._lets(t))

    def _lets(self, technique: Technique) -> bool:
        risk = technique.risk
        costs = {name for name, text in (("security", risk.security), ("function", risk.function)) if text}
        return costs <= self.allow


EVERYTHING_SAFE = Selection()
"""All techniques that cost neither security nor function."""
