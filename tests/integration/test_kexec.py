# SPDX-License-Identifier: MIT
"""A kernel that starts a second one by kexec: one power-on, two kernels, each with its user space behind it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bootlab.analysis.stages import stages_of
from bootlab.api import System
from bootlab.experiments import first_boot
from bootlab.logs import analyze
from bootlab.systemfile import load
from tests.lean_kernel import PARAMETERS

pytestmark = pytest.mark.qemu
SECOND = f"console=ttyS0 {PARAMETERS}"

SYSTEM = f"""
name = "loader"
target = "qemu"
[machine]
type = "q35"
cpu = "max"
memory_mib = 512
[clock]
mode = "exact"
shift = 1
rtc_base = "2026-01-01T00:00:00"
[kernel]
image = "$BOOTLAB_KERNEL"
cmdline = "console=ttyS0,115200 panic=5 {PARAMETERS}"
[initramfs]
compression = "none"
[initramfs.files]
"/init" = {{ source = "init", mode = "0755" }}
"/kernel" = {{ source = "kernel" }}
"/second" = {{ source = "second.cpio" }}
"/dev/console" = {{ char = [5, 1], mode = "0600" }}
[goal]
console = 'hub: ready'
[marks]
rc-scripts = '^rc: '
"""


RESTART = """
[shutdown]
ask = "typed"
typed = "again"
after_goal_s = 1
until = "goal"
"""


@pytest.fixture(scope="module", params=[SECOND, f"{SECOND} quiet"])
def boots(request, debian_kernel, tmp_path_factory):
    """Return a boot whose second kernel says everything, or two in which it says nothing, at a random address."""
    times = 2 if "quiet" in request.param else 1
    return booted(tmp_path_factory.mktemp("kexec"), debian_kernel, SYSTEM, request.param, times=times)


def booted(folder, debian_kernel, text, second, *defines, times=2):
    """Boot so many times; `second`: the second kernel's command line."""
    if shutil.which("cc") is None or shutil.which("cpio") is None:
        pytest.skip("no compiler or no cpio")
    source = Path(__file__).with_name("kexec_loader.c")
    program = folder / "init"
    words = ["cc", "-static", "-Os", *defines, f'-DCMDLINE="{second}"', "-o", str(program), str(source)]
    subprocess.run(words, check=True)
    (folder / "dev").mkdir()
    subprocess.run(["mknod", str(folder / "dev/console"), "c", "5", "1"], check=False)
    with (folder / "second.cpio").open("wb") as out:
        names = b"init\ndev\ndev/console\n"
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], input=names, stdout=out, cwd=folder, check=True)
    shutil.copyfile(debian_kernel, folder / "kernel")
    (folder / "system.toml").write_text(text)
    system = load(folder / "system.toml", environ={"BOOTLAB_KERNEL": str(debian_kernel)})
    opened = System(system, store=folder / "store", jobs=1)
    return opened.repeat_recordings(2) if times == 2 else ((opened.boot().recording,), None)


def test_each_kernel_has_its_stages(boots):
    (recording, *_), equality = boots
    assert equality is None or equality.equal, equality.difference
    assert [stage.name for stage in stages_of(recording)] == [
        "firmware", "kernel set-up", "decompression", "kernel start", "kernel", "user space", "kexec", "kernel 2",
        "user space 2", "RC scripts",
    ]  # fmt: skip
    times = {mark.name: mark.ns for mark in recording.marks}
    assert times["user-space"] < times["kexec"] < times["kernel-2"] < times["user-space-2"] < times["rc-scripts"]
    left = next(line for line in recording.lines if line.text.startswith("loader: starting"))
    assert left.last_ns < times["kexec"]
    init = [line for line in recording.lines if "Run /init as init process" in line.text]
    assert init[-1].last_ns <= times["user-space-2"] if len(init) > 1 else len(init) == 1


def test_a_goal_is_looked_for_behind_the_last_kernel(boots):
    (recording, *_), _ = boots
    begin = first_boot.begin_of_user_space(recording)
    assert "rc: start" in recording.lines[begin].text


def test_the_log_has_two_boots(boots):
    (recording, *_), _ = boots
    first, second = analyze(recording.console, name="console").boots
    assert (first.end.kind, second.start) == ("kexec", "kexec")
    assert second.reached_user


def test_a_restart_by_kexec_ends_at_the_goal_once_more(debian_kernel, tmp_path):
    recordings, equality = booted(tmp_path, debian_kernel, SYSTEM + RESTART, f"{SECOND} quiet", "-DWAITS")
    assert equality.equal, equality.difference
    recording = recordings[0]
    assert [stage.name for stage in stages_of(recording)] == [
        "stopping services", "devices down", "kexec", "kernel 2", "user space 2", "RC scripts"
    ]  # fmt: skip
    assert recording.lines[-1].text.startswith("hub: ready")
    assert recording.marks[0].name == "asked"
