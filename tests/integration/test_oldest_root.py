# SPDX-License-Identifier: MIT
"""A wheel of `make wheels` on Debian 11, the oldest glibc in Debian's archive: its log reader says the same there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

# The root is made and a Python compiled in it, once.
pytestmark = [pytest.mark.install, pytest.mark.timeout(7200)]

LOG = """[    0.000000] Linux version 6.1.0 (builder@host) (gcc 12.2.0) #1 SMP
[    0.100000] Command line: console=ttyS0 root=/dev/vda1
[    0.900000] calling  made_up_init+0x0/0x20 @ 1
[    2.900000] initcall made_up_init+0x0/0x20 returned 0 after 2000000 usecs
[    3.000000] Run /sbin/init as init process
"""


def test_the_portable_wheel_reads_a_log_on_the_oldest_glibc(tmp_path) -> None:
    wheel = os.environ.get("BOOTLAB_PORTABLE_WHEEL")
    if not wheel:
        pytest.skip(
            "BOOTLAB_PORTABLE_WHEEL names no wheel of scripts/wheels.sh; making one and a Debian 11 takes half an hour"
        )
    lab = tmp_path / "lab"
    lab.mkdir()
    (lab / "boot.log").write_text(LOG)
    script = REPOSITORY / "scripts" / "oldest-root.sh"
    words = [str(script), str(Path(wheel).resolve()), "bootlab --version && bootlab analyze boot.log --json"]
    done = subprocess.run(words, env=os.environ | {"LAB": str(lab)}, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        pytest.skip(done.stderr[-300:])
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    there = done.stdout[done.stdout.rindex("\nldd (") + 1 :]
    assert " 2.31" in there.splitlines()[0]
    here = subprocess.run(
        [sys.executable, "-m", "bootlab", "analyze", "boot.log", "--json"],
        cwd=lab,
        capture_output=True,
        text=True,
        check=True,
    )
    read = json.loads(there[there.index("{") :])
    assert read == json.loads(here.stdout)
    assert "made_up_init" in json.dumps(read)
