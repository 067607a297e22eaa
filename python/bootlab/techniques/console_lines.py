# SPDX-License-Identifier: MIT
"""Which lines of a recorded console the kernel printed."""

from __future__ import annotations

import re

from bootlab import _core
from bootlab.model.cmdline import CommandLine
from bootlab.model.modelled import Modelled, line_ends_ns
from bootlab.model.recording import Recording
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Context, Evidence
from bootlab.techniques.evidence import bare, quote


def kernel_lines(recording: Recording) -> tuple[str, ...]:
    """Return the lines that carry printk's stamp, from the stamp on."""
    parts = (_core.kernel_part(line.text) for line in recording.lines)
    return recording.once("kernel's lines", lambda: tuple(part for part in parts if part is not None))


def level_of(cmdline: CommandLine) -> int | None:
    """Return the level that `quiet`, `debug` and `loglevel=` ask for, whichever comes last; None: the default."""
    level: int | None = None
    for param in cmdline.params:
        if param.key in {"quiet", "debug"} and param.value is None:
            level = 4 if param.key == "quiet" else 10
        elif param.key == "loglevel" and param.value is not None and re.fullmatch(r"\d{1,3}", param.value):
            level = int(param.value)
    return level


def on_no_line(context: Context) -> bool:
    """Tell whether nothing that the kernel prints goes over a serial line: its command line is seen and names none.

    A device tree may name one where the command line has no `console=`; a PC has none then.
    """
    if "cmdline" in context.unseen or not context.system.cmdline.params:
        return False
    named = context.system.cmdline.all("console")
    if any(re.match(r"(ttyS|tty[A-Z]|ttym|ttyu|hvc|uart|ns16550|pl011)", param.value or "") for param in named):
        return False
    return bool(named) or context.arch in {"x86_64", "i386"}


def on_a_line(characters: int, cmdline: CommandLine) -> str:
    """Say how long a serial line takes for so many characters, which exact mode does not count."""
    told = cmdline.console_baud
    baud = told or Modelled().baud
    basis = "modelled" if told else "modelled; the line's rate is not known"
    return f"{line_ends_ns(characters, baud).text(1e6)} ms at {baud} baud ({basis})"


def fewer_kernel_lines(before: Evidence, after: Evidence) -> Effect:
    """Prove that kernel messages stay off the console: none is new, and some are gone."""
    old, new = kernel_lines(before.recording), kernel_lines(after.recording)
    if not old:
        return Effect(False, "the kernel printed nothing to the console before the change either")
    change = f"kernel lines on the console: {len(old)} -> {len(new)}"
    if len({_shape(line) for line in new}) >= len({_shape(line) for line in old}):
        return Effect(False, change)
    # A boot that died early has fewer lines as well, and so has one in which a driver found less to say.
    if not after.recording.ok:
        return Effect(False, f"{change}, but this boot did not reach its goal")
    known = {_shape(line) for line in old}
    if fresh := next((line for line in new if _shape(line) not in known), ""):
        return Effect(False, f"{change}, but the console is not quieter: {quote(bare(fresh))}")
    left = {_shape(line) for line in new}
    gone = quote(bare(next(line for line in old if _shape(line) not in left)))
    return Effect(True, f"{change}; gone: {gone if len(gone) <= 80 else gone[:79] + '…'}")


def _shape(line: str) -> str:
    # Two boots print the same message with other addresses, times and counts. The command line's own line tells
    # every other change apart from a quieter console.
    return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "#", bare(line))
