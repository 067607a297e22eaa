"""Build the kernel without its table of symbols."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class KallsymsOff(OptionTechnique):
    """Addresses are printed in place of names."""

    id = "kallsyms-off"
    title = "Kernel without symbol names"
    stage = "kernel"
    what = "Builds without CONFIG_KALLSYMS."
    why = "The table is a tenth of a small kernel, and has to be loaded and unpacked."
    when_not = "Oops messages must be readable on the spot; `initcall_blacklist=` needs it too."
    cost = "Traces show addresses; keep System.map."
    risk = Risk(debuggability="oops messages and initcall_debug show addresses")
    sets = (("KALLSYMS", "n"),)
    because = "the symbol table is in the image"
    expert = True
    references = ("init/Kconfig: KALLSYMS",)
