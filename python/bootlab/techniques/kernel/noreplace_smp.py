"""Do not patch the kernel for one processor."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence
from bootlab.techniques.evidence import KernelLog, never_called
from bootlab.techniques.parameter import ParameterTechnique

_PATCHING = "alternatives_smp_module_add"
_FREEING = r"Freeing SMP alternatives memory"


class NoreplaceSmp(ParameterTechnique):
    """A kernel for several processors that finds one removes the lock prefix in thousands of places."""

    id = "noreplace-smp"
    title = "Lock prefixes left in place"
    stage = "kernel"
    what = "Sets `noreplace-smp`."
    why = "Each place is patched and its cache line synchronised, one after the other."
    when_not = "Several processors are present: nothing is patched then."
    cost = "Atomic operations keep their lock prefix: slightly slower at run time on one processor."
    architectures = ("x86_64",)
    proof = "recording"
    proof_symbols = (_PATCHING,)
    sets = (Param("noreplace-smp"),)
    references = ("arch/x86/kernel/alternative.c: alternative_instructions(), alternatives_smp_module_add()",)

    def applies(self, context: Context) -> Applies:
        """Yes when an SMP kernel found one processor."""
        if answer := self.already(context):
            return answer
        if context.enabled("SMP") is False:
            return Applies.no("the kernel is built for one processor", "CONFIG_SMP is not set")
        log = KernelLog.of(context)
        cpus = log.match(r"smp: Brought up \d+ nodes?, (\d+) CPUs?")
        if cpus is None:
            return Applies.unknown(log.why_silent() or "it does not show how many processors are brought up")
        if cpus[1] != "1":
            return Applies.no("several processors: nothing is patched", cpus.string)
        line = log.line(_FREEING)
        if not line:
            return Applies.no("the kernel has no SMP alternatives", f"no {_FREEING!r}")
        return Applies.yes("an SMP kernel is patched for one processor", line)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the function that does the patching: nothing is printed, and the time varies with the ticks."""
        return never_called(before, after, _PATCHING)
