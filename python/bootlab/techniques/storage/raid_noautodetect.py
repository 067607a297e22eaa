"""Do not look for RAID arrays before the root is mounted."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.evidence import KernelLog, rejected, vanished
from bootlab.techniques.parameter import ParameterTechnique

_WAITING = r"md: Waiting for all devices to be available before autodetect"


class RaidNoautodetect(ParameterTechnique):
    """The md driver waits for every device before it looks at any."""

    id = "raid-noautodetect"
    title = "No RAID autodetection"
    addresses = ("raid-autodetection",)
    stage = "storage"
    what = "Sets `raid=noautodetect`."
    why = "The md driver waits for all probes to end, then reads a superblock from each partition of type 0xfd."
    when_not = (
        "The root is on an array with version 0.90 superblocks. It gains nothing if md is a module, or if an "
        "initramfs runs init."
    )
    cost = "None without such arrays."
    risk = Risk(function="arrays that only the kernel's autodetection assembled are missing")
    proof = "kernel-log"
    sets = (Param("raid", "noautodetect"),)
    published = (Published("'can cause a several-second delay'", "any", "drivers/md/Kconfig: MD_AUTODETECT"),)
    references = ("drivers/md/md-autodetect.c: md_run_setup(), autodetect_raid()",)

    def applies(self, context: Context) -> Applies:
        """Yes when md printed that it waits."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(_WAITING):
            return Applies.yes("md waits for all devices and looks for arrays", line)
        if line := log.line(r"md: Skipping autodetection of RAID arrays"):
            return Applies.no("the autodetection is off already", line)
        for option in ("BLK_DEV_MD", "MD_AUTODETECT"):
            if context.config and context.config.get(f"CONFIG_{option}", "n") != "y":
                return Applies.no("md is not built in, so the kernel detects no arrays", f"CONFIG_{option} is not y")
        if silent := log.why_silent():
            return Applies.unknown(silent)
        return Applies.no("the kernel did not look for arrays", f"no {_WAITING[:20]!r}…")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the wait that is no longer announced."""
        if line := rejected(after, "raid"):
            return Effect(False, f"the kernel does not know the parameter: {line}")
        return vanished(before, after, _WAITING)
