# SPDX-License-Identifier: MIT
"""Initcalls left out together, because they share a cost."""

from __future__ import annotations

from bootlab.model.change import Change, ExtendParam
from bootlab.model.shared_cost import SharedCost
from bootlab.techniques.base import Applies, Context, Risk, Technique
from bootlab.techniques.kernel.initcalls import ListedInitcalls
from bootlab.techniques.vital_initcalls import vital

MAX_GROUPS = 6


class InitcallGroups(ListedInitcalls):
    """What one initcall alone does not save: the next caller would pay, or a kernel thread does the work."""

    id = "initcall-groups"
    title = "Initcalls that share a cost left out together"
    stage = "kernel"
    what = (
        "Traces the base and looks for costs that several initcalls share: work that the first of them does for "
        "all, or work that an initcall queues for a kernel thread. Sets `initcall_blacklist=` for all initcalls "
        "that share a cost."
    )
    why = (
        "Leaving out only one of them moves the cost to the next: type information (BTF), for example, is parsed "
        "for whoever asks first. Queued work runs while another initcall waits, and looks like that one's."
    )
    when_not = "Something uses what one of the initcalls sets up. The more initcalls, the more function is lost."
    cost = "If leaving them out is harmless, better switch off the kernel options: that also makes the kernel smaller."
    risk = Risk(
        function=(
            "what every initcall of the group set up is missing (a variant's name is the work that is saved, its "
            "parameter lists the initcalls): for btf_parse_vmlinux that is BPF's kernel functions and, if built "
            "in, the default TCP congestion control; only what goal and check cover is proved to work"
        ),
        debuggability=(
            "later code may crash because something was never initialised; without ftrace's check, dead entries of "
            "weak functions stay in the list of traceable functions"
        ),
    )
    kernels = "3.17 and later with CONFIG_KALLSYMS"
    needs_diagnosis = True
    needs_trace = True
    proof = "diagnosis"
    exclusive = False
    references = (
        "init/main.c: initcall_blacklist(), do_one_initcall()",
        "kernel/bpf/btf.c: bpf_get_btf_vmlinux(), register_btf_kfunc_id_set()",
        "kernel/trace/ftrace.c: ftrace_check_for_weak_functions(), ftrace_check_work_func()",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when a traced boot shows a shared cost none of whose initcalls is vital."""
        if context.enabled("KALLSYMS") is False:
            return Applies.no(
                "the kernel cannot look initcalls up by name", "CONFIG_KALLSYMS is not set", options=("KALLSYMS",)
            )
        if context.shared_costs is None:
            return Applies.unknown("no boot was traced (`bootlab try` and `stack` trace one in exact mode on QEMU)")
        found = _groups(context)
        if not found:
            kept = "; ".join(f"{c.function}: {', '.join(filter(vital, c.initcalls))}" for c in context.shared_costs)
            return Applies.no("initcalls that can be left out share no cost of 2 ms", f"kept: {kept}" if kept else "")
        said = "; ".join(f"{c.function} {c.cost_ns / 1e6:.1f} ms of {', '.join(c.initcalls)}" for c in found)
        return Applies.yes(f"{len(found)} costs are shared by initcalls that may be left out", said)

    def ends_here(self, context: Context) -> tuple[str, ...]:
        """Return the work that is queued, and the initcall that pays for the others."""
        return tuple(cost.function if cost.kind == "work" else cost.initcalls[0] for cost in _groups(context))

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose each group alone, named after the work that it saves."""
        return tuple(
            Change(
                technique=self.id,
                ops=(ExtendParam("initcall_blacklist", ",".join(cost.initcalls)),),
                label=cost.function,
            )
            for cost in _groups(context)
        )


def _groups(context: Context) -> list[SharedCost]:
    # A cost that a vital initcall pays for too does not go away.
    return [c for c in context.shared_costs or () if not any(vital(name) for name in c.initcalls)][:MAX_GROUPS]


TECHNIQUES: tuple[Technique, ...] = (InitcallGroups(),)
