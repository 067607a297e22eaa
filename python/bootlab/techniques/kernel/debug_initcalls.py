"""Initcalls that only serve debugging, or only test something: left out by name."""

from __future__ import annotations

from bootlab.model.change import Change, ExtendParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.evidence import quote
from bootlab.techniques.kernel.initcalls import left_out


class DebugInitcalls(Technique):
    """A row: initcalls whose whole work serves debugging. Those of `names` that the kernel has are left out."""

    stage = "kernel"
    needs_diagnosis = True
    proof = "diagnosis"
    names: tuple[str, ...]

    def __init__(
        self,
        *,
        id: str,  # noqa: A002
        title: str,
        names: tuple[str, ...],
        why: str,
        when_not: str,
        cost: str,
        risk: str,
        kernels: str,
        references: tuple[str, ...],
    ) -> None:
        """Fill the row in."""
        self.id, self.title, self.names = id, title, names
        self.what = f"Sets `initcall_blacklist=` for {' and '.join(f'`{name}`' for name in names)}."
        self.why, self.when_not, self.cost, self.kernels = why, when_not, cost, kernels
        self.risk = Risk(debuggability=risk)
        self.references = (*references, "init/main.c: initcall_blacklist()")

    def applies(self, context: Context) -> Applies:
        """Yes when the diagnostic boot saw one of them run."""
        if context.enabled("KALLSYMS") is False:
            return Applies.no("the kernel cannot look initcalls up by name", "CONFIG_KALLSYMS is not set")
        if context.diagnosis is None or not context.diagnosis.initcalls:
            return Applies.unknown("a diagnostic boot with initcalls is missing")
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
    DebugInitcalls(
        id="no-weak-function-check",
        title="No search for functions that ftrace must not touch",
        names=("ftrace_check_for_weak_functions",),
        why=(
            "For ftrace, the kernel looks up the symbol of every traceable function (40,000 in a distribution's "
            "kernel), to find those that the linker replaced. A work queue does it; on one processor everything else "
            "waits for that."
        ),
        when_not="Somebody traces functions by pattern (`set_ftrace_filter`), or the kernel is built without ftrace.",
        cost="None while nobody traces.",
        risk=(
            "the list of functions to trace also names functions that were replaced at link time; "
            "tracing them shows nothing"
        ),
        kernels="5.19 and later with CONFIG_DYNAMIC_FTRACE and CONFIG_KALLSYMS",
        references=("kernel/trace/ftrace.c: ftrace_check_for_weak_functions(), ftrace_check_sync()",),
    ),
    DebugInitcalls(
        id="no-slab-sysfs",
        title="No files about slab caches",
        # Newer kernels (Debian 13's 6.12.118 too) make these files and those in debugfs in one initcall.
        names=("slab_sysfs_init", "slab_late_init"),
        why="The kernel makes a folder with dozens of files in /sys/kernel/slab for each of some hundred slab caches.",
        when_not="Something reads /sys/kernel/slab (slabinfo of the kernel's tools); /proc/slabinfo stays.",
        cost="Some bytes for each cache that a module removes again are not given back.",
        risk="/sys/kernel/slab is missing: slab caches cannot be inspected or checked at run time",
        kernels="2.6.22 and later with CONFIG_SLUB and CONFIG_KALLSYMS",
        references=("mm/slub.c: slab_sysfs_init(), slab_late_init()",),
    ),
    DebugInitcalls(
        id="library-self-tests",
        title="Self-tests of the crypto library skipped",
        names=("blake2s_mod_init", "curve25519_init", "chacha20poly1305_init", "crypto_kdf108_init"),
        why=(
            "These initcalls do nothing but test an algorithm of the library with known answers; "
            "`cryptomgr.notests` does not reach them."
        ),
        when_not="The tests are compiled out (CONFIG_CRYPTO_MANAGER_DISABLE_TESTS), or must be run (FIPS).",
        cost="None at run time.",
        risk="a miscompiled algorithm or a broken accelerator goes unnoticed",
        kernels="5.6 to 6.15 with CONFIG_KALLSYMS",
        references=(
            "lib/crypto/blake2s.c: blake2s_mod_init()",
            "lib/crypto/curve25519.c: curve25519_init()",
            "crypto/kdf_sp800108.c: crypto_kdf108_init()",
        ),
    ),
)
