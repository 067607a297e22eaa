# SPDX-License-Identifier: MIT
"""A tree looked at as a booted system would; init's table; mounts and who names their places."""

import pytest

from bootlab.model.tree import BusyboxBuild, Entry, FileTree
from bootlab.startup import inittab, mounts, scripts
from bootlab.startup.files import TEXT_MAX_BYTES, TreeFiles

TREE = TreeFiles(
    FileTree.of(
        {
            "/sbin/init": Entry(kind="symlink", target="../bin/busybox"),
            "/bin/busybox": Entry(kind="file", busybox=BusyboxBuild()),
            "/lib": Entry(kind="symlink", target="usr/lib"),
            "/usr/lib/x": Entry(kind="file", text="hello"),
            "/a": Entry(kind="symlink", target="b"),
            "/b": Entry(kind="symlink", target="a"),
            "/binary": Entry(kind="file", text="a\0b"),
            "/long": Entry(kind="file", text="x" * (TEXT_MAX_BYTES + 1)),
            "/gone": Entry(kind="file", source="/nonexistent/file"),
        }
    )
)


def test_links_on_every_component():
    assert TREE.real("/sbin/init") == "/bin/busybox"
    assert TREE.text("/lib/x") == "hello"
    assert TREE.below("/lib") == ["/lib/x"]


@pytest.mark.parametrize("path", ["/a", "/none", "/gone", "/bin/busybox", "/sbin"])
def test_what_cannot_be_read_is_as_if_it_were_not_there(path):
    assert TREE.data(path) is None


def test_only_text_is_text():
    assert TREE.text("/binary") is None
    assert TREE.data("/binary") == b"a\0b"
    assert TREE.text("/long") is None
    assert TREE.data("/long", 2 * TEXT_MAX_BYTES) is not None


def test_inittab_in_init_order():
    entries = inittab.parse(
        "# comment\n::respawn:-/bin/sh\ntty1::respawn:/sbin/getty 'a b'\n::sysinit:/etc/init.d/rcS\nbroken line\n"
        "::wait:'unclosed\n::ctrlaltdel:/sbin/reboot\n"
    )
    assert [e.action for e in inittab.in_order(entries)] == ["sysinit", "wait", "respawn", "respawn"]
    assert [e.words for e in entries][:3] == [("/bin/sh",), ("/sbin/getty", "a b"), ("/etc/init.d/rcS",)]
    assert entries[3].words == ()


def _mounting(texts):
    files = TreeFiles(FileTree.of({p: Entry(kind="file", mode=0o755, text=t) for p, t in texts.items()}))
    return files, mounts.find(files, scripts.find(files, "/init"))


FSTAB = "proc /proc proc defaults 0 0\n# no /no tmpfs x 0 0\ntmpfs /mnt/a tmpfs defaults\nx /later ext4 noauto 0 0\n"


def test_mounts_of_a_start():
    files, found = _mounting(
        {"/init": "#!/bin/sh\nmount -t sysfs sysfs /sys\nmount -a\nmount -o remount,rw /\n", "/etc/fstab": FSTAB}
    )
    assert [(m.target, m.type, m.file) for m in found] == [
        ("/sys", "sysfs", "/init"),
        ("/proc", "proc", "/etc/fstab"),
        ("/mnt/a", "tmpfs", "/etc/fstab"),
    ]
    _, without = _mounting({"/init": "#!/bin/sh\necho\n", "/etc/fstab": FSTAB})
    assert without == ()
    assert files.text("/etc/fstab")[found[2].start : found[2].end] == "tmpfs /mnt/a tmpfs defaults\n"


def test_who_names_a_mount_point():
    files, found = _mounting(
        {
            "/init": "#!/bin/sh\nmount -a\ncat /proc/version\n",
            "/etc/fstab": FSTAB,
            "/x": "/mnt/abc\n",
            "/y": "to /mnt/a/log\n",
        }
    )
    proc, mnt = found
    assert mounts.named_by(files, proc, ["/etc/fstab", "/init"]) == "/init"
    assert mounts.named_by(files, mnt, ["/etc/fstab", "/init", "/x", "/nowhere"]) == ""
    assert mounts.named_by(files, mnt, ["/y"]) == "/y"
