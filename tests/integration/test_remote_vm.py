# SPDX-License-Identifier: MIT
"""An `[ssh]` board that is a whole Debian under QEMU: systemd goes down, the machine starts again, sshd answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bootlab.analysis.stages import stages_of
from bootlab.boards.choose import board_target
from bootlab.builders.cache import Cache
from bootlab.model.recording import Outcome
from bootlab.systemfile.board import load_board
from tests.boards.qemu_board import free_port
from tests.conftest import REPOSITORY

MADE = Path(os.environ.get("BOOTLAB_SSH_VM") or REPOSITORY / ".cache" / "ssh-vm")
"""What scripts/make-ssh-vm.sh made."""

KERNEL = REPOSITORY / ".cache" / "kernel" / "vmlinuz"
pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.timeout(3600)]


class Vm:
    """A Debian that runs until the block is left; `port` is that of its ssh server, on the loopback address."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        key = folder / "key"
        shutil.copy(MADE / "key", key)
        key.chmod(0o600)
        options = "-o BatchMode=yes -o ConnectTimeout=20 -o StrictHostKeyChecking=no -o IdentitiesOnly=yes"
        self.ssh = f"ssh {options} -o UserKnownHostsFile={folder}/known -i {key} -p {self.port}"
        forward = f"user,model=virtio-net-pci,hostfwd=tcp:127.0.0.1:{self.port}-:22"
        words = ["qemu-system-x86_64", "-machine", "q35", "-cpu", "max", "-accel", "tcg", "-m", "1536", "-nographic"]
        words += ["-kernel", str(KERNEL), "-initrd", str(MADE / "initrd.gz"), "-nic", forward]
        words += ["-append", "console=ttyS0 quiet rdinit=/init random.trust_cpu=on"]
        with (folder / "console").open("wb") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def wait(self) -> None:
        until = time.monotonic() + 1500
        while subprocess.run(
            [*self.ssh.split(), "root@127.0.0.1", "true"], capture_output=True, check=False
        ).returncode:
            said = (self.folder / "console").read_text(errors="replace")[-2000:]
            assert time.monotonic() < until, said
            assert self.process.poll() is None, said
            time.sleep(1)

    def board(self, reboot: str, total_s: int):
        # The test before may have left the server on its way back.
        self.wait()
        file = self.folder / "board.toml"
        file.write_text(f"""name = "vm"
[limits]
total_s = {total_s}
[goal]
console = "none"
[ssh]
host = "root@127.0.0.1"
command = "{self.ssh}"
reboot = "{reboot}"
[ssh.collect]
"dmesg.txt" = "dmesg"
"boot_id.txt" = "cat /proc/sys/kernel/random/boot_id"
""")
        system = load_board(file).system(None)
        target = board_target(system.board, Cache(self.folder / "cache"))
        place = self.folder / f"boot-{time.monotonic_ns()}"
        return target.boot(target.plan(system), place, stop=threading.Event())


@pytest.fixture(scope="module")
def vm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vm]:
    if not (MADE / "initrd.gz").is_file():
        pytest.skip("no Debian with an ssh server here: make test-ssh-vm makes one, and runs this")
    if shutil.which("ssh") is None:
        pytest.skip("no ssh here: apt-get install openssh-client")
    made = Vm(tmp_path_factory.mktemp("vm"))
    try:
        made.wait()
        yield made
    finally:
        made.process.kill()
        made.process.wait()


def test_a_server_that_was_away_is_no_reboot(vm: Vm) -> None:
    away = "systemd-run --collect sh -c 'sleep 1; systemctl stop ssh; sleep 10; systemctl start ssh'"
    recording = vm.board(away, total_s=90)
    assert recording.meta.outcome is Outcome.POWER_FAILED, recording.meta.reason
    assert "did not reboot within 90 s: it answers with the boot id that it had" in recording.meta.reason


def test_going_down_is_a_stage_of_its_own(vm: Vm) -> None:
    recording = vm.board("systemctl reboot", total_s=1500)
    assert recording.meta.outcome is Outcome.GOAL, recording.meta.reason
    assert [mark.name for mark in recording.marks] == ["power-on", "reboot", "down", "application", "goal"]
    stages = {stage.name: stage.duration_ns for stage in stages_of(recording)}
    assert list(stages)[:2] == ["going down", "until it answers"]
    assert sum(stages.values()) == recording.meta.goal_ns
    assert recording.meta.cmdline.startswith("console=ttyS0 quiet rdinit=/init")
    # One boot's log, of the kernel that answers now.
    assert sum("Linux version" in line.text for line in recording.lines) == 1
