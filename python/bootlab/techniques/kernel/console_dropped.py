"""Boot without a kernel console."""

from __future__ import annotations

import re

from bootlab.model.change import Change, DropParam, SetParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.console_lines import fewer_kernel_lines, kernel_lines
from bootlab.techniques.evidence import either, quote, vanished


class ConsoleDropped(Technique):
    """No console driver is set up for the kernel's messages at all."""

    id = "console-dropped"
    title = "No kernel console"
    stage = "kernel"
    what = "Removes every `console=`, or points it at the null console (`console=null`)."
    why = "No message is formatted for or sent to a port, and the port is not set up for it."
    when_not = "The goal or the check comes through /dev/console, or somebody reads the boot on the port."
    cost = "None while it boots; `dmesg` still holds every message."
    risk = Risk(debuggability="no message, not even a panic, reaches the port; /dev/console leads nowhere")
    rests_on = ("cmdline",)
    proof = "recording"
    published = (Published("1 s to 3 s for enabling ttyS0", "HPE and Dell servers, 115200 baud", "lkml 2210.1/02811"),)
    references = ("kernel/printk/printk.c: console_setup(), register_console()", "drivers/tty/ttynull.c")

    def applies(self, context: Context) -> Applies:
        """Yes only when the application is seen to open the port itself; no when the goal is a kernel message."""
        consoles = context.system.cmdline.all("console")
        if not consoles:
            return Applies.no("no console= is on the command line", "")
        if all(p.value in {"", "null", None} for p in consoles):
            return Applies.no("the null console is chosen already", str(consoles[-1]))
        try:
            goal = re.compile(context.system.goal.console)
        except re.error:
            return Applies.unknown("the goal's pattern cannot be read", quote(context.system.goal.console))
        if line := next((line for line in kernel_lines(context.recording) if goal.search(line)), ""):
            return Applies.no("the goal is a message of the kernel", quote(line))
        port = (consoles[-1].value or "").partition(",")[0]
        tree = context.system.tree.entries if context.system.tree else ()
        for path, entry in tree:
            if entry.text is not None and port and f"/dev/{port}" in entry.text:
                return Applies.yes(f"{path} writes to the port itself", f"/dev/{port} in {path}")
        return Applies.unknown("it does not show whether the goal is written to the port or to /dev/console")

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002
        """Propose to remove it (the kernel may then pick a console itself) and the null console."""
        return (
            Change(technique=self.id, ops=(DropParam("console"),), label="removed"),
            Change(technique=self.id, ops=(DropParam("console"), SetParam("console", "null")), label="null"),
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the port that is not enabled as console any more, or by the lines that do not come."""
        return either(
            vanished(before, after, r"printk: (?:legacy )?console \[(?!ttynull|tty0)\w+\] enabled"),
            fewer_kernel_lines(before, after),
        )
