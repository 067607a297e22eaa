# SPDX-License-Identifier: MIT
"""What programs and the kernel say on a console of a program that cannot run, and what to do about it.

A healthy boot may have such a line too, so it is told only of a boot that has failed, or has been silent for long.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bootlab.model.recording import Line

# What says it stands behind each.
_SAID = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        # ld.so(8)
        (
            r"(?P<what>[^\s:]+): error while loading shared libraries: (?P<other>[^\s:]+)",
            "{what} needs the library {other}, which is not in the tree: `bootlab rootfs check SYSTEM.toml` lists all",
        ),
        (r"FATAL: kernel too old", "the C library is made for a newer kernel than this one: take an older tree"),
        # Shells name what is missing: "/init: line 3: camera: not found", "sh: can't execute 'x'".
        (
            r"(?:^|: )(?:line \d+: |\d+: )?(?P<what>[\w./-]+): (?:command )?not found$",
            "{what} is not in the tree, not in PATH, or lacks its loader: see `bootlab rootfs check SYSTEM.toml`",
        ),
        (
            r"(?:^|: )(?P<what>[\w./-]+): Permission denied$",
            'a program may not run or open {what}: is it executable (mode = "0755")?',
        ),
        (
            r"(?:^|: )(?P<what>[\w./-]+): (?:cannot execute binary file|Exec format error|not executable)",
            "{what} is for another processor, or no program",
        ),
        # BusyBox, init/init.c; sysvinit, src/init.c
        (
            r"can't (?:run|open) '?(?P<what>/[^\s':]+)'?: No such file or directory",
            "{what} is not there: correct the line that names it (/etc/inittab, a script), or add the file",
        ),
        (
            r'Id "(?P<what>[^"]{1,8})" respawning too fast',
            "the program of the line {what} in /etc/inittab ends at once, again and again: does its port exist?",
        ),
        (
            r"process '(?P<what>[^']{1,80})' \(pid \d+\) exited\. Scheduling for restart",
            "{what} ends at once, and init starts it again: does its port exist, and is it in the tree?",
        ),
        # arch/*/mm/fault.c, arch/*/kernel/traps.c: show_unhandled_signals
        (
            r"(?P<what>[^\s\[\]]{1,16})\[\d+\]: segfault at|(?P<other>[^\s\[\]]{1,16})\[\d+\]: unhandled exception",
            "{what} crashed (a segmentation fault)",
        ),
        (
            r"traps: (?P<what>[^\s\[\]]{1,16})\[\d+\] trap invalid opcode",
            "{what} uses an instruction that this processor does not have: set machine.cpu",
        ),
        (r"^Segmentation fault", "a program crashed (a segmentation fault)"),
        (r"^Illegal instruction", "a program uses an instruction that this processor does not have: set machine.cpu"),
        # systemd, units/emergency.service; OpenRC, sh/functions.sh
        (
            r"(?:You are in|Welcome to|Entering) emergency mode",
            "systemd stopped in its emergency mode: a mount of /etc/fstab failed, or what it needs (FAILED, DEPEND)",
        ),
        (
            r"Timed out waiting for device (?P<what>\S+)",
            "{what} does not exist in this machine: add it, or mark its line in /etc/fstab nofail",
        ),
        (
            r"ERROR: (?P<what>\S+) failed to start|ERROR: cannot start (?P<other>\S+) as",
            "OpenRC could not start {what}; the lines above it say why",
        ),
        (
            r"ERROR: (?P<what>\S+) needs service\(s\) (?P<other>.+)",
            "OpenRC did not start {what}: it needs {other}, which no runlevel has",
        ),
        # kernel/module/main.c, kernel/module/version.c
        (
            r"(?P<what>[\w-]+): (?:version magic '[^']*' should be|disagrees about version of symbol)",
            "the module {what} belongs to another kernel: give the kernel and the tree of one version",
        ),
        (
            r"(?P<what>[\w-]+): Unknown symbol (?P<other>\w+)",
            "the module {what} needs another one that was not loaded before (modprobe loads both), or another kernel",
        ),
        (
            r"No space left on device",
            "a file system is full: in an initramfs that is the memory (machine.memory_mib), on a medium root.size_mib",
        ),
        (
            r"(?:^|: )(?P<what>/\S+): Read-only file system",
            "a program writes to {what}, and the root is mounted read-only: add rw to kernel.cmdline",
        ),
    )
)


def cannot_run(lines: Sequence[Line]) -> str:
    """Return the last thing that a console says of a program which cannot run; "" where it says none."""
    for line in reversed(lines):
        for pattern, text in _SAID:
            found = pattern.search(line.text)
            if found is not None:
                groups = found.groupdict()
                what = groups.get("what") or groups.get("other") or ""
                said = text.format(what=what[:80], other=(groups.get("other") or "")[:80])
                return f"line {line.number}, {line.text.strip()[:120]!r}: {said}"
    return ""
