"""Build the kernel without control groups."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class CgroupsOff(OptionTechnique):
    """systemd and containers need them."""

    id = "cgroups-off"
    title = "Kernel without control groups"
    stage = "kernel"
    what = "Builds without CONFIG_CGROUPS."
    why = "No hierarchies, no accounting, less to register."
    when_not = "There is systemd, or a container."
    cost = "No resource control."
    risk = Risk(function="control groups are gone; systemd does not start without them")
    sets = (("CGROUPS", "n"),)
    held_by = ("SCHED_AUTOGROUP",)
    because = "control groups are built in"
    references = ("init/Kconfig: CGROUPS",)
