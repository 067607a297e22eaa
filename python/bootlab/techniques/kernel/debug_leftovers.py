"""Remove what somebody left on the command line after looking for a fault."""

from __future__ import annotations

from bootlab.model.change import Change, DropParam
from bootlab.model.cmdline import same_key
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.evidence import either, vanished

SIGNATURES = {
    "initcall_debug": r"calling  \S+ @ \d+",
    "earlycon": r"bootconsole \[\w+\] enabled",
    "earlyprintk": r"bootconsole \[\w+\] enabled|console \[early\w+\] enabled",
    "keep_bootcon": r"debug: skip boot console de-registration",
    "debug": r"early console in setup code|with environment:",
    "ignore_loglevel": r"debug: ignoring loglevel setting",
    "log_buf_len": r"log_buf_len: \d+ bytes|log_buf_len individual max",
    "memtest": r"early_memtest: # of tests",
    "kmemleak": r"Kernel memory leak detector initialized",
    "ftrace": r"Starting tracer",
    "boot_delay": "",
    "bootmem_debug": "",
    "debug_pagealloc": "",
    "dyndbg": "",
    "page_owner": "",
    "sched_verbose": "",
    "slub_debug": "",
    "tp_printk": "",
    "trace_event": "",
}
"""Parameters that cost boot time and what the kernel prints on their account; "" where it prints nothing of its own."""


class DebugLeftovers(Technique):
    """Debug parameters slow every boot down and are easily forgotten."""

    id = "debug-leftovers"
    title = "Debug parameters left behind"
    stage = "kernel"
    what = "Removes `initcall_debug`, `earlycon`, `earlyprintk`, `debug`, `ignore_loglevel` and their like."
    why = "They print thousands of lines, print each line twice, or poison and test memory."
    when_not = "Somebody is looking for a fault."
    cost = "None."
    risk = Risk(debuggability="what they showed is not shown any more")
    rests_on = ("cmdline",)
    proof = "kernel-log"
    references = ("Documentation/admin-guide/kernel-parameters.txt", "kernel/printk/printk.c", "init/main.c")

    def _present(self, context: Context) -> tuple[str, ...]:
        there = context.system.cmdline.params
        return tuple(key for key in SIGNATURES if any(same_key(p.key, key) for p in there))

    def applies(self, context: Context) -> Applies:
        """Yes when at least one stands on the command line."""
        if found := self._present(context):
            return Applies.yes("debug parameters are set", " ".join(found))
        return Applies.no("no debug parameter is on the command line", str(context.system.cmdline)[:100])

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose one variant without any of them."""
        return (Change(technique=self.id, ops=tuple(DropParam(key) for key in self._present(context))),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by a message of one of them that is gone."""
        gone = [key for key in SIGNATURES if before.system.cmdline.has(key) and not after.system.cmdline.has(key)]
        if not gone:
            return Effect(False, "no debug parameter went away")
        proofs = [vanished(before, after, SIGNATURES[key]) for key in gone if SIGNATURES[key]]
        silent = Effect(False, f"nothing is printed on account of {' '.join(gone)}")
        return either(*proofs) if proofs else silent
