"""Build the kernel without networking."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class NetworkingOff(OptionTechnique):
    """Not even Unix sockets."""

    id = "networking-off"
    title = "Kernel without networking"
    stage = "kernel"
    what = "Builds without CONFIG_NET."
    why = "Protocols allocate tables and register; the code is a large part of the image."
    when_not = "Anything talks over a network or a Unix socket."
    cost = "No sockets at all."
    risk = Risk(function="no network and no Unix sockets")
    sets = (("NET", "n"),)
    because = "networking is built in"
    references = ("net/Kconfig: NET",)
