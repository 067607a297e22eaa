"""Build the kernel without block devices."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class BlockOff(OptionTechnique):
    """Only where an initramfs holds everything."""

    id = "block-off"
    title = "Kernel without block devices"
    stage = "kernel"
    what = "Builds without CONFIG_BLOCK, and with it without MMC block, SCSI and disk file systems."
    why = "No block layer, no partitions, no disk drivers: a much smaller kernel with fewer initcalls."
    when_not = "Anything is mounted from a block device, at any time."
    cost = "No disks and no cards."
    risk = Risk(function="no block device and no disk file system")
    sets = (("BLOCK", "n"),)
    because = "block devices are built in, and the root is an initramfs"
    expert = True
    references = ("block/Kconfig: BLOCK",)
