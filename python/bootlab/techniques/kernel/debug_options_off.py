"""Build the kernel without debugging options."""

from __future__ import annotations

from bootlab.techniques.base import Context, Evidence, Risk
from bootlab.techniques.option import Options, OptionTechnique, value_of

_HARDENING = "BUG_ON_DATA_CORRUPTION"


class DebugOptionsOff(OptionTechnique):
    """Options that check at run time and were left on."""

    id = "debug-options-off"
    title = "Kernel without run-time debugging"
    stage = "kernel"
    what = "Builds without lock proving, object and page debugging, sanitizers and the like."
    why = "They check every lock, allocation or access, from the first one on."
    when_not = "Somebody looks for a fault."
    cost = "None."
    risk = Risk(debuggability="what these options find is not found")
    sets = (
        ("PROVE_LOCKING", "n"),
        ("LOCK_STAT", "n"),
        ("DEBUG_LOCK_ALLOC", "n"),
        ("DEBUG_SPINLOCK", "n"),
        ("DEBUG_MUTEXES", "n"),
        ("DEBUG_OBJECTS", "n"),
        ("DEBUG_PAGEALLOC", "n"),
        ("SLUB_DEBUG_ON", "n"),
        ("KASAN", "n"),
        ("KFENCE", "n"),
        ("UBSAN", "n"),
        ("KCSAN", "n"),
        ("DEBUG_KMEMLEAK", "n"),
        ("PAGE_POISONING", "n"),
        ("DEBUG_VM", "n"),
        ("DEBUG_LIST", "n"),
        ("DEBUG_RT_MUTEXES", "n"),
        ("DEBUG_RWSEMS", "n"),
        ("DEBUG_WW_MUTEX_SLOWPATH", "n"),
        ("DEBUG_ATOMIC_SLEEP", "n"),
        ("SCHED_DEBUG", "n"),
        ("DEBUG_PREEMPT", "n"),
        ("DEBUG_TIMEKEEPING", "n"),
        ("DEBUG_WX", "n"),
        ("DETECT_HUNG_TASK", "n"),
        ("HARDLOCKUP_DETECTOR", "n"),
        ("SOFTLOCKUP_DETECTOR", "n"),
        ("GCOV_KERNEL", "n"),
        ("KCOV", "n"),
    )
    because = "debugging options are on"
    references = ("lib/Kconfig.debug",)

    def pending(self, context: Context) -> Options:
        """Leave the checks of lists alone where they are hardening (BUG_ON_DATA_CORRUPTION selects them)."""
        return _unhardened(super().pending(context), value_of(context, _HARDENING))

    def proved_by(self, after: Evidence) -> Options:
        """Return the options without those that were left alone."""
        return _unhardened(self.sets, after.recording.kernel_config.get(f"CONFIG_{_HARDENING}", ""))


def _unhardened(options: Options, hardening: str) -> Options:
    return tuple(pair for pair in options if pair[0] != "DEBUG_LIST") if hardening == "y" else options
