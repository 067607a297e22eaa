"""Print the kernel's messages without time stamps."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.console_lines import kernel_lines
from bootlab.techniques.parameter import ParameterTechnique


class PrintkTime(ParameterTechnique):
    """A stamp is 15 characters of each line."""

    id = "printk-time"
    title = "Messages without time stamps"
    stage = "kernel"
    what = "Sets `printk.time=0`."
    why = "At 115200 baud the stamps of 300 lines take 390 ms."
    when_not = "The console is quiet, or somebody reads the stamps: this laboratory does."
    cost = "None; /dev/kmsg keeps the times."
    risk = Risk(debuggability="the console's log has no times, and tools that read it find none")
    rests_on = ("console",)
    proof = "recording"
    sets = (Param("printk.time", "0"),)
    references = ("kernel/printk/printk.c: info_print_prefix()",)

    def applies(self, context: Context) -> Applies:
        """Yes when stamped lines reach the console."""
        if answer := self.already(context):
            return answer
        lines = kernel_lines(context.recording)
        if not lines:
            return Applies.no("no stamped line reaches the console", "no line with printk's stamp")
        return Applies.yes(f"{len(lines)} lines carry a stamp of 15 characters", f"{15 * len(lines)} characters")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by lines that lost their stamps and are still there."""
        old = {line.partition("] ")[2] for line in kernel_lines(before.recording)}
        if not old:
            return Effect(False, "no line carried a stamp before the change")
        if still := kernel_lines(after.recording):
            return Effect(False, f"{len(still)} lines still carry a stamp")
        kept = [line.text for line in after.recording.lines if line.text.strip() in old]
        if not kept:
            return Effect(False, "the lines are gone altogether, not only their stamps")
        return Effect(True, f"{len(old)} stamped lines before; now without: {kept[0][:80]}")
