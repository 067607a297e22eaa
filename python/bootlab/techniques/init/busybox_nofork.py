"""Let BusyBox's shell run its own applets without a new program, and the small ones without a new process."""

from __future__ import annotations

from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence, Published, Risk
from bootlab.techniques.init.busybox_shell import BusyboxShell
from bootlab.techniques.init.rc_scripts_merged import processes


class BusyboxNofork(BusyboxShell):
    """`mkdir`, `test`, `cat`: applets that end in microseconds, in a process that takes much longer to make."""

    id = "busybox-nofork"
    title = "BusyBox's shell runs applets itself"
    options = (("FEATURE_PREFER_APPLETS", "y"), ("FEATURE_SH_STANDALONE", "y"), ("FEATURE_SH_NOFORK", "y"))
    built_without = "no distribution builds it with FEATURE_SH_NOFORK"
    what = (
        "Builds BusyBox with FEATURE_PREFER_APPLETS, FEATURE_SH_STANDALONE and FEATURE_SH_NOFORK. Its shell then "
        "uses an applet without searching for a program of that name. It runs most applets in a forked process "
        "without exec, and those that BusyBox marks as NOFORK (mkdir, ln, rm, cat, dirname, echo, …) in its own "
        "process."
    )
    why = "A fork copies page tables, and an exec discards them again. An applet that is a function call needs neither."
    when_not = "Programs in the tree must take precedence over applets of the same name."
    cost = "BusyBox is built together with the product."
    risk = Risk(
        function=("BusyBox marks FEATURE_SH_NOFORK as experimental; an applet that leaks memory leaks it in the shell")
    )
    conflicts = ("busybox-standalone",)
    published = (
        Published(
            "8.7 -> 5.0 s with an optimised BusyBox and fewer forks",
            "a board of CELF's (not named)",
            "elinux.org, Boot Time",
        ),
    )
    references = ("busybox: docs/nofork_noexec.txt", "busybox: shell/Config.in: FEATURE_SH_NOFORK")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the number of processes that the boot made."""
        was, now = processes(before), processes(after)
        if was is None or now is None:
            return Effect(False, "only diagnostic boots of both tell how many processes were made")
        return Effect(now < was, f"processes made up to the report, kernel threads included: {was} -> {now}")
