# SPDX-License-Identifier: MIT
"""A hand-over with a change of every kind, and a tree as it was before."""

from __future__ import annotations

from bootlab.deliver.evidence import HandedChange, HandOver
from bootlab.model.change import (
    Change,
    DropFiles,
    DropInitramfsFiles,
    DropParam,
    ExtendParam,
    PutFile,
    SetCompression,
    SetLoaderOptions,
    SetMachine,
    SetParam,
)
from bootlab.model.kernel_change import AddKernelPatch, SetKernelOptions
from bootlab.model.sample import Spread
from bootlab.model.source_build import KernelPatch
from bootlab.model.tree import Entry

PATCH = "--- a/init/main.c\n+++ b/init/main.c\n@@ -1 +1 @@\n-one\n+two\n"
BASE_LINE = "root=/dev/sda1 ro splash console=ttyS0"
LINE = "root=/dev/sda1 ro console=ttyS0 quiet initcall_blacklist=one,two"
OPS = {
    "quiet": (SetParam("quiet"), DropParam("splash")),
    "no-tracefs": (ExtendParam("initcall_blacklist", "one"),),
    "no-slab-sysfs": (ExtendParam("initcall_blacklist", "two"),),
    "small-kernel": (SetKernelOptions((("DEBUG_INFO", "n"), ("HZ", "100"), ("NAME", '"a b"'))),),
    "patched": (AddKernelPatch(KernelPatch(name="p", text=PATCH)),),
    "units": (
        PutFile("/etc/systemd/system/web.service.d/10-early.conf", Entry(kind="file", mode=0o644, text="[Unit]\n")),
        PutFile("/etc/systemd/system/cron.service", Entry(kind="symlink", target="/dev/null")),
        PutFile("/usr/bin/start it", Entry(kind="file", mode=0o755, text="#!/bin/sh\necho '$HOME' \\n")),
    ),
    "start-first": (PutFile("/usr/bin/start it", Entry(kind="file", mode=0o755, text="#!/bin/sh\nexec it")),),
    "trimmed": (DropFiles(("/usr/share/doc", "/etc/motd")),),
    "slim": (DropInitramfsFiles(("/lib/modules/6.1/kernel/floppy.ko", "/bin/fsck")),),
    "packed": (SetCompression("xz"),),
    "loader": (SetLoaderOptions((("BOOTDELAY", "0"),)),),
    "firmware": (SetMachine(firmware="qboot"),),
}


def over(*names: str) -> HandOver:
    """Return a hand-over of these changes, or of all."""
    spread = Spread(boots=2, median_ns=9_000_000, first_ns=8_900_000, last_ns=9_100_000)
    faster = Spread(boots=1, median_ns=7_000_000, first_ns=7_000_000, last_ns=7_000_000)
    changes = tuple(
        HandedChange(
            change=Change(technique=name, ops=ops),
            title=f"Title of {name}",
            cost="Nothing",
            step=(name,),
            before=spread,
            after=faster,
            cost_ns=1_500_000,
            proof="a line of the console",
        )
        for name, ops in OPS.items()
        if not names or name in names
    )
    return HandOver(
        name="box",
        run="run",
        made="2026-11-27T15:48:31+00:00",
        clock="virtual",
        base_cmdline=BASE_LINE,
        cmdline=LINE,
        changes=changes,
        base_ns=9_000_000,
        final_ns=7_000_000,
    )
