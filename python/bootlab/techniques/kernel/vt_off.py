"""Build the kernel without virtual terminals."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class VtOff(OptionTechnique):
    """No screen console."""

    id = "vt-off"
    title = "Kernel without virtual terminals"
    stage = "kernel"
    what = "Builds without CONFIG_VT."
    why = "No screen is set up and no terminal allocated."
    when_not = "Somebody sits at a screen and keyboard."
    cost = "No text console on a screen."
    risk = Risk(function="no console on a screen")
    sets = (("VT", "n"),)
    only_if = ("VT",)
    because = "virtual terminals are built in"
    expert = True
    gone = r"Console: colour"
    references = ("drivers/tty/Kconfig: VT",)
