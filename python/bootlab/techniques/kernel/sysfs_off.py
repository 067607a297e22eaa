"""Build the kernel without /sys."""

from __future__ import annotations

from bootlab.techniques.base import Published, Risk
from bootlab.techniques.option import OptionTechnique


class SysfsOff(OptionTechnique):
    """Devices are registered without files."""

    id = "sysfs-off"
    title = "Kernel without sysfs"
    stage = "kernel"
    what = "Builds without CONFIG_SYSFS, and without configfs, which selects it."
    why = "Every device, driver and parameter makes directories and files there while the kernel boots."
    when_not = "A program reads /sys: udev, mdev."
    cost = "A smaller kernel."
    risk = Risk(function="/sys is gone")
    sets = (("SYSFS", "n"),)
    because = "sysfs is built in"
    expert = True
    # fs/configfs/Kconfig.
    held_by = ("CONFIGFS_FS",)
    published = (
        Published("-35 ms, -22 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),
        Published("-20 ms", "OMAP1510", "eLinux wiki"),
    )
    references = ("fs/sysfs/Kconfig: SYSFS",)
