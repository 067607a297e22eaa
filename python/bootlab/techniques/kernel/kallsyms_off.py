"""Build the kernel without its table of symbols."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class KallsymsOff(OptionTechnique):
    """Addresses are printed in place of names."""

    id = "kallsyms-off"
    title = "Kernel without symbol names"
    stage = "kernel"
    what = "Builds without CONFIG_KALLSYMS, and without the tracers and debugging aids that select it."
    why = "The table is a tenth of a small kernel, and has to be loaded and unpacked."
    when_not = "Oops messages must be readable on the spot; `initcall_blacklist=` needs it too."
    cost = "Traces show addresses; keep System.map."
    risk = Risk(debuggability="oops messages and initcall_debug show addresses")
    sets = (("KALLSYMS", "n"),)
    # kernel/trace/Kconfig, arch/Kconfig, lib/Kconfig.debug: select KALLSYMS; three that select LOCKDEP, which does.
    held_by = (
        "FUNCTION_TRACER",
        "FTRACE_SYSCALLS",
        "STACK_TRACER",
        "KPROBES",
        "LATENCYTOP",
        "DEBUG_KMEMLEAK",
        "PROVE_LOCKING",
        "LOCK_STAT",
        "DEBUG_LOCK_ALLOC",
    )
    because = "the symbol table is in the image"
    expert = True
    references = ("init/Kconfig: KALLSYMS",)
