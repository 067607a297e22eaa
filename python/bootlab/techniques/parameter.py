"""Techniques that only set kernel parameters share how they write them, never how they prove them."""

from __future__ import annotations

from typing import ClassVar

from bootlab.model.change import AddParam, Change, SetParam
from bootlab.model.cmdline import Param
from bootlab.techniques.base import Applies, Context, Technique


class ParameterTechnique(Technique):
    """Sets every parameter of `sets`.

    `repeatable`: the kernel acts on every occurrence of the key, so that a new one stands beside what is there.
    """

    sets: ClassVar[tuple[Param, ...]]
    repeatable: ClassVar[bool] = False

    def already(self, context: Context) -> Applies | None:
        """Answer no when every parameter stands on the command line with its value."""
        cmdline = context.system.cmdline
        last = [(p, cmdline.all(p.key) if self.repeatable else cmdline.all(p.key)[-1:]) for p in self.sets]
        if all(any(found.value == p.value for found in there) for p, there in last):
            return Applies.no("it is set already", " ".join(str(p) for p in self.sets))
        return None

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002 - the same on every system
        """Propose one variant with all of `sets`."""
        op = AddParam if self.repeatable else SetParam
        return (Change(technique=self.id, ops=tuple(op(p.key, p.value) for p in self.sets)),)
