# SPDX-License-Identifier: MIT
"""An `[ssh]` board over a real ssh server on loopback: own port, own keys; the host goes away and comes back."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
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
from tests.conftest import REPOSITORY

UNPACKED = REPOSITORY / ".cache" / "sshd"
"""Where scripts/fetch-sshd.sh puts Debian's server, which is not installed: a package would start it."""

# What answers for the host: its boot's id is a file, and `reboot` asks the test to take the server down.
COMMAND = """#!/bin/sh
cd "{folder}"
echo "$SSH_ORIGINAL_COMMAND" >> asked
case "$SSH_ORIGINAL_COMMAND" in
*boot_id) cat id;;
reboot) : > reboot;;
dmesg) printf '[    0.000000] Linux version 6.1\\n[    0.000000] Kernel command line: quiet\\n';;
*) sh -c "$SSH_ORIGINAL_COMMAND";;
esac
"""


def _program() -> tuple[Path, dict[str, str]]:
    for root in (UNPACKED, Path("/")):
        found = root / "usr/sbin/sshd"
        if found.is_file():
            libraries = [str(path) for path in (*root.glob("usr/lib/*-linux-gnu"), *root.glob("lib/*-linux-gnu"))]
            return found, {"LD_LIBRARY_PATH": ":".join(libraries)} if root == UNPACKED else {}
    pytest.skip("no ssh server here: scripts/fetch-sshd.sh unpacks Debian's")


class Host:
    """A server that can be taken down and brought up again, as a reboot does."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.process = folder, None
        program, libraries = _program()
        if shutil.which("ssh") is None:
            pytest.skip("no ssh here: apt-get install openssh-client")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        (folder / "user.pub").rename(folder / "keys")
        (folder / "id").write_text("first\n")
        (folder / "command").write_text(COMMAND.format(folder=folder))
        (folder / "command").chmod(0o755)
        (folder / "config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/keys\n"
            f"PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
            f"ForceCommand {folder}/command\n"
        )
        self._words = [str(program), "-D", "-e", "-f", str(folder / "config")]
        self._environment = os.environ | libraries
        if os.getuid() == 0:
            self._words = self._in_a_namespace(self._words)

    def _in_a_namespace(self, words: list[str]) -> list[str]:
        """Give the server of root the user and the folder that it wants, for itself alone."""
        if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
            pytest.skip("as root this needs a mount namespace, which unshare may not make here")
        known = Path("/etc/passwd").read_text()
        (self.folder / "passwd").write_text(known + "sshd:x:65534:65534::/run/sshd:/usr/sbin/nologin\n")
        # Without PAM the server refuses who has a locked password (`!`), as root has where nobody gave it one.
        name = getpass.getuser()
        (self.folder / "shadow").write_text(f"{name}:*:20000::::::\nsshd:*:20000::::::\n")
        make = f"mount --bind {self.folder}/passwd /etc/passwd && mount -t tmpfs none /run && mkdir -m 755 /run/sshd"
        if Path("/etc/shadow").exists():
            make = f"mount --bind {self.folder}/shadow /etc/shadow && {make}"
        return ["unshare", "-m", "sh", "-c", f'{make} && exec "$@"', "sh", *words]

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self._words, env=self._environment, stderr=log, start_new_session=True)
        for _ in range(3000):
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.1)
        raise AssertionError("the server does not listen")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def reboot_when_asked(self, ended: threading.Event) -> None:
        while not ended.wait(0.05):
            if (self.folder / "reboot").exists():
                (self.folder / "reboot").unlink()
                self.stop()
                # However slow this machine is: the host stays down until somebody has asked in vain. The new boot's id
                # comes after that: a connection that the stopped server had taken lives on in a process of its own.
                with socket.create_server(("127.0.0.1", self.port)) as down:
                    down.accept()[0].close()
                (self.folder / "id").write_text("second\n")
                self.start()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    made = Host(tmp_path)
    made.start()
    ended = threading.Event()
    watcher = threading.Thread(target=made.reboot_when_asked, args=(ended,))
    watcher.start()
    yield made
    ended.set()
    watcher.join()
    made.stop()


def boot(host: Host, *, key: str = "user", reboot: str = "reboot", total_s: int = 300):
    options = f"-p {host.port} -i {host.folder}/{key} -o IdentitiesOnly=yes -o StrictHostKeyChecking=no"
    file = host.folder / "board.toml"
    known = f"-o UserKnownHostsFile={host.folder}/known"
    file.write_text(f"""name = "loopback"
[limits]
total_s = {total_s}
[goal]
console = "none"
[ssh]
host = "{getpass.getuser()}@127.0.0.1"
command = "ssh -o BatchMode=yes -o ConnectTimeout=20 {known} {options}"
reboot = "{reboot}"
ready = "test -e {host.folder}/id"
[ssh.collect]
"dmesg.txt" = "dmesg"
""")
    system = load_board(file).system(None)
    target = board_target(system.board, Cache(host.folder / "cache"))
    return target.boot(target.plan(system), host.folder / "boot", stop=threading.Event())


@pytest.mark.slow
def test_a_host_goes_down_and_comes_back(host: Host) -> None:
    recording = boot(host)
    assert recording.meta.outcome is Outcome.GOAL, recording.meta.reason
    names = [mark.name for mark in recording.marks]
    assert names == ["power-on", "reboot", "down", "application", "goal"]
    assert [stage.name for stage in stages_of(recording)][:2] == ["going down", "until it answers"]
    times = [mark.ns for mark in recording.marks]
    assert times == sorted(times)
    assert recording.meta.goal_ns == times[-1] > times[2]
    assert recording.meta.cmdline == "quiet"
    assert (host.folder / "asked").read_text().splitlines().count("reboot") == 1


def test_a_key_that_the_host_does_not_know_is_no_boot(host: Host) -> None:
    recording = boot(host, key="host")
    assert recording.meta.outcome is Outcome.CANNOT_START
    assert "Permission denied" in recording.meta.reason
    assert not (host.folder / "reboot").exists()


@pytest.mark.slow
def test_a_reboot_that_is_refused_is_said(host: Host) -> None:
    recording = boot(host, reboot="echo not today >&2; exit 5")
    assert recording.meta.outcome is Outcome.POWER_FAILED
    assert "not today" in recording.meta.reason
