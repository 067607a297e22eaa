"""Give the kernel less memory to set up."""

from __future__ import annotations

from bootlab.model.change import Change, SetParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import KernelLog, differs, quote

_MEMORY = r"Memory: (\d{1,12}K/\d{1,12}K) available"
LEAST_MIB = 64


class MemoryLimit(Technique):
    """Every page frame has a descriptor that is initialised at boot."""

    id = "memory-limit"
    title = "Less memory"
    stage = "kernel"
    what = "Sets `mem=` to half of what the kernel found."
    why = "The page descriptors, the hash tables and the direct mapping grow with the memory."
    when_not = "The memory is needed; with CONFIG_DEFERRED_STRUCT_PAGE_INIT only a part is set up before init anyway."
    cost = "The rest can be added later by memory hot-plug where the kernel and the machine support it."
    risk = Risk(function="the memory above the limit cannot be used")
    published = (
        Published(
            "memory map initialisation 230.9 ms -> 8.6 ms by deferring it", "sa8775p, arm64", "centos-stream-9 MR 3984"
        ),
    )
    references = ("Documentation/admin-guide/kernel-parameters.txt: mem=", "mm/page_alloc.c: memmap_init()")

    def _half_mib(self, context: Context) -> int:
        found = KernelLog.of(context).match(r"Memory: \d{1,12}K/(\d{1,12})K available")
        total_mib = int(found[1]) // 1024 if found else context.system.machine.memory_mib
        return max(LEAST_MIB, total_mib // 2)

    def applies(self, context: Context) -> Applies:
        """Unknown at best: no log tells how much the application needs."""
        if context.system.cmdline.has("mem"):
            return Applies.no("mem= is set already", str(context.system.cmdline.get("mem")))
        log = KernelLog.of(context)
        found = log.match(_MEMORY)
        if found is None:
            return Applies.unknown(log.why_silent() or "the kernel did not print its memory")
        if self._half_mib(context) <= LEAST_MIB:
            return Applies.no(f"half of it is under {LEAST_MIB} MiB", quote(found.string))
        return Applies.unknown("only the check tells whether half of the memory is enough", quote(found.string))

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose half of it."""
        return (Change(technique=self.id, ops=(SetParam("mem", f"{self._half_mib(context)}M"),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the memory that the kernel counts."""
        return differs(before, after, r"Memory: \d{1,12}K/(\d{1,12})K available")
