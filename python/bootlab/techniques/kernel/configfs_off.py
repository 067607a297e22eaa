"""Build the kernel without configfs."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class ConfigfsOff(OptionTechnique):
    """What is configured through it cannot be any more."""

    id = "configfs-off"
    title = "Kernel without configfs"
    stage = "kernel"
    what = "Builds without CONFIG_CONFIGFS_FS."
    why = "One file system less to register."
    when_not = "USB gadgets or targets are configured through it."
    cost = "None otherwise."
    risk = Risk(function="/sys/kernel/config is gone")
    sets = (("CONFIGFS_FS", "n"),)
    because = "configfs is built in"
    references = ("fs/configfs/Kconfig",)
