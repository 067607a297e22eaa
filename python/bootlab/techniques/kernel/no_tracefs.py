"""Do not build the file system of the kernel's tracers."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, either, never_called, quote
from bootlab.techniques.parameter import ParameterTechnique

_INITCALLS = ("trace_eval_init", "tracer_init_tracefs")


class NoTracefs(ParameterTechnique):
    """Two initcalls only queue work: it runs beside the others, and on one processor in place of them."""

    id = "no-tracefs"
    title = "No tracing file system"
    stage = "kernel"
    what = "Sets `initcall_blacklist=trace_eval_init,tracer_init_tracefs`."
    why = "A file is made for each of a thousand events, and each event's format is searched for names of constants."
    when_not = (
        "The kernel has no tracers, or something reads /sys/kernel/tracing (perf's tracepoints, bpftrace, trace-cmd)."
    )
    cost = "Where it pays, CONFIG_FTRACE=n saves more: the table of call sites is not set up either."
    risk = Risk(
        debuggability="/sys/kernel/tracing stays empty: no tracers, no tracepoints for perf, until the next boot"
    )
    kernels = "5.11 and later with CONFIG_TRACING and CONFIG_KALLSYMS; before, the work is done by another initcall"
    proof = "diagnosis"
    needs_diagnosis = True
    proof_symbols = ("tracer_init_tracefs",)
    extends = True
    sets = (Param("initcall_blacklist", ",".join(_INITCALLS)),)
    references = (
        "kernel/trace/trace.c: trace_eval_init(), tracer_init_tracefs()",
        "init/main.c: initcall_blacklist()",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when the diagnostic boot saw both initcalls run."""
        if context.enabled("KALLSYMS") is False:
            return Applies.no("the kernel cannot look initcalls up by name", "CONFIG_KALLSYMS is not set")
        if context.enabled("TRACING") is False:
            return Applies.no("the kernel has no tracing file system", "CONFIG_TRACING is not set")
        listed = (context.system.cmdline.value("initcall_blacklist") or "").split(",")
        if all(name in listed for name in _INITCALLS):
            return Applies.no("both initcalls are left out already", quote(",".join(listed)))
        if context.diagnosis is None or not context.diagnosis.initcalls:
            return Applies.unknown("a diagnostic boot with initcalls is missing")
        ran = {call.name.partition("+")[0] for call in context.diagnosis.initcalls}
        missing = [name for name in _INITCALLS if name not in ran]
        if missing:
            return Applies.no("the kernel has no such initcall", " ".join(missing))
        return Applies.yes("the tracing file system is built at boot", " ".join(_INITCALLS))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's word for each initcall (level debug), or by the function that is never called."""
        log = KernelLog.of(after)
        lines = [log.line(rf"^initcall {name} blacklisted") for name in _INITCALLS]
        if all(lines):
            return Effect(True, "; ".join(lines))
        by_log = Effect(False, f"no message that {' and '.join(_INITCALLS)} are blacklisted ({log.source})")
        return either(never_called(before, after, "tracer_init_tracefs"), by_log)
