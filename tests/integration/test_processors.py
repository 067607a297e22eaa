# SPDX-License-Identifier: MIT
"""Several processors, each with its own time: programs without a system (tests/guests/team.c) on every architecture."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import bootlab
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import EnvironmentFault
from bootlab.launch import emulator, exactness, plugin, processors, qemu_launch
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Clockwork, Goal, Kernel, Machine, SystemDescription
from bootlab.store.handover import hand_over
from tests.bare_guests import TEAM_WIDENED, Guest, boot, build_preload

pytestmark = pytest.mark.qemu

ARCHITECTURES = ("x86_64", "arm64", "arm", "riscv64")
QUANTUM_NS = 5000
REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(params=ARCHITECTURES)
def guest(request):
    found = Guest(request.param, (), 2)
    if found.compiler is None or not shutil.which(found.machine.architecture.emulator):
        pytest.skip(f"no compiler or no emulator for {request.param}")
    if exactness.hangs_with_processors(emulator.find(found.machine).version):
        pytest.skip("this QEMU hangs in exact mode when the second processor starts")
    return found


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Where the plugins are built, once."""
    return tmp_path_factory.mktemp("cache")


def values(console: bytes) -> dict[str, int]:
    lines = [line.split() for line in console.decode().splitlines()]
    return {name: int(value, 16) for name, value in lines[:-1]}


@pytest.mark.telling("processors")
def test_two_work_at_once_and_every_boot_is_equal(guest, cache, tmp_path):
    image, preload = guest.build(tmp_path), build_preload(tmp_path)
    calm = boot(guest.arch, image, tmp_path / "calm", cache, machine=guest.machine)
    found = values(calm.console)
    assert found["all"] < 1.01 * found["one"], "two jobs at once take as long as one"
    assert found["back"] == 0, "no clock stepped back"
    assert found["woken"] == 20 << 32 | 20, "each interrupt woke the other once"
    ns, _ = calm.stamps.at(len(calm.console) - 1)
    assert 20e6 < ns < 40e6, "21 waits of a millisecond take their time"
    assert list(calm.stamps.ns) == sorted(calm.stamps.ns)
    for window in TEAM_WIDENED:
        wide = boot(guest.arch, image, tmp_path / window, cache, preload=preload, widened=window, machine=guest.machine)
        assert wide.facts == calm.facts, window


def test_turns_are_a_quantum_long(guest, cache, tmp_path):
    """Once a processor that halted last went on behind the clock's jump: a turn for every few instructions."""
    image = guest.build(tmp_path)
    made = boot(guest.arch, image, tmp_path / "boot", cache, machine=guest.machine)
    turns = int(re.search(r"turns (\d+)", made.said)[1])
    ran = [int(ns) for ns in re.findall(r"ran (\d+) ns", made.said)]
    assert len(ran) == 2
    # One a quantum, and a few for each of the 21 waits.
    assert turns < sum(ran) / QUANTUM_NS + 21 * 10


def test_another_quantum_is_another_schedule_and_as_fast(guest, cache, tmp_path):
    image = guest.build(tmp_path)
    hands = []
    for quantum_ns in (2000, 20000):
        clock = Clockwork(quantum_ns=quantum_ns)
        made = boot(guest.arch, image, tmp_path / str(quantum_ns), cache, machine=guest.machine, clock=clock)
        found = values(made.console)
        assert found["all"] < 1.02 * found["one"]
        hands.append(found["hand"])
    assert hands[0] < hands[1] / 5, "handing over takes a quantum"


@pytest.mark.parametrize("guest", ["x86_64"], indirect=True)
def test_shared_time_is_the_sum_and_exact(guest, cache, tmp_path):
    if exactness.shares_unequally(emulator.find(guest.machine).version):
        pytest.skip("this QEMU's boots with a shared clock differ; bootlab refuses them")
    image = guest.build(tmp_path)
    clock = Clockwork(processors="shared")
    first, second = (
        boot(guest.arch, image, tmp_path / name, cache, machine=guest.machine, clock=clock)
        for name in ("first", "second")
    )
    found = values(first.console)
    assert found["all"] > 1.9 * found["one"]
    assert first.facts == second.facts


@pytest.mark.parametrize("guest", ["x86_64"], indirect=True)
def test_the_script_that_is_handed_over_boots_as_bootlab_does(guest, cache, tmp_path):
    image = guest.build(tmp_path)
    wanted = boot(guest.arch, image, tmp_path / "boot", cache, machine=guest.machine).console
    found = emulator.find(guest.machine)
    system = SystemDescription(
        name="team", kernel=Kernel(image=str(image)), goal=Goal(console="x"), machine=guest.machine,
        cmdline=CommandLine(),
    )  # fmt: skip
    several = processors.prepare(system, found, cache)
    parts = qemu_launch.Parts(
        emulator=found.path,
        kernel=str(image),
        initramfs=None,
        accel="tcg",
        mute=found.wants_audio,
        plugin=plugin.prepare(found, cache).path,
        processors_plugin=several.plugin,
    )
    plan = BootPlan(
        system=system,
        purpose="timing",
        launch=qemu_launch.launch_of(system, parts),
        key="k",
        info=KernelInfo(),
        sizes_bytes={},
        sha256={},
        processors=several.processors,
    )
    script = hand_over(tmp_path / "run", system, plan).files["script"]
    text = Path(script).read_text()
    needs = f"needs QEMU 10 on a {platform.machine()} host and qemu-smp.so"
    assert f"# 2 processors, parallel, quantum 5 us: {needs}" in text
    with subprocess.Popen([script], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            printed = b""
            while len(printed) < len(wanted) and (more := process.stdout.read1(4096)):
                printed += more
        finally:
            process.kill()
    assert printed == wanted


def test_the_arm64_example_boots_alike_on_four_processors(tmp_path, monkeypatch):
    """Its kernel, BusyBox and camera are those of another architecture: `make qemu10` fetches the first two."""
    kernel, busybox = (os.environ.get(f"BOOTLAB_{name}_ARM64") for name in ("KERNEL", "BUSYBOX"))
    if not kernel or not busybox:
        pytest.skip("BOOTLAB_KERNEL_ARM64 and BOOTLAB_BUSYBOX_ARM64 name no files; `make qemu10` fetches them")
    if not shutil.which("aarch64-linux-gnu-gcc") or not shutil.which("qemu-system-aarch64"):
        pytest.skip("no compiler or no emulator for arm64")
    if exactness.hangs_with_processors(emulator.find(Machine(arch="arm64")).version):
        pytest.skip("this QEMU hangs in exact mode when the second processor starts")
    subprocess.run(["make", "-sC", REPOSITORY / "guest", "ARCH=arm64", "build/arm64/camera"], check=True)
    subprocess.run(["make", "-sC", REPOSITORY / "guest", "build/scene.bin"], check=True)
    monkeypatch.setenv("BOOTLAB_BUSYBOX", busybox)
    system = bootlab.System.load(REPOSITORY / "examples/busybox-rc-arm64-smp4/system.toml", store=tmp_path)
    (first, other), equality = system.repeat_recordings(2)
    assert first.ok, first.meta.reason
    assert equality.equal, equality.difference
    assert other.meta.processors.text == "4 processors, parallel, quantum 5 us"
    assert any("Brought up 1 node, 4 CPUs" in line.text for line in first.lines)


def _loads(options: list[str], cache: Path) -> subprocess.CompletedProcess[str]:
    found = emulator.find(Machine())
    made = plugin.prepare_processors(found, cache)
    assert made.path is not None, made.reason
    command = [found.path, "-machine", "q35", "-nodefaults", "-display", "none", "-accel", "tcg", *options]
    words = [word.replace("PLUGIN", made.path) for word in command]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-smp", "2", "-plugin", "PLUGIN"], "it needs QEMU's instruction counter"),
        (["-smp", "2", "-icount", "shift=1", "-plugin", "PLUGIN"], "sleep=off"),
        (["-smp", "2", "-icount", "shift=1,sleep=off", "-plugin", "PLUGIN,quantum=5"], "quantum= takes 100 to"),
        (["-smp", "2", "-icount", "shift=1,sleep=off", "-plugin", "PLUGIN,quant=5"], "unknown argument"),
        (["-smp", "2,maxcpus=4", "-icount", "shift=1,sleep=off", "-plugin", "PLUGIN"], "cannot be plugged in later"),
        (["-smp", "1", "-icount", "shift=1,sleep=off", "-plugin", "PLUGIN,check=on"], "at least two processors"),
    ],
)
def test_what_the_plugin_cannot_do_it_refuses(options, said, cache):
    """QEMU 7.2 is refused too: in it the first function is missing that the plugin looks for."""
    done = _loads(options, cache)
    assert done.returncode == 3
    assert done.stderr.startswith("qemu-smp: ")
    assert said in done.stderr or "does not export" in done.stderr


def test_a_boot_is_refused_where_qemu_hangs(tmp_path):
    machine = Guest("x86_64", (), 2).machine
    if not exactness.hangs_with_processors(emulator.find(machine).version):
        pytest.skip("this QEMU runs several processors")
    with pytest.raises(EnvironmentFault, match="hangs when the second one starts"):
        boot("x86_64", tmp_path / "image", tmp_path / "boot", tmp_path, machine=machine)
