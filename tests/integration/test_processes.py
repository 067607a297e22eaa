# SPDX-License-Identifier: MIT
"""What is left when bootlab is interrupted, killed or given rubbish: no machine, no half recording, a clear word."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bootlab.systemfile.template import template
from tests.conftest import REPLAYED
from tests.lean_kernel import PARAMETERS
from tests.mini_kernel import mini_kernel

pytestmark = pytest.mark.qemu
BOOTLAB = [sys.executable, "-m", "bootlab.cli.__main__"]


def machines(store: Path) -> list[int]:
    """Return the processes that work inside a store: QEMU's folder is that of its recording."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.readlink().is_relative_to(store):
                found.append(int(link.parent.name))
        except OSError:
            continue
    return found


STARTED: list[subprocess.Popen] = []


@pytest.fixture(autouse=True)
def nothing_left_running():
    """End what a failed test has started: left alone, it would fail whichever test runs when it is collected."""
    yield
    while STARTED:
        process = STARTED.pop()
        process.kill()
        process.communicate()


def until(condition, seconds: float = 280.0) -> bool:
    for _ in range(int(seconds * 50)):
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def endless(tmp_path):
    """Return a system file whose machine never ends by itself."""
    image = mini_kernel(tmp_path / "kernel", "\r\nhello\n", "spin")
    path = tmp_path / "endless.toml"
    path.write_text(
        f'name = "endless"\n[machine]\nmemory_mib = 32\n[kernel]\nimage = "{image}"\n'
        'cmdline = "console=ttyS0"\n[goal]\nconsole = "never"\n'
        "[limits]\nvirtual_s = 1e6\nstall_virtual_s = 1e6\nwall_s = 500\nstall_wall_s = 500\n"
    )
    return path


def start(*words: object) -> subprocess.Popen:
    # A shell starts what runs in its background with SIGINT ignored, and the tests would hand that on.
    command = ["env", "--default-signal=INT", *BOOTLAB, *map(str, words)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    STARTED.append(process)
    return process


def run(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run([*BOOTLAB, *map(str, words)], capture_output=True, text=True, timeout=500, check=False)


@pytest.mark.telling("killed and continued")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_machine_outlives_bootlab(endless, tmp_path, number):
    store = tmp_path / "store"
    process = start("boot", endless, "--store", store)
    assert until(lambda: machines(store)), "no machine was started"
    time.sleep(0.2)
    process.send_signal(number)
    _, said = process.communicate(timeout=280)
    assert until(lambda: not machines(store), 60)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "run the same command again" in said
        assert "Traceback" not in said
        assert [path.name for path in (store / "boots").rglob("*")] == [".locks"], "nothing half-made is left"
    else:
        # What a killed one leaves is swept by the next.
        assert process.returncode != 0
        text = (
            endless.read_text().replace("wall_s = 500", "wall_s = 1").replace("stall_wall_s = 500", "stall_wall_s = 1")
        )
        endless.write_text(text)
        assert run("boot", endless, "--store", store).returncode in {42, 49}
        left = {p.name for p in (store / "boots").iterdir() if p.name.startswith(".")}
        assert left <= {".machines", ".locks"}, "the index of recordings by machine, and nothing half-made"


def test_no_machine_is_left_after_a_time_out(endless, tmp_path):
    endless.write_text(endless.read_text().replace("stall_virtual_s = 1e6", "stall_virtual_s = 0.2"))
    done = run("boot", endless, "--store", tmp_path / "store")
    assert done.returncode == 42
    assert "last line was 'hello'" in " ".join(done.stdout.split())
    assert "hint:" in done.stderr
    assert machines(tmp_path / "store") == []


@pytest.mark.any_qemu
@pytest.mark.telling("stack", "killed and continued")
def test_stack_killed_and_started_again_repeats_no_boot(debian_kernel, tmp_path):
    text = REPLAYED.read_text().replace('target = "replay"', 'target = "qemu"').replace('recordings = "fixture"', "")
    # Twenty boots, none of which is the subject: up to a line at a third of the kernel's start.
    text = re.sub("(?s)\\[goal\\].*", "[goal]\nconsole = 'Mount-cache hash table'\n", text)
    system, store = tmp_path / "small.toml", tmp_path / "store"
    # Its path, whatever the environment of these tests holds by now.
    text = text.replace("$BOOTLAB_KERNEL", str(debian_kernel))
    text = text.replace("[kernel]", '[kernel]\nform = "vmlinux"')
    system.write_text(text.replace("panic=-1", f"panic=-1 {PARAMETERS}"))
    words = ("stack", system, "firmware-qboot", "no-timer-check", "--store", store, "--json")

    def finished() -> dict[str, int]:
        return {p.parent.name: p.stat().st_mtime_ns for p in (store / "boots").glob("[!.]*/recording.json")}

    process = start(*words)
    assert until(lambda: len(finished()) >= 3), "no boots came"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=280)
    assert until(lambda: not machines(store), 60)
    before = finished()
    done = run(*words)
    assert done.returncode == 0, done.stderr
    after = finished()
    assert {key: after[key] for key in before} == before, "what was finished is not made again"
    results = json.loads(done.stdout)["results"]
    assert [step["change_id"] for step in results["stack"]["steps"]] == ["firmware-qboot", "no-timer-check"]
    faster = Path(results["stack"]["system"]["system_path"])
    again = run("boot", faster, "--store", store, "--json")
    assert again.returncode == 0, again.stderr
    final, handed = results["stack"]["final"], json.loads(again.stdout)["results"]["base"]
    assert handed["goal_ns"] == final["goal_ns"], "what is handed over is what was measured"
    assert handed["artefact_sha256"] == final["artefact_sha256"]


def system_file(folder: Path, kernel: object, extra: str = "") -> Path:
    path = folder / "s.toml"
    path.write_text(
        template("s", kernel=str(kernel)).replace("# archive", "archive")
        if extra
        else template("s", kernel=str(kernel))
    )
    return path


@pytest.mark.parametrize("magic", [b"", b"\x7fELF"])
def test_a_kernel_that_is_none(tmp_path, magic):
    (tmp_path / "rubbish").write_bytes(magic + bytes(range(256)) * 40)
    done = run("boot", system_file(tmp_path, tmp_path / "rubbish"), "--store", tmp_path / "store")
    assert done.returncode == 2, done.stderr
    assert "kernel.image" in done.stderr
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_initramfs_that_is_no_archive(tmp_path):
    (tmp_path / "initrd.img").write_bytes(b"not a cpio archive at all" * 100)
    kernel = mini_kernel(tmp_path / "kernel", "x")
    done = run("boot", system_file(tmp_path, kernel, "archive"), "--store", tmp_path / "store", "--json")
    assert done.returncode == 2
    said = json.loads(done.stdout)
    assert "initramfs.archive" in said["error"]
    assert said["hint"]


@pytest.mark.skipif(os.geteuid() != 0, reason="a file system of one's own takes root")
def test_a_store_without_room(tmp_path):
    store = tmp_path / "store"
    store.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(store)], check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        image = mini_kernel(tmp_path / "kernel", "\r\nGOAL\n")
        path = tmp_path / "s.toml"
        path.write_text(
            f'name = "s"\n[machine]\nmemory_mib = 32\n[kernel]\nimage = "{image}"\n'
            'cmdline = "console=ttyS0"\n[goal]\nconsole = "GOAL"\n'
            "[limits]\nstall_virtual_s = 1\nwall_s = 20\nstall_wall_s = 5\n"
        )
        (store / "ballast").write_bytes(b"x" * 60_000)
        done = run("boot", path, "--store", store)
        assert done.returncode == 3, done.stderr
        assert "Traceback" not in done.stderr
        assert "room" in done.stderr
        assert machines(store) == []
    finally:
        subprocess.run(["umount", str(store)], check=True)
