"""Let BusyBox's shell run its own applets in a forked process, without starting the program anew."""

from __future__ import annotations

from bootlab.model.change import Change, SetBusybox
from bootlab.model.verdict import Effect
from bootlab.startup import applets
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique

_OPTIONS = (("FEATURE_PREFER_APPLETS", "y"), ("FEATURE_SH_STANDALONE", "y"))


class BusyboxStandalone(Technique):
    """The half of `busybox-nofork` that BusyBox does not call experimental: every applet keeps its own process."""

    id = "busybox-standalone"
    title = "BusyBox's shell starts applets without exec"
    stage = "init"
    what = (
        "Builds BusyBox with FEATURE_PREFER_APPLETS and FEATURE_SH_STANDALONE. Its shell then uses an applet without "
        "searching for a program of that name, and runs it in the forked process without exec."
    )
    why = "An exec searches PATH, discards the page tables that the fork copied, and faults the same pages in again."
    when_not = "A program in the tree has the name of an applet: the shell would run the applet in its place."
    cost = "BusyBox is built together with the product."
    risk = Risk(function="the shell runs an applet in place of a program of the same name in the tree")
    conflicts = ("busybox-nofork",)
    rests_on = ("initramfs",)
    needs_diagnosis = True
    proof = "diagnosis"
    references = ("busybox: shell/Config.in: FEATURE_SH_STANDALONE", "busybox: Config.in: FEATURE_PREFER_APPLETS")

    def applies(self, context: Context) -> Applies:
        """Yes when BusyBox is the shell; whether a program has the name of an applet is left to the risk."""
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
        return Applies.yes("BusyBox is the shell; Debian's is built without FEATURE_SH_STANDALONE", found.path)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the build; which applets it holds is left as it is."""
        files = Files.of(context.system)
        found = applets.find(files) if files is not None else None
        return (Change(technique=self.id, ops=(SetBusybox(found.path, options=_OPTIONS),)),) if found else ()

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the links to BusyBox that were followed: a shell that searches no program follows fewer."""
        if before.diagnosis is None or after.diagnosis is None:
            return Effect(False, "only diagnostic boots of both tell which links were followed")
        was, now = len(before.diagnosis.links), len(after.diagnosis.links)
        return Effect(now < was, f"links followed from power-on to the goal: {was} -> {now}")
