# SPDX-License-Identifier: MIT
"""A first program that is a script is read before it runs: what it cannot print is said at once."""

from __future__ import annotations

import pytest

from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Goal, Initramfs, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.preflight.first_script import likely
from bootlab.targets.so_far import SoFar


def system(script: str, goal: str = "^panel: ready", line: str = "console=ttyS0") -> SystemDescription:
    tree = {
        "/init": Entry(kind="file", text=script),
        "/bin/busybox": Entry(kind="file", text="x"),
        **{f"/bin/{name}": Entry(kind="symlink", target="busybox") for name in ("sh", "mount", "sleep", "sort")},
    }
    return SystemDescription(
        name="s",
        kernel=Kernel(image="/k"),
        cmdline=CommandLine.parse(line),
        initramfs=Initramfs(tree=FileTree.of(tree)),
        goal=Goal(console=goal),
    )


READY = "#!/bin/sh\nmount -t proc proc /proc\necho panel: ready\nexec sleep 1000\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("#!/bin/sh\necho hello\n", "prints 'hello', which does not match the goal '^panel: ready', and then ends"),
        ("#!/bin/sh\nexec /usr/bin/camera\n", "and then starts /usr/bin/camera, which is not in the tree"),
        ("#!/bin/sh\necho starting\nexec sh\n", "and then becomes a shell"),
        ("#!/bin/sh\nwhile :; do echo no sensor; sleep 1; done\n", "prints 'no sensor', which does not match"),
        ("#!/bin/sh\necho starting\nreboot -f\n", "and then calls reboot"),
        ("#!/bin/sh\necho panel: raedy\nexec sleep 9\n", "is nearly the goal '^panel: ready'"),
        ("#!/bin/sh\necho Panel: Ready\nexec sleep 9\n", "is nearly the goal"),
        ("#!/bin/sh\nmount -t proc proc /proc\nexec sleep 9\n", "prints nothing that matches"),
        ("#!/bin/sh\necho a\necho b\ncamera --on\n", "prints 3 lines, none of which matches"),
    ],
)
def test_a_script_that_cannot_come_to_the_goal(script, said):
    assert said in likely(system(script))


@pytest.mark.parametrize(
    "script",
    [
        READY,
        "#!/bin/sh\necho starting\nsort /dev/zero\n",
        "#!/bin/sh\necho $(cat /etc/issue)\n",
        '#!/bin/sh\necho "$NAME: ready"\n',
        "#!/bin/sh\nfor f in /etc/init.d/*; do $f start; done\n",
        "#!/bin/sh\necho hello > /dev/kmsg\n",
        "#!/bin/sh\n[ -x /bin/app ] && exec /bin/sh\n",
        "#!/bin/sh\ncamera() { echo panel: ready; }\ncamera\n",
        "#!/bin/sh\ncamera &\nwait\n",
        "#!/bin/sh\nif [\n",
        "#!/usr/bin/python3\nprint('panel: ready')\n",
        "no script",
    ],
)
def test_what_cannot_be_known_is_not_said(script):
    assert likely(system(script)) == ""


def test_a_goal_that_the_kernel_prints_is_left_alone():
    assert likely(system("#!/bin/sh\necho hello\n", goal="reboot: machine restart")) == ""
    assert likely(system("#!/bin/sh\necho hello\n", goal="Run /init as init process")) == ""


def test_programs_that_print_on_the_screen():
    line = "console=ttyS0 console=tty0"
    assert "programs print on tty0" in likely(system(READY, line=line))
    login = READY.replace("sleep 1000", "/bin/getty ttyS0")
    assert "programs print" not in likely(system(login, line=line, goal="panel login:")), "a getty opens its own port"
    assert likely(system(READY, line="console=tty0 console=ttyS0")) == ""


def test_it_is_said_before_the_console_has_a_byte(tmp_path):
    so_far = SoFar(tmp_path / "none", system("#!/bin/sh\necho hello\n"))
    assert so_far.word(0.0, 0.0, 0).startswith("expected: /init, as it stands, prints 'hello'")
    assert so_far.word(0.1, 0.1, 0) == ""
