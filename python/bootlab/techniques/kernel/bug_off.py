"""Build the kernel without BUG and WARN."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class BugOff(OptionTechnique):
    """The checks are compiled out."""

    id = "bug-off"
    title = "Kernel without BUG()"
    stage = "kernel"
    what = "Builds without CONFIG_BUG."
    why = "Every check and its table entry go: a smaller kernel that has less to load."
    when_not = "The system must stop rather than go on with damaged data."
    cost = "The kernel goes on where it would have stopped."
    risk = Risk(
        security="the kernel goes on after its own consistency checks would have failed",
        debuggability="no BUG and WARN reports",
    )
    sets = (("BUG", "n"),)
    because = "BUG() and WARN() are compiled in"
    expert = True
    references = ("init/Kconfig: BUG",)
