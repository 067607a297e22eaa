"""Techniques that only set kernel parameters share how they write them, never how they prove them."""

from __future__ import annotations

from bootlab.model.change import Change, ExtendParam, SetParam
from bootlab.model.cmdline import Param
from bootlab.techniques.base import Applies, Context, Technique


class ParameterTechnique(Technique):
    """Sets every parameter of `sets`.

    `extends`: the value is one word of a comma-separated list, and the words that are there already stay.
    """

    sets: tuple[Param, ...]
    extends: bool = False

    def already(self, context: Context) -> Applies | None:
        """Answer no when every parameter stands on the command line with its value."""
        if all(self._is_set(context.system.cmdline.get(wanted.key), wanted) for wanted in self.sets):
            return Applies.no("it is set already", " ".join(str(p) for p in self.sets))
        return None

    def _is_set(self, there: Param | None, wanted: Param) -> bool:
        if there is None:
            return False
        return there.value == wanted.value or (self.extends and wanted.value in (there.value or "").split(","))

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002 - the same on every system
        """Propose one variant with all of `sets`."""
        if self.extends:
            return (Change(technique=self.id, ops=tuple(ExtendParam(p.key, p.value or "") for p in self.sets)),)
        return (Change(technique=self.id, ops=tuple(SetParam(p.key, p.value) for p in self.sets)),)
