# SPDX-License-Identifier: MIT
"""Ends of an emulator that its host or bootlab itself caused: they say nothing about the system that was booted."""

from __future__ import annotations

import os
import re
import signal
from errno import EAGAIN, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM, ENOSPC

# A processor's fault or abort() inside the emulator: a guest may cause it, and then causes it each time.
_CRASHES = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP, signal.SIGSYS})
# softmmu/runstate.c, qemu_kill_report(): QEMU ends with exit code 0 after SIGTERM, SIGINT and SIGHUP.
_TOLD_TO_END = re.compile(r"terminating on signal (\d+)")
# What strerror(3) says of a host that has no more of something, or whose disk fails.
_NO_MORE = re.compile(
    "|".join(re.escape(os.strerror(n)) for n in (EAGAIN, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM, ENOSPC))
)
# qemu-plugin/*.c: what a plugin says when it refuses to start; QEMU's plugins/loader.c when it cannot load one.
_PLUGIN_REFUSED = re.compile(r"^bootlab-\w+: (?P<why>.+)$|^.*[Cc]ould not load plugin.*$", re.MULTILINE)


def cause_of_exit(code: int, words: str) -> str:
    """Return what ended the emulator, on the host or in bootlab's plugin; "" when it ended by itself.

    `code`: minus the signal's number when a signal ended it. bootlab ends no emulator before the boot is judged, so
    every signal comes from outside, but for those of a crash.
    """
    if code < 0 and -code not in _CRASHES:
        return f"signal {-code} ({_name(-code)}) from outside"
    if (told := _TOLD_TO_END.search(words)) is not None:
        return f"signal {told[1]} ({_name(int(told[1]))}) from outside"
    if code != 0 and (lacking := _NO_MORE.search(words)) is not None:
        return f"the host: {lacking[0]}"
    if code > 0 and (refused := _PLUGIN_REFUSED.search(words)) is not None:
        return f"bootlab's own plugin: {refused['why'] or refused[0]}"
    return ""


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
