"""Build the kernel without swap."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class SwapOff(OptionTechnique):
    """Nothing can be swapped out."""

    id = "swap-off"
    title = "Kernel without swap"
    stage = "kernel"
    what = "Builds without CONFIG_SWAP."
    why = "Less code and one initcall less."
    when_not = "The system swaps."
    cost = "No swap."
    risk = Risk(function="no swap space can be used")
    sets = (("SWAP", "n"),)
    because = "swap is built in"
    references = ("mm/Kconfig: SWAP",)
