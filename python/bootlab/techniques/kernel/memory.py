# SPDX-License-Identifier: MIT
"""Memory: how much is set up, zeroed, and by which allocator."""

from __future__ import annotations

from bootlab.model.change import Change, SetParam
from bootlab.model.cmdline import Param
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.built import built_with
from bootlab.techniques.evidence import KernelLog, differs, quote
from bootlab.techniques.option import Options, stated, value_of, with_expert
from bootlab.techniques.parameter import ParameterRow, Sign

_MEMORY = r"Memory: (\d{1,12}K/\d{1,12}K) available"

LEAST_MIB = 64

_TREE_MIB = 8
"""Room for the device tree, which begins at the next 2 MiB on some boards."""

_MOST = 0.9
"""A limit above this share of the memory saves nothing worth a boot."""


class MemoryLimit(Technique):
    """Every page frame has a descriptor that is initialised at boot."""

    id = "memory-limit"
    title = "Less memory"
    stage = "kernel"
    what = "Sets `mem=` to half of the memory that the kernel found, or to as much as includes the initramfs."
    why = "Page descriptors, hash tables and the direct mapping grow with the memory."
    when_not = "The memory is needed. With CONFIG_DEFERRED_STRUCT_PAGE_INIT only a part is set up before init anyway."
    cost = "If kernel and machine support memory hot-plug, the rest can be added later."
    risk = Risk(function="the memory above the limit cannot be used", runtime="less memory is left for caching files")
    published = (
        Published(
            "memory map initialisation 230.9 ms -> 8.6 ms by deferring it", "sa8775p, arm64", "centos-stream-9 MR 3984"
        ),
    )
    references = ("Documentation/admin-guide/kernel-parameters.txt: mem=", "mm/page_alloc.c: memmap_init()")

    def _half_mib(self, context: Context) -> int:
        total_mib = self._total_mib(context)
        return max(LEAST_MIB, total_mib // 2, _end_of_initramfs_mib(context, total_mib))

    def _total_mib(self, context: Context) -> int:
        found = KernelLog.of(context).match(r"Memory: \d{1,12}K/(\d{1,12})K available")
        return int(found[1]) // 1024 if found else context.system.machine.memory_mib

    def applies(self, context: Context) -> Applies:
        """Unknown at best: no log tells how much the application needs."""
        if context.system.cmdline.has("mem"):
            return Applies.no("mem= is set already", str(context.system.cmdline.get("mem")))
        log = KernelLog.of(context)
        found = log.match(_MEMORY)
        if found is None:
            return log.unknown("the kernel did not print its memory")
        if self._half_mib(context) <= LEAST_MIB:
            return Applies.no(f"half of it is under {LEAST_MIB} MiB", quote(found.string))
        if self._half_mib(context) > _MOST * self._total_mib(context):
            return Applies.no("the initramfs is at the end of the memory", quote(found.string))
        return Applies.unknown("only the check shows whether half of the memory is enough", quote(found.string))

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose half of it."""
        return (Change(technique=self.id, ops=(SetParam("mem", f"{self._half_mib(context)}M"),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the memory that the kernel counts."""
        return differs(before, after, r"Memory: \d{1,12}K/(\d{1,12})K available")


def _end_of_initramfs_mib(context: Context, total_mib: int) -> int:
    """Return up to where the initramfs and the device tree behind it reach; 0 where the kernel moves them.

    QEMU's boards put them in the middle of the memory, at most 128 MiB from its start (hw/arm/boot.c, hw/riscv/boot.c).
    A kernel for x86 moves an initramfs that lies above the limit; others give it up.
    """
    size = context.recording.meta.artefact_bytes.get("initramfs")
    if size is None or context.system.machine.arch == "x86_64":
        return 0
    return min(total_mib // 2, 128) + -(-size // (1 << 20)) + _TREE_MIB


_AUTO_INIT = r"mem auto-init: .*heap alloc:(on|off)"


def _no_longer_zeroed(before: Evidence, after: Evidence) -> Effect:
    effect = differs(before, after, _AUTO_INIT)
    if effect.shown and not KernelLog.of(after).match(r"mem auto-init: .*heap alloc:off"):
        return Effect(False, f"it was switched on, not off: {effect.evidence}")
    return effect


# mm/Kconfig: SLOB went in 6.4, SLAB in 6.8, SLUB_TINY came in 6.2.
_ALLOCATORS = (
    ("SLAB", (2, 6), (6, 7)),
    ("SLUB", (2, 6, 22), None),
    ("SLOB", (2, 6, 16), (6, 3)),
    ("SLUB_TINY", (6, 2), None),
)

# From these versions on they are chosen as SLOB_DEPRECATED and SLAB_DEPRECATED, which set the old name.
_RENAMED = {"SLOB": (6, 2), "SLAB": (6, 5)}

_EXPERT = ("SLOB", "SLUB_TINY")


class SlabAllocator(Technique):
    """One variant for each allocator that this version has."""

    id = "slab-allocator"
    title = "Other allocator of small objects"
    stage = "kernel"
    what = "Builds with SLAB, SLUB, SLOB or SLUB_TINY, if this kernel version has them."
    why = "They differ in code size, memory use and in what they set up for each cache."
    when_not = "SLOB and SLUB_TINY are for one processor and less than 16 MB of memory; otherwise they are slow."
    cost = "Different behaviour under load as long as the system runs."
    risk = Risk(
        runtime=("different behaviour under load; SLOB and SLUB_TINY are slow with many objects or processors"),
        debuggability="SLOB and SLUB_TINY have no slabinfo and no checks",
    )
    proof = "recording"
    builds = True
    references = ("mm/Kconfig: choice 'Choose SLAB allocator'", "mm/slub.c, mm/slab.c, mm/slob.c")

    def applies(self, context: Context) -> Applies:
        """Yes where the configuration names one and this version has another."""
        if not context.config or not context.kernel_version:
            return Applies.unknown("the kernel's configuration or version is not known")
        now = _present(context)
        if now is None:
            return Applies.no("the configuration names no allocator")
        if not _others(context):
            return Applies.no("this version has no other allocator", stated(context, now), options=(now,))
        return Applies.yes(f"the allocator is {now}", stated(context, now), options=(now,))

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose each other one."""
        return tuple(
            Change(
                technique=self.id,
                ops=(SetKernelOptions(with_expert(context, _asked(context, name), needed=name in _EXPERT)),),
                label=name.lower().replace("_", "-"),
            )
            for name in _others(context)
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the allocator in the configuration of the image that booted."""
        config = after.recording.kernel_config
        found = [name for name, _, _ in reversed(_ALLOCATORS) if config.get(f"CONFIG_{name}") == "y"]
        if not found:
            return Effect(False, "the recording does not say which allocator booted")
        small = "y" if found[0] == "SLUB_TINY" else "n"
        return built_with(before, after, ((found[0], "y"), ("SLUB_TINY", small)))


def _asked(context: Context, name: str) -> Options:
    """Return the options that choose an allocator; SLUB_TINY is SLUB made small, not a choice beside it."""
    if name == "SLUB_TINY":
        return (*_asked(context, "SLUB"), (name, "y")) if _present(context) != "SLUB" else ((name, "y"),)
    renamed = name in _RENAMED and context.kernel_version >= _RENAMED[name]
    chosen = (f"{name}_DEPRECATED" if renamed else name, "y")
    return (("SLUB_TINY", "n"), chosen) if _present(context) == "SLUB_TINY" else (chosen,)


def _present(context: Context) -> str | None:
    return next((name for name, _, _ in reversed(_ALLOCATORS) if value_of(context, name) == "y"), None)


def _others(context: Context) -> list[str]:
    version, now = context.kernel_version, _present(context)
    return [
        name
        for name, first, last in _ALLOCATORS
        if name != now and version >= first and (last is None or version[:2] <= last)
    ]


TECHNIQUES: tuple[Technique, ...] = (
    MemoryLimit(),
    # Every page and slab object is zeroed when it is handed out.
    ParameterRow(
        id="init-on-alloc",
        title="Memory not zeroed on allocation",
        what="Sets `init_on_alloc=0`.",
        why="The boot allocates most memory for the first time, and zeroing writes all of it once more than needed.",
        when_not="Memory holds secrets that a bug could leak.",
        cost="Security only.",
        risk=Risk(security="uninitialised memory can leak its earlier contents (the option is a hardening measure)"),
        kernels="5.3 and later",
        sets=(Param("init_on_alloc", "0"),),
        references=(
            "mm/page_alloc.c: init_mem_debugging_and_hardening()",
            "security/Kconfig.hardening: INIT_ON_ALLOC_DEFAULT_ON",
        ),
        signs=(
            Sign("yes", r"mem auto-init: .*heap alloc:on", "memory is zeroed on allocation"),
            Sign("no", r"mem auto-init: .*heap alloc:off", "memory is not zeroed on allocation"),
        ),
        otherwise="the kernel did not print its auto-init line (before 5.3)",
        shows=_no_longer_zeroed,
    ),
    SlabAllocator(),
)
