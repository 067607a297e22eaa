# SPDX-License-Identifier: MIT
"""Which init a root tree starts, by its files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bootlab.formats.file_view import FileView
from bootlab.formats.folder import FolderFiles
from bootlab.sources.root_tree import look
from bootlab.systemfile.goals import from_boot
from bootlab.systemfile.printed import Printed

ELF = "\x7fELF"
# Files by path, links as "-> TARGET".
TREES = {
    "systemd": {"sbin/init": "-> /lib/systemd/systemd", "lib/systemd/systemd": ELF},
    "busybox": {"sbin/init": "-> ../bin/busybox", "bin/busybox": ELF, "etc/inittab": ""},
    "sysvinit": {"sbin/init": ELF, "etc/inittab": ""},
    "runit": {"sbin/init": "-> /lib/runit/runit-init", "lib/runit/runit-init": ELF, "etc/inittab": ""},
    "s6": {"sbin/init": "#!/bin/execlineb -P\n/usr/bin/s6-linux-init -c /etc/s6\n"},
    "dinit": {"sbin/init": "-> /usr/sbin/dinit", "usr/sbin/dinit": ELF},
    "finit": {"sbin/init": "-> finit", "sbin/finit": ELF},
    "upstart": {"sbin/init": ELF, "etc/init/rc.conf": "start on runlevel"},
    "android": {"init": "-> /system/bin/init", "system/bin/init": ELF, "system/etc/init/hw.rc": "", "etc/x": ""},
    "other": {"sbin/init": ELF, "etc/x": ""},
}
OPENRC = {"sbin/openrc": ELF, "etc/runlevels/default/net": "", "etc/inittab": "::sysinit:/sbin/openrc sysinit\n"}


def kind(folder: Path, files: dict[str, str]) -> str:
    for path, text in files.items():
        at = folder / path
        at.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            at.symlink_to(text[3:])
        else:
            at.write_text(text)
    return look(FileView(FolderFiles(folder))).init_kind


@pytest.mark.parametrize("name", TREES)
def test_the_init_of_a_tree(tmp_path, name):
    assert kind(tmp_path, TREES[name]) == name


@pytest.mark.parametrize("init", ["busybox", "sysvinit"])
def test_openrc_behind_another_init(tmp_path, init):
    # Alpine's init is BusyBox, Debian's System V: both leave the services to OpenRC.
    assert kind(tmp_path, {**TREES[init], **OPENRC}) == "openrc"


def test_a_folder_of_runlevels_alone_is_no_openrc(tmp_path):
    assert kind(tmp_path, {**TREES["runit"], "etc/runlevels/default/net": ""}) == "runit"


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("\rINIT: version 3.06 booting", "INIT: version .* booting"),
        (
            "   \x1b[1m\x1b[32mOpenRC \x1b[1m\x1b[36m0.45.2\x1b[m is starting up \x1b[1mLinux 6.1\x1b[m",
            "OpenRC .* is starting up",
        ),
        ("- runit: enter stage: /etc/runit/1", "^- runit: enter stage: /etc/runit/1"),
        ("s6-rc: info: service mount: starting", "^s6-rc: info: service .*: starting"),
    ],
)
def test_where_the_start_scripts_of_a_boot_begin(line, pattern):
    found = from_boot(Printed((line, "Starting syslogd: OK", "panel login: "), lambda index, _: 5 + 2 * index), None)
    assert found is not None
    assert [(name, seen.pattern, seen.ns) for name, seen in found.marks] == [("rc-scripts", pattern, 5)]
    assert re.search(pattern, line)
