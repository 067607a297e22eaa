"""Build the kernel with another allocator of small objects."""

from __future__ import annotations

from bootlab.model.change import Change, SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.built import built_with
from bootlab.techniques.option import Options, stated, value_of, with_expert

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
    what = "Builds with SLAB, SLUB, SLOB or SLUB_TINY, as far as this version has them."
    why = "They differ in code size, in memory used and in what they set up for each cache."
    when_not = "SLOB and SLUB_TINY are for less than 16 MB of memory and one processor: slow otherwise."
    cost = "Another behaviour under load for as long as the system runs."
    risk = Risk(debuggability="SLOB and SLUB_TINY have no slabinfo and no checks")
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
            return Applies.no("this version has no other allocator", stated(context, now))
        return Applies.yes(f"the allocator is {now}", stated(context, now))

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
