# SPDX-License-Identifier: MIT
"""A store whose disk is full, at every point where it can become so: no verdict on the system, no half result."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from bootlab.experiments.bench import Bench, SilentObserver
from bootlab.launch.whole_console import NOT_COUNTED
from bootlab.model.system import Limits
from bootlab.targets.qemu import QemuTarget
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
def system(tmp_path):
    """Return the file of a guest that prints for a while."""
    image = mini_kernel(tmp_path / "kernel", "\r\n" + "a line of the guest's\r\n" * 60 + "GOAL\r\n", "idle")
    path = tmp_path / "small.toml"
    path.write_text(
        f'name = "small"\n[machine]\nmemory_mib = 32\n[kernel]\nimage = "{image}"\n'
        'cmdline = "console=ttyS0"\n[goal]\nconsole = "GOAL"\n[limits]\nstall_wall_s = 20\n'
    )
    return path


@pytest.fixture
def boot(system):
    """Boot it into a store; return how bootlab ended and what it said."""

    def run(store, verb="boot"):
        command = [sys.executable, "-m", "bootlab.cli", verb, str(system), "--store", str(store), "--json"]
        return subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)

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


LONG = "".join(f"{number:04} a line of the guest's\r\n" for number in range(600))


class Filler(SilentObserver):
    """Fills the disk of a boot when its first line is out, and makes room again when the console has stopped."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.thread: threading.Thread | None = None
        self.again: list[str] = []

    def boot_progress(self, label, progress):
        if self.thread is None and "begin" in progress.last_line:
            fat = self.folder / "fat"
            with contextlib.suppress(OSError), fat.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
            self.thread = threading.Thread(target=self._free, args=(fat,))
            self.thread.start()

    def _free(self, fat: Path) -> None:
        until = time.monotonic() + 60
        # The console fills its page, and then there is no other.
        while time.monotonic() < until and not self.again:
            with contextlib.suppress(OSError):
                if any(path.stat().st_size >= 4096 for path in self.folder.glob("**/console.log")):
                    break
            time.sleep(0.01)
        fat.unlink()

    def boot_again(self, label, why):
        self.again.append(why)


@pytest.mark.parametrize("mode", ["exact", "free"])
def test_a_disk_that_is_full_for_a_moment_leaves_no_hole_in_a_console(mini, small_disk, cache, mode):
    """The goal stands behind the hole, and would be found: such a boot is the host's, and the next one is whole."""
    # Without a count of instructions the machine is through with a short wait before anybody looks at it.
    loops = 1200 if mode == "exact" else 12_000
    system = mini("begin\n", text_after=LONG + "GOAL\n", delay_loops=loops, limits=Limits(wall_s=120))
    system = msgspec.structs.replace(system, clock=msgspec.structs.replace(system.clock, mode=mode, accel="tcg"))
    filler = Filler(small_disk(6000))
    with Bench(QemuTarget(cache), filler.folder / "store", observer=filler) as bench:
        recording = bench.boot(system, "x")
    filler.thread.join()
    assert len(filler.again) == 1
    assert "could not be written" in filler.again[0]
    assert recording.ok, recording.meta.reason
    assert recording.console.endswith(("begin\n" + LONG + "GOAL\n").encode())
    assert NOT_COUNTED not in recording.meta.lacks


def recordings(store):
    """Return when each recording that is kept was written."""
    return {path.parent.name: path.stat().st_mtime_ns for path in (store / "boots").glob("[!.]*/recording.json")}


def changes(done):
    found = json.loads(done.stdout)["results"]
    return [(step["change_id"], step["after_ns"]) for step in found["stack"]["steps"]]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_an_optimisation_goes_on_when_there_is_room_again(small_disk, boot, tmp_path):
    """From full to full: it ends as on a disk with room, boots nothing twice, and leaves nothing torn."""
    whole = boot(tmp_path / "store", "optimize")
    assert whole.returncode == 0, whole.stderr
    folder = small_disk(200)
    store, kept, ended = folder / "store", {}, []
    for kib in (200, 420, 640, 900, 1160, 20_000):
        subprocess.run(["mount", "-o", f"remount,size={kib}k", str(folder)], check=True)
        done = boot(store, "optimize")
        ended.append(done.returncode)
        assert "Traceback" not in done.stderr, f"{kib} KiB: {done.stderr}"
        now = recordings(store)
        assert {key: now.get(key) for key in kept} == kept, f"{kib} KiB: a boot that was kept is as it was"
        kept = now
        for run in (store / "runs").glob("*/results.json"):
            json.loads(run.read_bytes())
        if done.returncode == 0:
            break
        said = json.loads(done.stdout)
        assert done.returncode == said["exit_code"] == 3, f"{kib} KiB: {done.stdout} {done.stderr}"
        assert "No space left on device" in said["error"], f"{kib} KiB"
    assert ended[-1] == 0
    assert ended.count(3) >= 3, "it was stopped at several places"
    assert recordings(store).keys() == recordings(tmp_path / "store").keys()
    assert changes(done) == changes(whole)
    (run,) = (store / "runs").glob("*")
    assert sorted(path.name for path in run.iterdir()) == ["optimized", "results.json"]
    assert {"system.toml", "by-hand.sh", "report.html", "report.md"} <= {p.name for p in (run / "optimized").iterdir()}
