"""Let BusyBox's shell run its own applets in a forked process, without starting the program anew."""

from __future__ import annotations

from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence, Risk
from bootlab.techniques.init.busybox_shell import BusyboxShell


class BusyboxStandalone(BusyboxShell):
    """The half of `busybox-nofork` that BusyBox does not call experimental: every applet keeps its own process."""

    id = "busybox-standalone"
    title = "BusyBox's shell starts applets without exec"
    options = (("FEATURE_PREFER_APPLETS", "y"), ("FEATURE_SH_STANDALONE", "y"))
    built_without = "Debian's is built without FEATURE_SH_STANDALONE"
    what = (
        "Builds BusyBox with FEATURE_PREFER_APPLETS and FEATURE_SH_STANDALONE. Its shell then uses an applet without "
        "searching for a program of that name, and runs it in the forked process without exec."
    )
    why = "An exec searches PATH, discards the page tables that the fork copied, and faults the same pages in again."
    when_not = "A program in the tree has the name of an applet: the shell would run the applet in its place."
    cost = "BusyBox is built together with the product."
    risk = Risk(function="the shell runs an applet in place of a program of the same name in the tree")
    conflicts = ("busybox-nofork",)
    references = ("busybox: shell/Config.in: FEATURE_SH_STANDALONE", "busybox: Config.in: FEATURE_PREFER_APPLETS")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the links to BusyBox that were followed: a shell that searches no program follows fewer."""
        if before.diagnosis is None or after.diagnosis is None:
            return Effect(False, "only diagnostic boots of both tell which links were followed")
        was, now = len(before.diagnosis.links), len(after.diagnosis.links)
        return Effect(now < was, f"links followed from power-on to the goal: {was} -> {now}")
