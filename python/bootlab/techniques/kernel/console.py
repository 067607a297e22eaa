# SPDX-License-Identifier: MIT
"""What the kernel prints, and where to."""

from __future__ import annotations

import re

from bootlab.model.change import Change, DropParam, SetParam
from bootlab.model.cmdline import Param, same_key
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.console_lines import fewer_kernel_lines, kernel_lines, level_of, on_a_line, on_no_line
from bootlab.techniques.evidence import either, quote, vanished
from bootlab.techniques.parameter import ParameterTechnique


class Quiet(ParameterTechnique):
    """Only errors and worse go to the console."""

    id = "quiet"
    title = "Quiet console"
    addresses = ("console-output",)
    what = "Sets `quiet`: the console's log level becomes CONFIG_CONSOLE_LOGLEVEL_QUIET (default: 4)."
    why = "The boot waits for every character on a serial console: 87 us each at 115200 baud."
    when_not = "The console is fast and prints little, or the goal or check is a kernel message."
    cost = "None; `dmesg` still shows every message."
    risk = Risk(debuggability="a boot that stops shows no messages before it")
    conflicts = ("loglevel",)
    rests_on = ("console",)
    proof = "recording"
    sets = (Param("quiet"),)
    published = (
        Published("2.352 s -> 1.285 s", "SAMA5D3, Linux 3.10", "Bootlin boot-time training"),
        Published("551.7 -> 280.7 ms start_kernel to user space", "OMAP1510 168 MHz, serial console", "eLinux wiki"),
        Published("4.05 -> 2.39 s", "Atom N450", "Yocto wiki: Linux Kernel/Boot Time"),
        Published("4.7 s -> 3.2 s at 115200 baud with loglevel=1", "Raspberry Pi 3B+", "thegoodpenguin.co.uk"),
    )
    references = ("init/main.c: quiet_kernel()", "lib/Kconfig.debug: CONSOLE_LOGLEVEL_QUIET")

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel printed to the recorded console and is not told to be quiet."""
        if answer := self.already(context):
            return answer
        level = level_of(context.system.cmdline)
        if level is not None and level <= 4:
            return Applies.no("loglevel= is as quiet already", f"loglevel={level}")
        return _prints(context)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by kernel lines that the console no longer shows."""
        return fewer_kernel_lines(before, after)


def _prints(context: Context) -> Applies:
    lines = kernel_lines(context.recording)
    if not lines:
        return Applies.no("the kernel printed nothing to the recorded console", "no line with printk's stamp")
    if on_no_line(context):
        return Applies.no("the kernel's messages go over no serial line", f"command line: {context.system.cmdline}")
    characters = sum(map(len, lines))
    modelled = on_a_line(characters, context.system.cmdline)
    evidence = f"{len(lines)} lines, {characters} characters"
    if "cmdline" in context.unseen:
        return Applies.unknown(
            f"not known whether a serial line carries the messages: they would take {modelled}", evidence
        )
    return Applies.yes(f"what the kernel prints to the console takes {modelled}", evidence)


LEVELS = (3, 0)


class Loglevel(Technique):
    """Only what is critical (3), or nothing but an emergency (0: not even that), goes to the console."""

    id = "loglevel"
    title = "Console log level below quiet"
    stage = "kernel"
    what = "Sets `loglevel=3` or `loglevel=0` instead of `quiet`."
    why = "`quiet` still prints errors. A board with many harmless ones waits for each of their characters."
    when_not = "No errors are printed: then it gains the same as `quiet`."
    cost = "None; `dmesg` still shows every message."
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
        return _prints(context)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose each level below the present one."""
        level = level_of(context.system.cmdline)
        wanted = [new for new in LEVELS if level is None or new < level] or [min(LEVELS)]
        return tuple(
            Change(technique=self.id, ops=(DropParam("quiet"), SetParam("loglevel", str(new))), label=str(new))
            for new in wanted
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by kernel lines that the console no longer shows."""
        return fewer_kernel_lines(before, after)


class ConsoleDropped(Technique):
    """No console driver is set up for the kernel's messages at all."""

    id = "console-dropped"
    title = "No kernel console"
    stage = "kernel"
    what = "Removes every `console=`, or points it at the null console (`console=null`)."
    why = "No message is formatted or sent to a port, and no port is set up as console."
    when_not = "The goal or the check comes through /dev/console, or somebody reads the boot messages on the port."
    cost = "None during the boot; `dmesg` still shows every message."
    risk = Risk(
        function="/dev/console leads nowhere: what programs write to it is lost",
        debuggability="no message, not even a panic, reaches the port",
    )
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
        """Prove it by the port that is no longer enabled as console, or by missing lines."""
        return either(
            vanished(before, after, r"printk: (?:legacy )?console \[(?!ttynull|tty0)\w+\] enabled"),
            fewer_kernel_lines(before, after),
        )


SIGNATURES = {
    "initcall_debug": r"calling  \S+ @ \d+",
    "earlycon": r"bootconsole \[\w+\] enabled",
    "earlyprintk": r"bootconsole \[\w+\] enabled|console \[early\w+\] enabled",
    "keep_bootcon": r"debug: skip boot console de-registration",
    "debug": r"early console in setup code|with environment:",
    "ignore_loglevel": r"debug: ignoring loglevel setting",
    "log_buf_len": r"log_buf_len: \d+ bytes|log_buf_len individual max",
    "memtest": r"early_memtest: # of tests",
    "kmemleak": r"Kernel memory leak detector initialized",
    "ftrace": r"Starting tracer",
    "boot_delay": "",
    "bootmem_debug": "",
    "debug_pagealloc": "",
    "dyndbg": "",
    "page_owner": "",
    "sched_verbose": "",
    "slub_debug": "",
    "tp_printk": "",
    "trace_event": "",
}

"""Parameters that cost boot time and what the kernel prints on their account; "" where it prints nothing of its own."""


class DebugLeftovers(Technique):
    """Debug parameters slow every boot down and are easily forgotten."""

    id = "debug-leftovers"
    title = "Debug parameters left behind"
    addresses = ("initcall-debug",)
    stage = "kernel"
    what = "Removes `initcall_debug`, `earlycon`, `earlyprintk`, `debug`, `ignore_loglevel` and similar parameters."
    why = "They print thousands of lines, print each line twice, or poison and test memory."
    when_not = "Somebody is debugging the system."
    cost = "None."
    risk = Risk(debuggability="their output is gone")
    rests_on = ("cmdline",)
    references = ("Documentation/admin-guide/kernel-parameters.txt", "kernel/printk/printk.c", "init/main.c")

    def _present(self, context: Context) -> tuple[str, ...]:
        there = [p for p in context.system.cmdline.params if not _hardening(p)]
        return tuple(key for key in SIGNATURES if any(same_key(p.key, key) for p in there))

    def applies(self, context: Context) -> Applies:
        """Yes when at least one stands on the command line."""
        if found := self._present(context):
            return Applies.yes("debug parameters are set", " ".join(found))
        return Applies.no("no debug parameter is on the command line", str(context.system.cmdline)[:100])

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose one variant without any of them."""
        return (Change(technique=self.id, ops=tuple(DropParam(key) for key in self._present(context))),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by a message of one of them that is gone."""
        gone = [key for key in SIGNATURES if before.system.cmdline.has(key) and not after.system.cmdline.has(key)]
        if not gone:
            return Effect(False, "no debug parameter went away")
        proofs = [vanished(before, after, SIGNATURES[key]) for key in gone if SIGNATURES[key]]
        silent = Effect(False, f"nothing is printed on account of {' '.join(gone)}")
        return either(*proofs) if proofs else silent


def _hardening(param: Param) -> bool:
    """Tell whether SLUB's checks were asked for as hardening: red zones and sanity checks, and nothing that prints."""
    return same_key(param.key, "slub_debug") and bool(re.fullmatch(r"[fFzZ]{1,2}", param.value or ""))


class PrintkTime(ParameterTechnique):
    """A stamp is 15 characters of each line."""

    id = "printk-time"
    title = "Messages without time stamps"
    what = "Sets `printk.time=0`."
    why = "At 115200 baud the stamps of 300 lines take 390 ms."
    when_not = "The console is quiet, or somebody reads the stamps, as bootlab does."
    cost = "None; /dev/kmsg keeps the times."
    risk = Risk(debuggability="the console's log has no times, and tools that read them find none")
    hidden_by = ("quiet",)
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
        if on_no_line(context):
            return Applies.no("the kernel's messages go over no serial line", f"command line: {context.system.cmdline}")
        modelled = on_a_line(15 * len(lines), context.system.cmdline)
        reason = f"{len(lines)} lines carry a stamp of 15 characters, which takes {modelled}"
        evidence = f"{15 * len(lines)} characters"
        if "cmdline" in context.unseen:
            return Applies.unknown(f"{reason}; not known whether the console is such a line", evidence)
        return Applies.yes(reason, evidence)

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


TECHNIQUES: tuple[Technique, ...] = (
    Quiet(),
    Loglevel(),
    ConsoleDropped(),
    DebugLeftovers(),
    PrintkTime(),
)
