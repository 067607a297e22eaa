"""Make user space's start wait less for RCU."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published
from bootlab.techniques.evidence import KernelLog, appeared, quote
from bootlab.techniques.parameter import ParameterTechnique

LEAST_USER_SPACE_NS = 10_000_000


class RcuExpedited(ParameterTechnique):
    """Mounts, network devices and module loading wait for grace periods."""

    id = "rcu-expedited"
    title = "Expedited RCU grace periods"
    stage = "kernel"
    what = "Sets `rcupdate.rcu_expedited=1`."
    why = "A wait for a grace period (synchronize_rcu) ends after microseconds, not ticks, for user space too."
    when_not = (
        "For the kernel's own part, never: grace periods are expedited there whatever is set, until "
        "rcu_end_inkernel_boot(), just before init is executed."
    )
    cost = "More wake-ups of other processors at run time; set /sys/kernel/rcu_expedited to 0 after boot."
    kernels = "3.9 and later; a kernel with TINY_RCU ignores it"
    sets = (Param("rcupdate.rcu_expedited", "1"),)
    published = (
        Published("none: Kata Containers, Clear Linux and Android set it without a number", "-", "their command lines"),
    )
    references = ("kernel/rcu/update.c: rcu_expedited_nesting, rcu_end_inkernel_boot()",)

    def applies(self, context: Context) -> Applies:
        """Yes when user space takes noticeable time before the goal."""
        if answer := self.already(context):
            return answer
        if context.enabled("TINY_RCU"):
            return Applies.no("one processor's tiny RCU has no grace period to wait for", "CONFIG_TINY_RCU=y")
        start, goal = context.recording.mark("user-space"), context.recording.meta.goal_ns
        if start is None or goal is None:
            return Applies.unknown("it is not known when user space started; the kernel's own part cannot gain")
        span = f"user space runs {(goal - start.ns) / 1e6:.1f} ms before the goal"
        if goal - start.ns < LEAST_USER_SPACE_NS:
            return Applies.no("the kernel's own part is expedited anyway, and there is little else", span)
        return Applies.yes("user space may wait for grace periods", quote(span))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by RCU's own word, where there is a user space part that could gain."""
        effect = appeared(before, after, r"All grace periods are expedited \(rcu_expedited\)")
        start, goal = after.recording.mark("user-space"), after.recording.meta.goal_ns
        if effect.shown and start is not None and goal is not None and goal - start.ns < LEAST_USER_SPACE_NS:
            told = KernelLog.of(after).line(r"All grace periods are expedited")
            return Effect(False, f"it is set ({told}), but the kernel's part is expedited without it")
        return effect
