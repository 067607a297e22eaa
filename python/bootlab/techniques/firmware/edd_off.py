"""Keep the kernel's set-up code from asking the BIOS for disks."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import quote
from bootlab.techniques.parameter import ParameterTechnique

_PROBING = "Probing EDD"


class EddOff(ParameterTechnique):
    """Skip BIOS Enhanced Disk Drive services."""

    id = "edd-off"
    title = "Skip the BIOS disk query (EDD)"
    stage = "firmware"
    what = "Sets `edd=off`: the set-up code no longer asks the BIOS for data and boot sectors of disks."
    why = (
        "For each BIOS disk the set-up code makes several BIOS calls and reads a sector, before the kernel is even "
        "unpacked."
    )
    when_not = "The installer or a boot loader tool uses /sys/firmware/edd to find the BIOS's first disk."
    cost = "No /sys/firmware/edd."
    risk = Risk(function=("/sys/firmware/edd is empty: installers cannot use it to find the BIOS's first disk"))
    architectures = ("x86_64",)
    kernels = "2.6.8 and later; `off` on the command line 2.6.19 and later"
    rests_on = ("console",)
    proof = "recording"
    sets = (Param("edd", "off"),)
    references = ("arch/x86/boot/edd.c: query_edd()", "Documentation/admin-guide/kernel-parameters.txt: edd=")

    def applies(self, context: Context) -> Applies:
        """Yes when the set-up code says on the console that it probes."""
        if answer := self.already(context):
            return answer
        if context.enabled("EDD") is False:
            return Applies.no("the kernel has no EDD support", "CONFIG_EDD is not set")
        if context.system.kernel.form == "vmlinux":
            return Applies.no("a kernel that is started by PVH has no set-up code in front", "kernel.form = vmlinux")
        if line := context.recording.find(_PROBING):
            return Applies.yes(
                "the set-up code asks the BIOS for its disks", quote(line.text[line.text.find(_PROBING) :])
            )
        if context.system.cmdline.has("quiet"):
            return Applies.unknown("with `quiet` the set-up code does not tell whether it probes")
        return Applies.no("the set-up code did not print that it probes", f"no {_PROBING!r} on the console")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the set-up code's line: it is printed unless `quiet`, and only when it probes."""
        line = before.recording.find(_PROBING)
        if line is None:
            return Effect(False, f"no {_PROBING!r} on the console before the change")
        if after.system.cmdline.has("quiet"):
            return Effect(False, "with `quiet` the set-up code prints nothing either way")
        if after.recording.find(_PROBING) is not None or not after.recording.lines:
            return Effect(False, "the set-up code still prints that it probes")
        return Effect(True, f"gone from the console: {quote(line.text[line.text.find(_PROBING) :])[:60]}")
