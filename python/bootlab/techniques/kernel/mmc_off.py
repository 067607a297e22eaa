"""Build the kernel without MMC and SD."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class MmcOff(OptionTechnique):
    """Only where no card is used."""

    id = "mmc-off"
    title = "Kernel without MMC and SD cards"
    stage = "kernel"
    what = "Builds without CONFIG_MMC."
    why = "The card is not looked for."
    when_not = "Anything is on a card or eMMC."
    cost = "No cards."
    risk = Risk(function="no MMC, eMMC or SD card")
    sets = (("MMC", "n"),)
    because = "MMC is built in"
    references = ("drivers/mmc/Kconfig: MMC",)
