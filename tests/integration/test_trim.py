# SPDX-License-Identifier: MIT
"""A tree of this machine's own programs, trimmed for real: every method in one boot, and a check of its own."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import msgspec
import pytest

from bootlab import api
from bootlab.experiments.trim import TrimRequest
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Check, Goal, Initramfs, Kernel, Limits, SystemDescription
from bootlab.model.tree import Entry, FileTree

pytestmark = pytest.mark.qemu

INIT = """#!/bin/sh
cd /etc
cat linked 'odd name'
test -e /etc/looked-at && echo looked
while read -r line; do :; done < /etc/hard-1
ls -l /lib/none /usr/share/locale 2>/dev/null
echo "goal $(cat used | sort)"
exec sleep 100000
"""


def libraries(program: str) -> set[str]:
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(/\S+) \(0x", said))


def text(content: str, mode: int = 0o644, **more: str) -> Entry:
    return Entry(kind="file", text=content, mode=mode, **more)


@pytest.fixture(scope="module")
def system(debian_kernel):
    entries = {
        "/init": text(INIT, 0o755),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        "/etc/linked": Entry(kind="symlink", target="real"),
        "/etc/real": text("real\n"),
        "/etc/odd name": text("odd\n"),
        "/etc/looked-at": text("x"),
        "/etc/used": text("used\n"),
        "/etc/hard-1": text("hard\n", linked="h"),
        "/etc/hard-2": text("hard\n", linked="h"),
        "/etc/only-checked": text("42\n"),
        "/etc/unused": text("u" * 5000),
        "/usr/share/locale": Entry(kind="dir"),
    }
    for name in ("dash", "cat", "sort", "ls", "sleep", "bash", "stat", "sed"):
        source = next(
            (f"{folder}/{name}" for folder in ("/usr/bin", "/bin") if os.access(f"{folder}/{name}", os.X_OK)), ""
        )
        if not source:
            pytest.skip(f"no {name} on this machine")
        entries[f"/bin/{name}"] = Entry(kind="file", source=os.path.realpath(source), mode=0o755)
        for library in libraries(source):
            entries[library] = Entry(kind="file", source=os.path.realpath(library), mode=0o755)
    entries["/bin/sh"] = Entry(kind="symlink", target="dash")
    return SystemDescription(
        name="own",
        kernel=Kernel(image=os.path.realpath(debian_kernel)),
        goal=Goal(console="^goal"),
        initramfs=Initramfs(tree=FileTree.of(entries), compression="none"),
        cmdline=CommandLine.parse("console=ttyS0 quiet cryptomgr.notests"),
        check=Check(console=("^goal (.*)",), command=("sh", "-c", "cd /etc; cat only-checked")),
        limits=Limits(virtual_s=60, stall_virtual_s=20, wall_s=300, stall_wall_s=120),
    )


def test_trim(system, tmp_path):
    opened = api.System(system, store=tmp_path / "store", jobs=1)
    found = opened.trim()
    run = api.Results.open(store=tmp_path / "store")
    assert [row.title for row in run.comparison.rows if row.values["group"] == "tree"] == ["as it is", "trimmed"]
    assert run.comparison.headline.endswith("it passes its check")
    # Only access times, believed alone, keep the same files, but for what was only looked at.
    alone = opened.trim(TrimRequest(methods=("atime",), dry_run=True))
    assert found.passed
    assert {state.name: state.works for state in found.methods} == {"fanotify": True, "tracing": True, "atime": True}
    reasons = {file.path: (file.reason if file.kept else "gone") for file in found.files}
    assert reasons["/etc/only-checked"] == "check"
    assert reasons["/etc/real"] == reasons["/etc/linked"] == reasons["/etc/odd name"] == "used"
    assert reasons["/etc/looked-at"] == "looked at"
    assert reasons["/etc/hard-2"] in {"hard link", "used"}
    assert {path for path, why in reasons.items() if why == "gone"} >= {
        "/etc/unused",
        "/bin/bash",
        "/bin/stat",
        "/bin/sed",
    }
    assert reasons["/bin/sort"] == "used"
    assert [one.broken for one in found.rounds] == [""]
    missed = [one for agreed in found.agreements for one in agreed.missed]
    assert all(one.explained for one in missed), missed
    fanotify, tracing, atime = (
        next(a for a in found.agreements if a.method == m) for m in ("fanotify", "tracing", "atime")
    )
    assert {one.path for one in fanotify.missed} <= {"/etc/looked-at", "/etc/hard-2"}
    assert {one.path for one in atime.missed} <= {"/etc/looked-at"}
    # The shell stands in /etc and names files without it.
    assert {"/etc/odd name", "/etc/used"} <= {one.path for one in tracing.missed}
    files = {file.path for file in found.kept if file.kind == "file"}
    assert files - {file.path for file in alone.kept} <= {"/etc/looked-at"}
    folder = Path(found.folder)
    assert (folder / "trimmed/system.toml").is_file()
    listed = subprocess.run(["tar", "-tf", str(folder / "tree.tar")], capture_output=True, text=True, check=True).stdout
    assert "./etc/only-checked" in listed
    assert "./etc/unused" not in listed
    assert msgspec.json.decode((folder / "trim.json").read_bytes())["passed"]
