"""Let BusyBox's shell run its own applets without a new program, and the small ones without a new process."""

from __future__ import annotations

from bootlab.model.change import Change, SetBusybox
from bootlab.model.verdict import Effect
from bootlab.startup import applets
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.init.rc_scripts_merged import processes

_OPTIONS = (("FEATURE_PREFER_APPLETS", "y"), ("FEATURE_SH_STANDALONE", "y"), ("FEATURE_SH_NOFORK", "y"))


class BusyboxNofork(Technique):
    """`mkdir`, `test`, `cat`: applets that end in microseconds, in a process that takes much longer to make."""

    id = "busybox-nofork"
    title = "BusyBox's shell runs applets itself"
    stage = "init"
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
    rests_on = ("initramfs",)
    needs_diagnosis = True
    proof = "diagnosis"
    published = (
        Published(
            "8.7 -> 5.0 s with an optimised BusyBox and fewer forks",
            "a board of CELF's (not named)",
            "elinux.org, Boot Time",
        ),
    )
    references = ("busybox: docs/nofork_noexec.txt", "busybox: shell/Config.in: FEATURE_SH_NOFORK")

    def applies(self, context: Context) -> Applies:
        """Yes when the tree has a BusyBox; whether it runs applets itself does not stand in the binary."""
        files = Files.of(context.system)
        if files is None:
            return Applies.no("there is no root tree to look into", "neither [initramfs] nor [root] in the system")
        found = applets.find(files)
        if found is None:
            return Applies.no("there is no BusyBox in the tree", "/bin/sh, /bin/busybox")
        if files.real("/bin/sh") != found.path:
            return Applies.no("BusyBox is not the shell", f"/bin/sh leads to {files.real('/bin/sh')}")
        entry = files.entries[found.path]
        if entry.busybox is not None and set(_OPTIONS) <= set(entry.busybox.options):
            return Applies.no("it is built so already", found.path)
        return Applies.yes("BusyBox is the shell; no distribution builds it with FEATURE_SH_NOFORK", found.path)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the build; which applets it holds is left as it is."""
        files = Files.of(context.system)
        found = applets.find(files) if files is not None else None
        return (Change(technique=self.id, ops=(SetBusybox(found.path, options=_OPTIONS),)),) if found else ()

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the number of processes that the boot made."""
        was, now = processes(before), processes(after)
        if was is None or now is None:
            return Effect(False, "only diagnostic boots of both tell how many processes were made")
        return Effect(now < was, f"processes made up to the report, kernel threads included: {was} -> {now}")
