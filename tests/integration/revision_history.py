# SPDX-License-Identifier: MIT
"""Git histories of systems that boot for real: one commit makes them slower, or none does.

`trees`: 64 commits that change what such trees change every day, on a kernel of a few hundred bytes that waits as long
as its command line says. `kernels`: on Debian's kernel, which one commit makes do more.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.mini_kernel import mini_kernel

COUNT = 64
DEMO = REPOSITORY / "examples" / "demo"
# A loaded host is slow, and that is no failure of a revision.
_LIMITS = "[limits]\nwall_s = 3000\nstall_wall_s = 1500\n"
_TREE = (
    '[initramfs]\ncompression = "none"\ndir = "rootfs"\n'
    '[initramfs.files]\n"/bin/busybox" = { source = "/bin/busybox", mode = "0755" }\n'
)
_WAITS = 300


def trees(folder: Path, slow_from: int | None) -> str:
    """Make the repository, return its commits. Since commit `slow_from` the machine waits a third of a percent more."""
    kernel = mini_kernel(folder.with_suffix(".kernel"), "\r\nstart\r\n", text_after="GOAL\r\n", obeys=True)

    def change(number: int) -> str:
        _change(folder, number)
        waits = _WAITS + 2 * (slow_from is not None and number >= slow_from)
        (folder / "system.toml").write_text(
            f'name = "trees"\n[machine]\nmemory_mib = 32\n[kernel]\nimage = "{kernel}"\n'
            f'cmdline = "console=ttyS0 {"w" * waits}"\n{_TREE}'
            f'[goal]\nconsole = "GOAL"\n{_LIMITS}'
        )
        return "Wait for the sensor" if number == slow_from else f"Change {number}"

    return _commits(folder, COUNT, change)


def kernels(folder: Path, count: int, slow_from: int) -> str:
    """Make the repository, return its commits. Since commit `slow_from` the kernel tries whether its timer ticks."""

    def change(number: int) -> str:
        _change(folder, number)
        more = "" if number >= slow_from else " no_timer_check"
        # The goal is a line behind that trial, at a third of what it takes to start.
        (folder / "system.toml").write_text(
            'name = "kernels"\n[machine]\nmemory_mib = 128\n[kernel]\nimage = "$BOOTLAB_KERNEL"\nform = "vmlinux"\n'
            f'cmdline = "console=ttyS0 panic=5{more}"\n{_TREE}[goal]\nconsole = "Mount-cache hash table"\n{_LIMITS}'
        )
        return "Try the timer again" if number == slow_from else f"Change {number}"

    return _commits(folder, count, change)


def _commits(folder: Path, count: int, change: Callable[[int], str]) -> str:
    folder.mkdir(parents=True)
    shutil.copytree(DEMO / "rootfs", folder / "rootfs", symlinks=True)
    _git(folder, "init", "-q", ".")
    for number in range(count):
        subject = change(number)
        _git(folder, "add", "-A", "-f")
        _git(folder, "commit", "-q", "--allow-empty", "-m", subject)
    first = _git(folder, "rev-list", "--max-parents=0", "HEAD")
    return f"{first.strip()}..HEAD"


def _change(folder: Path, number: int) -> None:
    """Change what such trees change every day: a note, a setting, a comment in a script, a file more or less."""
    etc = folder / "rootfs" / "etc"
    kind = number % 4
    if kind == 0:
        (etc / "release").write_text(f"VERSION=1.{number}\n", encoding="utf-8")
    elif kind == 1:
        (etc / "exposure.conf").write_text(f"gain={number * 7 % 100}\n", encoding="utf-8")
    elif kind == 2:
        script = sorted((etc / "init.d").glob("S*"))[number // 4 % 2]
        script.write_text(script.read_text(encoding="utf-8") + f"# reviewed in sprint {number}\n", encoding="utf-8")
    else:
        (etc / f"note-{number}").write_text("x" * (number * 31 % 700), encoding="utf-8")


def _git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]
    environment = os.environ | {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True, env=environment
    )
    return done.stdout
