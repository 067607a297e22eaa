# SPDX-License-Identifier: MIT
"""What a console says of programs that cannot run, and what to do about it."""

from __future__ import annotations

import pytest

from bootlab.hints.program import cannot_run
from bootlab.model.recording import Line


def lines(*texts: str) -> list[Line]:
    return [Line(number, text, 0) for number, text in enumerate(texts, start=1)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "/usr/bin/camera: error while loading shared libraries: libz.so.1: cannot open shared object file",
            "/usr/bin/camera needs the library libz.so.1",
        ),
        ("FATAL: kernel too old", "newer kernel"),
        ("/init: line 3: camera: not found", "camera is not in the tree"),
        ("/init: 3: /usr/bin/camera: not found", "/usr/bin/camera is not in the tree"),
        ("bash: camera: command not found", "camera is not in the tree"),
        ("/init: line 3: /usr/bin/camera: Permission denied", "is it executable"),
        ("/init: line 2: /usr/bin/camera: Exec format error", "for another processor"),
        ("can't run '/etc/init.d/rcS': No such file or directory", "/etc/init.d/rcS is not there"),
        ("can't open /dev/ttyS4: No such file or directory", "/dev/ttyS4 is not there"),
        ('INIT: Id "T0" respawning too fast: disabled for 5 minutes', "the line T0 in /etc/inittab"),
        ("process '/sbin/getty ttyS3' (pid 40) exited. Scheduling for restart.", "/sbin/getty ttyS3 ends at once"),
        ("[    3.1] camera[45]: segfault at 0 ip 0000 sp 0000 error 4 in camera", "camera crashed"),
        ("[    3.1] camera[45]: unhandled exception: DABT", "camera crashed"),
        ("[    3.1] traps: camera[45] trap invalid opcode ip:0 sp:0 error:0", "set machine.cpu"),
        ("Segmentation fault", "a program crashed"),
        ("You are in emergency mode. After logging in, type", "emergency mode"),
        ("[ TIME ] Timed out waiting for device dev-sda2.device - /dev/sda2.", "dev-sda2.device does not exist"),
        (" * ERROR: camera failed to start", "OpenRC could not start camera"),
        (" * ERROR: camera needs service(s) localmount", "OpenRC did not start camera: it needs localmount"),
        (" * ERROR: cannot start nginx as net would not start", "OpenRC could not start nginx"),
        (
            "[    2.0] virtio_blk: disagrees about version of symbol module_layout",
            "virtio_blk belongs to another kernel",
        ),
        (
            "[    2.0] virtio: Unknown symbol virtio_break_device (err -2)",
            "needs another one that was not loaded before",
        ),
        ("[    2.0] foo: version magic '6.1.0 SMP' should be '6.2.0 SMP'", "foo belongs to another kernel"),
        ("cp: write error: No space left on device", "a file system is full"),
        ("touch: /var/run/x: Read-only file system", "mounted read-only"),
    ],
)
def test_programs_that_cannot_run(text, said):
    found = cannot_run(lines("hello", text, "a later line"))
    assert said in found
    assert found.startswith("line 2, ")


def test_the_last_one_counts_and_a_healthy_console_has_none():
    assert "b is not in the tree" in cannot_run(lines("sh: a: not found", "sh: b: not found"))
    assert cannot_run(lines("[    1.0] Run /init as init process", "panel: ready", "page not found")) == ""
    assert cannot_run([]) == ""
