"""Build the kernel without the search for RAID arrays."""

from __future__ import annotations

from bootlab.techniques.base import Published, Risk
from bootlab.techniques.option import OptionTechnique


class MdAutodetectOff(OptionTechnique):
    """It waits for all disks."""

    id = "md-autodetect-off"
    title = "RAID autodetection compiled out"
    stage = "storage"
    what = "Builds without CONFIG_MD_AUTODETECT."
    why = "The search waits until every disk was probed."
    when_not = "The root is on an array with old metadata that only the kernel assembles."
    cost = "Arrays are assembled by mdadm."
    risk = Risk(function="the kernel assembles no array by itself")
    sets = (("MD_AUTODETECT", "n"),)
    only_if = ("BLK_DEV_MD",)
    because = "the kernel looks for arrays at boot"
    gone = r"md: Waiting for all devices"
    published = (Published("several seconds", "any", "drivers/md/Kconfig: MD_AUTODETECT"),)
    references = ("drivers/md/md-autodetect.c",)
