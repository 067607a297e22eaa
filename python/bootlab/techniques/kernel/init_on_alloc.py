"""Do not zero memory when it is allocated."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, differs
from bootlab.techniques.parameter import ParameterTechnique

_AUTO_INIT = r"mem auto-init: .*heap alloc:(on|off)"


class InitOnAlloc(ParameterTechnique):
    """Every page and slab object is zeroed when it is handed out."""

    id = "init-on-alloc"
    title = "Memory not zeroed on allocation"
    stage = "kernel"
    what = "Sets `init_on_alloc=0`."
    why = "The boot allocates most memory for the first time: all of it is written once more than needed."
    when_not = "Memory holds secrets that a bug could hand to somebody else."
    cost = "None but security."
    risk = Risk(security="uninitialised memory can leak what was there before (the option is a hardening measure)")
    kernels = "5.3 and later"
    sets = (Param("init_on_alloc", "0"),)
    references = (
        "mm/page_alloc.c: init_mem_debugging_and_hardening()",
        "security/Kconfig.hardening: INIT_ON_ALLOC_DEFAULT_ON",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel printed `heap alloc:on`."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if found := log.match(_AUTO_INIT):
            if found[1] == "on":
                return Applies.yes("memory is zeroed on allocation", found.string)
            return Applies.no("memory is not zeroed on allocation", found.string)
        return Applies.unknown(log.why_silent() or "the kernel did not print its auto-init line (before 5.3)")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's own line."""
        effect = differs(before, after, _AUTO_INIT)
        if effect.shown and not KernelLog.of(after).match(r"mem auto-init: .*heap alloc:off"):
            return Effect(False, f"it was switched on, not off: {effect.evidence}")
        return effect
