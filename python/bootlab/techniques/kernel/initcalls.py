# SPDX-License-Identifier: MIT
"""Initcalls left out by name: slow ones, and those that only serve debugging."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from bootlab.model.change import Change, ExtendParam
from bootlab.model.cmdline import Param
from bootlab.model.recording import Diagnosis, Initcall
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Proof, Risk, Technique
from bootlab.techniques.evidence import KernelLog, either, never_called, quote
from bootlab.techniques.missing import NO_INITCALLS
from bootlab.techniques.parameter import ParameterTechnique
from bootlab.techniques.probes import may_serve_the_console
from bootlab.techniques.row import TechniqueRow
from bootlab.techniques.vital_initcalls import vital

MAX_CANDIDATES = 8

LEAST_NS = 2_000_000

LEAST_SHARE = 0.005

# "acpi_init+0x0/0x4bd" in the log; a C identifier, perhaps with a suffix of the compiler, on the command line.
_FUNCTION = re.compile(r"^[A-Za-z_][A-Za-z0-9_.]{0,120}$")


class ListedInitcalls(Technique):
    """Changes that put initcalls on the list, each with a proof of its own."""

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's `initcall X blacklisted` (level debug), or by the initcall that never ran."""
        return left_out(before, after)

    def proves(self, change: Change, before: Evidence, after: Evidence) -> Effect:
        """Prove it of the change's own initcalls: others may be on the list."""
        asked = (op.value.split(",") for op in change.ops if isinstance(op, ExtendParam))
        return left_out(before, after, only=frozenset(name for names in asked for name in names))


class InitcallBlacklist(ListedInitcalls):
    """A fast trial of what a kernel without that driver would gain."""

    id = "initcall-blacklist"
    title = "Slow initcalls left out"
    addresses = ("absent-device", "failed-initcall")
    stage = "kernel"
    what = "Sets `initcall_blacklist=` for one slow built-in initcall; each candidate is a variant of its own."
    why = "Distribution kernels initialise subsystems that an appliance never uses. This shows which, without a build."
    when_not = (
        "Something uses what the initcall sets up. The check must cover that, because the kernel does not notice."
    )
    cost = "If leaving it out is harmless, better switch off the kernel option: that also makes the kernel smaller."
    risk = Risk(
        function=("what the initcall set up is missing; only what goal and check cover is proved to work"),
        debuggability="later code may crash because something was never initialised",
    )
    kernels = "3.17 and later with CONFIG_KALLSYMS"
    needs_diagnosis = True
    proof = "diagnosis"
    exclusive = False
    references = (
        "init/main.c: initcall_blacklist(), do_one_initcall()",
        "Documentation/admin-guide/kernel-parameters.txt",
    )

    def _candidates(self, context: Context, diagnosis: Diagnosis) -> list[Initcall]:
        serving = may_serve_the_console(KernelLog.of(context))
        ran = [c for c in diagnosis.initcalls if c.module is None and _FUNCTION.match(c.function)]
        total_ns = max((c.start_ns + c.duration_ns for c in diagnosis.initcalls), default=0)
        least_ns = max(LEAST_NS, int(total_ns * LEAST_SHARE))
        slow = [c for c in ran if c.duration_ns > least_ns and not vital(c.function) and c.function not in serving]
        return sorted(slow, key=lambda c: (-c.duration_ns, c.name))[:MAX_CANDIDATES]

    def applies(self, context: Context) -> Applies:
        """Yes when the diagnostic boot saw a slow initcall that a system can live without."""
        if context.enabled("KALLSYMS") is False:
            return Applies.no(
                "the kernel cannot look initcalls up by name", "CONFIG_KALLSYMS is not set", options=("KALLSYMS",)
            )
        if context.diagnosis is None or not context.diagnosis.initcalls:
            return NO_INITCALLS
        found = self._candidates(context, context.diagnosis)
        if not found:
            return Applies.no("no initcall that can be left out takes 2 ms and 0.5 % of the boot", "initcall_debug")
        times = ", ".join(f"{c.function} {c.duration_ns / 1e6:.1f} ms" for c in found)
        return Applies.yes(f"{len(found)} slow initcalls may be left out", times)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose each candidate alone: the check must prove each one harmless."""
        found = self._candidates(context, context.diagnosis) if context.diagnosis is not None else []
        return tuple(
            Change(technique=self.id, ops=(ExtendParam("initcall_blacklist", c.function),), label=c.function)
            for c in found
        )


def left_out(before: Evidence, after: Evidence, *, only: frozenset[str] | None = None) -> Effect:
    """Prove that every initcall that was put on the list did not run, and say who took its cost over.

    `only`: look at these, where other changes put more on the list.
    """
    wanted = _names(after) - _names(before)
    wanted = wanted if only is None else wanted & only
    if not wanted:
        return Effect(False, "no initcall was put on the list")
    log = KernelLog.of(after)
    shown: list[str] = []
    for name in sorted(wanted):
        if line := log.line(rf"^initcall {re.escape(name)} blacklisted"):
            shown.append(line)
        elif after.diagnosis is not None and after.diagnosis.initcalls and before.diagnosis is not None:
            ran_before = any(c.function == name for c in before.diagnosis.initcalls)
            ran_after = any(c.function == name for c in after.diagnosis.initcalls)
            if ran_before and not ran_after:
                shown.append(f"{name} ran before and not after")
            else:
                return Effect(False, f"{name} {'still runs' if ran_after else 'never ran on this kernel'}")
        else:
            return Effect(False, f"only a diagnostic boot of both systems shows whether {quote(name)} ran")
    alone = wanted == _names(after) - _names(before) and _otherwise(before) == _otherwise(after)
    # What another initcall takes more beside other changes may be theirs.
    return Effect(True, "; ".join([*shown, *(_moved(before, after, wanted) if alone else [])]))


def _otherwise(evidence: Evidence) -> SystemDescription:
    """Return the system without its list of initcalls: what else may have changed."""
    line = evidence.system.cmdline
    others = tuple(param for param in line.params if param.key != "initcall_blacklist")
    return msgspec.structs.replace(evidence.system, cmdline=msgspec.structs.replace(line, params=others))


def _moved(before: Evidence, after: Evidence, wanted: set[str]) -> list[str]:
    """Say which initcall now takes over half of what was left out: work that the first caller does for all."""
    if before.diagnosis is None or after.diagnosis is None:
        return []
    old = {c.function: c.duration_ns for c in before.diagnosis.initcalls}
    gone_ns = sum(old.get(name, 0) for name in wanted)
    growths = [(c.duration_ns - old[c.function], c.function) for c in after.diagnosis.initcalls if c.function in old]
    more_ns, name = max(growths, default=(0, ""))
    if gone_ns < LEAST_NS:
        return []
    if more_ns * 2 < gone_ns:
        return ["no other initcall took its cost over"]
    return [f"but its cost moved: {name} takes {more_ns / 1e6:.1f} ms more than before"]


def _names(evidence: Evidence) -> set[str]:
    values = (p.value or "" for p in evidence.system.cmdline.all("initcall_blacklist"))
    return {name for value in values for name in value.split(",") if name}


_INITCALLS = ("trace_eval_init", "tracer_init_tracefs")


class NoTracefs(ParameterTechnique):
    """Two initcalls only queue work: it runs beside the others, and on one processor in place of them."""

    id = "no-tracefs"
    title = "No tracing file system"
    addresses = ("tracer-set-up",)
    ends = ("eval_map_work_func", "tracer_init_tracefs_work_func")
    what = "Sets `initcall_blacklist=trace_eval_init,tracer_init_tracefs`."
    why = (
        "The kernel makes a file for each of a thousand events, and searches each event's format for names of "
        "constants."
    )
    when_not = (
        "The kernel has no tracers, or something reads /sys/kernel/tracing (perf's tracepoints, bpftrace, trace-cmd)."
    )
    cost = "If you can build the kernel, CONFIG_FTRACE=n saves more: the table of call sites is not set up either."
    risk = Risk(
        debuggability=("/sys/kernel/tracing stays empty: no tracers and no tracepoints for perf until the next boot")
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
            return Applies.no(
                "the kernel cannot look initcalls up by name", "CONFIG_KALLSYMS is not set", options=("KALLSYMS",)
            )
        if context.enabled("TRACING") is False:
            return Applies.no(
                "the kernel has no tracing file system", "CONFIG_TRACING is not set", options=("TRACING",)
            )
        listed = (context.system.cmdline.value("initcall_blacklist") or "").split(",")
        if all(name in listed for name in _INITCALLS):
            return Applies.no("both initcalls are left out already", quote(",".join(listed)))
        if context.diagnosis is None or not context.diagnosis.initcalls:
            return NO_INITCALLS
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


@dataclass(frozen=True, kw_only=True, eq=False)
class DebugInitcalls(TechniqueRow):
    """A row: initcalls whose whole work serves debugging. Those of `names` that the kernel has are left out."""

    names: tuple[str, ...]
    needs_diagnosis: bool = True
    proof: Proof = "diagnosis"

    def applies(self, context: Context) -> Applies:
        """Yes when the diagnostic boot saw one of them run."""
        if context.enabled("KALLSYMS") is False:
            return Applies.no(
                "the kernel cannot look initcalls up by name", "CONFIG_KALLSYMS is not set", options=("KALLSYMS",)
            )
        if context.diagnosis is None or not context.diagnosis.initcalls:
            return NO_INITCALLS
        if found := self._ran(context):
            return Applies.yes("the kernel makes them at boot", quote(" ".join(found)))
        return Applies.no("no such initcall ran", quote(" ".join(self.names)))

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose leaving out those that ran; all of them where that is not known."""
        found = self._ran(context) or self.names
        return (Change(technique=self.id, ops=(ExtendParam("initcall_blacklist", ",".join(found)),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's word for each initcall, or by the initcalls that never ran."""
        return left_out(before, after, only=frozenset(self.names))

    def _ran(self, context: Context) -> tuple[str, ...]:
        calls = context.diagnosis.initcalls if context.diagnosis is not None else ()
        ran = {call.function for call in calls if call.module is None}
        return tuple(name for name in self.names if name in ran)


TECHNIQUES: tuple[Technique, ...] = (
    InitcallBlacklist(),
    NoTracefs(),
    DebugInitcalls(
        id="no-weak-function-check",
        title="No search for functions that ftrace must not touch",
        names=("ftrace_check_for_weak_functions",),
        ends=("ftrace_check_work_func",),
        what=("Sets `initcall_blacklist=` for `ftrace_check_for_weak_functions`."),
        why=(
            "For ftrace, the kernel looks up the symbol of every traceable function (40,000 in a distribution's "
            "kernel), to find those that the linker replaced. A work queue does it; on one processor everything else "
            "waits for that."
        ),
        when_not="Somebody traces functions by pattern (`set_ftrace_filter`), or the kernel is built without ftrace.",
        cost="None while nobody traces.",
        risk=Risk(
            debuggability="the list of functions to trace also names functions that were replaced at link time; "
            "tracing them shows nothing"
        ),
        kernels="5.19 and later with CONFIG_DYNAMIC_FTRACE and CONFIG_KALLSYMS",
        references=(
            "kernel/trace/ftrace.c: ftrace_check_for_weak_functions(), ftrace_check_sync()",
            "init/main.c: initcall_blacklist()",
        ),
    ),
    DebugInitcalls(
        id="no-slab-sysfs",
        title="No files about slab caches",
        # Newer kernels (Debian 13's 6.12.118 too) make these files and those in debugfs in one initcall.
        names=("slab_sysfs_init", "slab_late_init"),
        what=("Sets `initcall_blacklist=` for `slab_sysfs_init` and `slab_late_init`."),
        why="The kernel makes a folder with dozens of files in /sys/kernel/slab for each of some hundred slab caches.",
        when_not="Something reads /sys/kernel/slab (slabinfo of the kernel's tools); /proc/slabinfo stays.",
        cost="Some bytes for each cache that a module removes again are not given back.",
        risk=Risk(debuggability="/sys/kernel/slab is missing: slab caches cannot be inspected or checked at run time"),
        kernels="2.6.22 and later with CONFIG_SLUB and CONFIG_KALLSYMS",
        references=(
            "mm/slub.c: slab_sysfs_init(), slab_late_init()",
            "init/main.c: initcall_blacklist()",
        ),
    ),
    DebugInitcalls(
        id="library-self-tests",
        title="Self-tests of the crypto library skipped",
        names=("blake2s_mod_init", "curve25519_init", "chacha20poly1305_init", "crypto_kdf108_init"),
        what=(
            "Sets `initcall_blacklist=` for `blake2s_mod_init` and `curve25519_init` and `chacha20poly1305_init` and "
            "`crypto_kdf108_init`."
        ),
        why=(
            "These initcalls do nothing but test an algorithm of the library with known answers; "
            "`cryptomgr.notests` does not reach them."
        ),
        when_not="The tests are compiled out (CONFIG_CRYPTO_MANAGER_DISABLE_TESTS), or must be run (FIPS).",
        cost="None at run time.",
        risk=Risk(debuggability="a miscompiled algorithm or a broken accelerator goes unnoticed"),
        kernels="5.6 to 6.15 with CONFIG_KALLSYMS",
        references=(
            "lib/crypto/blake2s.c: blake2s_mod_init()",
            "lib/crypto/curve25519.c: curve25519_init()",
            "crypto/kdf_sp800108.c: crypto_kdf108_init()",
            "init/main.c: initcall_blacklist()",
        ),
    ),
)
