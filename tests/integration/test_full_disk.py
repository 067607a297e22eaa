"""A store whose disk is full, at every point where it can become so: no verdict on the system, no half result."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.mini_kernel import mini_kernel

pytestmark = pytest.mark.qemu


@pytest.fixture
def small_disk(tmp_path):
    """Return a function that mounts a file system of so many kilobytes."""
    mounted = []

    def mount(kib: int):
        folder = tmp_path / f"disk-{kib}"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(folder)]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("this user may not mount a file system")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def boot(tmp_path):
    """Boot a guest that prints for a while into a store; return how bootlab ended and what it said."""
    image = mini_kernel(tmp_path / "kernel", "\r\n" + "a line of the guest's\r\n" * 60 + "GOAL\r\n", "idle")
    path = tmp_path / "small.toml"
    path.write_text(
        f'name = "small"\n[machine]\nmemory_mib = 32\n[kernel]\nimage = "{image}"\n'
        'cmdline = "console=ttyS0"\n[goal]\nconsole = "GOAL"\n[limits]\nstall_wall_s = 20\n'
    )

    def run(store):
        command = [sys.executable, "-m", "bootlab.cli", "boot", str(path), "--store", str(store), "--json"]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    return run


def goal(done):
    (boot,) = (json.loads(done.stdout)["results"]["base"],)
    return boot["goal_ns"], boot["goal_insns"], boot["clock"]


def test_a_disk_that_is_full_says_nothing_about_the_system(small_disk, boot, tmp_path):
    undisturbed = goal(boot(tmp_path / "store"))
    ended = set()
    for kib in (4, 12, 24, 900, 1600, 3200):
        folder = small_disk(kib)
        done = boot(folder / "store")
        ended.add(done.returncode)
        assert "Traceback" not in done.stderr, f"{kib} KiB: {done.stderr}"
        if done.returncode == 0:
            assert goal(done) == undisturbed, f"{kib} KiB: another result than on a disk with room"
            continue
        said = json.loads(done.stdout)
        assert done.returncode == said["exit_code"] == 3, f"{kib} KiB: {done.stdout} {done.stderr}"
        assert "No space left on device" in said["error"], f"{kib} KiB"
        assert "df -h" in said["hint"]
        kept = [p for p in (folder / "store").glob("boots/*") if not p.name.startswith(".")]
        assert kept == [], f"{kib} KiB: half a recording is left"
    assert ended == {0, 3}, "some had room and some had none"
