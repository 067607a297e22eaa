"""Keep more of the kernel's messages off the console than `quiet` does."""

from __future__ import annotations

from bootlab.model.change import Change, DropParam, SetParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.console_lines import fewer_kernel_lines, kernel_lines, level_of

LEVELS = (3, 0)


class Loglevel(Technique):
    """Only what is critical (3), or nothing but an emergency (0: not even that), goes to the console."""

    id = "loglevel"
    title = "Console log level below quiet"
    stage = "kernel"
    what = "Sets `loglevel=3` or `loglevel=0` in place of `quiet`."
    why = "`quiet` still prints errors; a board with many harmless ones waits for each of their characters."
    when_not = "Nothing of level error is printed: then it gains what `quiet` gains."
    cost = "None; `dmesg` still holds every message."
    risk = Risk(debuggability="errors are not shown on the console; with 0 not even a panic")
    conflicts = ("quiet",)
    rests_on = ("console",)
    proof = "recording"
    published = (
        Published(
            "20.7 s at 9600 baud, 4.7 s at 115200 -> 3.2 s with loglevel=1", "Raspberry Pi 3B+", "thegoodpenguin.co.uk"
        ),
    )
    references = ("init/main.c: loglevel()", "kernel/printk/printk.c: suppress_message_printing()")

    def applies(self, context: Context) -> Applies:
        """Yes while kernel lines reach the console; after `quiet` only those of level error are left."""
        level = level_of(context.system.cmdline)
        if level is not None and level <= min(LEVELS):
            return Applies.no("the level is as low as it goes", f"loglevel={level}")
        lines = kernel_lines(context.recording)
        if not lines:
            return Applies.no("the kernel printed nothing to the recorded console", "no line with printk's stamp")
        return Applies.yes("the kernel prints to the console", f"{len(lines)} lines, {sum(map(len, lines))} characters")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose each level below the present one."""
        level = level_of(context.system.cmdline)
        wanted = [new for new in LEVELS if level is None or new < level] or [min(LEVELS)]
        return tuple(
            Change(technique=self.id, ops=(DropParam("quiet"), SetParam("loglevel", str(new))), label=str(new))
            for new in wanted
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's lines that the console carried before and does not any more."""
        return fewer_kernel_lines(before, after)
