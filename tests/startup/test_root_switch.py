# SPDX-License-Identifier: MIT
"""Where an initramfs's script names the program that it goes on with."""

from __future__ import annotations

import pytest

from bootlab.model.tree import Entry, FileTree
from bootlab.startup import root_switch
from bootlab.startup.files import TreeFiles


def switch_in(text: str) -> root_switch.RootSwitch | None:
    tree = FileTree.of(
        {"/init": Entry(kind="symlink", target="bin/early"), "/bin/early": Entry(kind="file", text=text)}
    )
    return root_switch.find(TreeFiles(tree), "/init")


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("exec switch_root /mnt /sbin/init", "exec switch_root /mnt /agent"),
        ('exec /bin/busybox switch_root "$root" /sbin/init', 'exec /bin/busybox switch_root "$root" /agent'),
        ("exec switch_root -c /dev/console /mnt /sbin/init 3", "exec switch_root -c /dev/console /mnt /agent 3"),
        ("exec run-init -d sys_module /mnt /sbin/init", "exec run-init -d sys_module /mnt /agent"),
        ("exec chroot /mnt /sbin/init </dev/console", "exec chroot /mnt /agent </dev/console"),
        ("INIT=/sbin/init\nexec switch_root /mnt $INIT", "INIT=/sbin/init\nexec switch_root /mnt /agent"),
        ('INIT="/sbin/init"; exec switch_root /mnt "${INIT}"', 'INIT="/sbin/init"; exec switch_root /mnt /agent'),
    ],
)
def test_a_script_that_always_starts_the_same_program(line, changed):
    found = switch_in(f"#!/bin/sh\nmount -t ext4 /dev/mmcblk0p2 /mnt\n{line}\n")
    assert found is not None
    assert (found.script, found.program) == ("/bin/early", "/sbin/init")
    assert found.starting("/agent") == f"#!/bin/sh\nmount -t ext4 /dev/mmcblk0p2 /mnt\n{changed}\n"


@pytest.mark.parametrize(
    "text",
    [
        'exec switch_root /mnt "${init:-/sbin/init}"',
        "for a in $(cat /proc/cmdline); do case $a in init=*) I=${a#init=};; esac; done\nexec switch_root /mnt $I",
        "I=/sbin/init\nread I < /chosen\nexec switch_root /mnt $I",
        "if a; then exec switch_root /mnt /sbin/init; fi\nexec switch_root /mnt /bin/sh",
        "chroot /mnt /bin/true\nexec /bin/sh",
        "exec switch_root",
        "if then (",
    ],
)
def test_what_may_follow_the_command_line_stays(text):
    assert switch_in(f"#!/bin/sh\n{text}\n") is None
