# SPDX-License-Identifier: MIT
"""Techniques that only set kernel parameters: a row of facts where messages tell all, a class where they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bootlab.model.change import Change, ExtendParam, SetParam
from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Proof, StageName, Technique
from bootlab.techniques.evidence import KernelLog, appeared, differs, vanished
from bootlab.techniques.row import TechniqueRow


class ParameterTechnique(Technique):
    """Sets every parameter of `sets`.

    `extends`: the value is one word of a comma-separated list, and the words that are there already stay.
    """

    stage: StageName = "kernel"
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


@dataclass(frozen=True)
class Sign:
    """A kernel message that answers whether a technique applies. `{count}` in the reason: how many lines say so."""

    answer: Literal["yes", "no", "unknown"]
    pattern: str
    reason: str


@dataclass(frozen=True, kw_only=True, eq=False)
class ParameterRow(TechniqueRow, ParameterTechnique):
    """A technique whose messages tell all: a row in `TECHNIQUES` of its mechanism's file.

    `without`: options, and what is said when one of them is off: there is nothing to gain then. `signs`: the first that
    the log has answers. `otherwise`: a log that is complete and has none of them means *no* (reason and evidence), or
    *unknown* (a reason). `shows`: how the log proves it, and the message: it `appears`, it `vanishes`, or its first
    group `differs`; where that does not do, a function that compares both boots.
    """

    sets: tuple[Param, ...]
    extends: bool = False
    signs: tuple[Sign, ...]
    otherwise: tuple[str, str] | str
    shows: tuple[Literal["appears", "vanishes", "differs"], str] | Callable[[Evidence, Evidence], Effect]
    without: tuple[tuple[str, str], ...] = ()
    proof: Proof = "kernel-log"

    def applies(self, context: Context) -> Applies:
        """Ask the command line, the configuration and the log, in this order."""
        if answer := self.already(context):
            return answer
        for option, reason in self.without:
            if context.enabled(option) is False:
                return Applies.no(reason, f"CONFIG_{option} is not set", options=(option,))
        log = KernelLog.of(context)
        for sign in self.signs:
            if line := log.line(sign.pattern):
                say = {"yes": Applies.yes, "no": Applies.no, "unknown": Applies.unknown}[sign.answer]
                return say(sign.reason.replace("{count}", str(log.count(sign.pattern))), line)
        if isinstance(self.otherwise, str):
            return log.unknown(self.otherwise)
        return log.absent(*self.otherwise)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the message, or as `shows` does."""
        if callable(self.shows):
            return self.shows(before, after)
        how, pattern = self.shows
        return {"appears": appeared, "vanishes": vanished, "differs": differs}[how](before, after, pattern)
