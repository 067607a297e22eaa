"""Wait for the root device only as long as it takes."""

from __future__ import annotations

from bootlab.model.change import Change, DropParam, SetParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.evidence import KernelLog, quote, vanished

_DELAY = r"Waiting (\d{1,6}) sec before mounting root device"


class RootdelayToRootwait(Technique):
    """A fixed delay in whole seconds is always too long or too short."""

    id = "rootdelay-to-rootwait"
    title = "rootwait instead of rootdelay"
    addresses = ("root-delay",)
    stage = "storage"
    what = "Removes `rootdelay=` and sets `rootwait`."
    why = "`rootdelay` sleeps its whole time even if the device is already there; `rootwait` checks every 5 ms."
    when_not = (
        "An initramfs mounts the root: then the kernel does neither, although the initramfs may read the parameter."
    )
    cost = "If the root device never appears, the kernel waits for ever."
    risk = Risk(
        function=(
            "if the root device never appears, the kernel waits without end: no panic, so no restart from another slot"
        )
    )
    kernels = "2.6.21 and later"
    rests_on = ("cmdline",)
    proof = "kernel-log"
    references = ("init/do_mounts.c: prepare_namespace()",)

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel printed that it waits its seconds."""
        given = context.system.cmdline.get("rootdelay")
        if given is None:
            return Applies.no("no rootdelay= is on the command line", "")
        log = KernelLog.of(context)
        if line := log.line(_DELAY):
            return Applies.yes("the kernel sleeps before it looks for the root device", line)
        if line := log.line(r"Run \S+ as init process"):
            root = log.line(r"VFS: Mounted root")
            if not root:
                return Applies.no("an initramfs ran init: the kernel itself did not wait", line)
        if given.value in {"0", "", None}:
            return Applies.no("a delay of nothing", quote(str(given)))
        return Applies.unknown(
            log.why_silent() or "the kernel did not come as far as its root device", quote(str(given))
        )

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002
        """Propose the exchange."""
        return (Change(technique=self.id, ops=(DropParam("rootdelay"), SetParam("rootwait"))),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the sleep that is no longer announced."""
        return vanished(before, after, _DELAY)
