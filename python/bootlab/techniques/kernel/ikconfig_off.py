"""Build the kernel without its own configuration inside."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class IkconfigOff(OptionTechnique):
    """/proc/config.gz goes."""

    id = "ikconfig-off"
    title = "Kernel without its configuration inside"
    stage = "kernel"
    what = "Builds without CONFIG_IKCONFIG."
    why = "It is compressed data that is loaded and never read."
    when_not = "Tools on the system read /proc/config.gz."
    cost = "Keep the .config beside the image."
    risk = Risk(debuggability="/proc/config.gz is gone")
    sets = (("IKCONFIG", "n"),)
    because = "the configuration is in the image"
    references = ("init/Kconfig: IKCONFIG",)
