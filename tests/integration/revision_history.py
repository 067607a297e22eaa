# SPDX-License-Identifier: MIT
"""A git history of 64 root trees of the demo: a regression in one commit or in none. `python -m` makes it for a hand.

Usage: python -m tests.integration.revision_history FOLDER script|cmdline|none [PLACE]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal

from tests.conftest import REPOSITORY

COUNT = 64
DEMO = REPOSITORY / "examples" / "demo"
Kind = Literal["script", "cmdline", "none"]

# A third of a percent and a little more of the demo's boot, in BusyBox's shell.
SELF_TEST = """#!/bin/sh
# Tests the sensor's memory before anybody uses it.
[ "$1" = start ] || exit 0
i=0
while [ $i -lt 420 ]; do i=$((i+1)); done
"""


def make(folder: Path, kind: Kind, place: int = 41) -> str:
    """Make the repository; return the range of its commits. Commit `place` (from 0) is the slow one."""
    folder.mkdir(parents=True)
    shutil.copytree(DEMO / "rootfs", folder / "rootfs", symlinks=True)
    _git(folder, "init", "-q", ".")
    for number in range(COUNT):
        slow = number >= place
        _change(folder, number)
        if kind == "script" and number == place:
            script = folder / "rootfs/etc/init.d/S15selftest"
            script.write_text(SELF_TEST, encoding="utf-8")
            script.chmod(0o755)
        (folder / "system.toml").write_text(_system(self_tests=kind == "cmdline" and slow), encoding="utf-8")
        _git(folder, "add", "-A", "-f")
        _git(folder, "commit", "-q", "--allow-empty", "-m", _subject(kind, number, place))
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


def _subject(kind: Kind, number: int, place: int) -> str:
    if number != place or kind == "none":
        return f"Change {number}"
    return "Test the sensor's memory" if kind == "script" else "Crypto self-tests on again"


def _system(*, self_tests: bool) -> str:
    text = (DEMO / "system.toml").read_text(encoding="utf-8")
    text = text.replace("../../guest/build", str(REPOSITORY / "guest" / "build"))
    line = "panic=5 vm.overcommit_memory=1"
    if not self_tests:
        text = text.replace(line, f"{line} cryptomgr.notests")
    # A loaded host is slow, and that is no failure of a revision.
    return f"{text}\n[limits]\nwall_s = 3000\nstall_wall_s = 1500\n"


def _git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]
    environment = os.environ | {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True, env=environment
    )
    return done.stdout


if __name__ == "__main__":
    sys.stdout.write(make(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])) + "\n")  # type: ignore[arg-type]
