"""Whether KVM works is known only once a guest has run on it: a device node proves nothing."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from pathlib import Path

import msgspec

from bootlab.targets.emulator import Emulator

# A boot sector in 16-bit code: write 'K' to the first serial port, then halt for good.
_PROBE = bytes.fromhex("baf803b04beefaf4ebfd")
_WAIT_S = 3.0


class KvmState(msgspec.Struct, frozen=True):
    """The answer and its reason."""

    works: bool
    reason: str


def probe(emulator: Emulator, *, device: Path = Path("/dev/kvm"), wait_s: float = _WAIT_S) -> KvmState:
    """Boot ten bytes of code under KVM and wait for the letter that they print."""
    if not device.exists():
        return KvmState(works=False, reason=f"{device} does not exist")
    if not os.access(device, os.R_OK | os.W_OK):
        return KvmState(works=False, reason=f"{device} cannot be opened by this user")
    with tempfile.TemporaryDirectory(prefix="bootlab-kvm-") as folder:
        disk, console = Path(folder) / "boot.img", Path(folder) / "console"
        disk.write_bytes(_PROBE.ljust(510, b"\0") + b"\x55\xaa")
        command = [emulator.path, "-machine", "pc", "-accel", "kvm", "-cpu", "host", "-m", "16", "-nodefaults"]
        command += ["-display", "none", "-no-reboot", "-drive", f"file={disk},format=raw,if=ide"]
        command += ["-serial", f"file:{console}"]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                return _watch(process, console, wait_s)
            finally:
                process.kill()


def _watch(process: subprocess.Popen[str], console: Path, wait_s: float) -> KvmState:
    until = time.monotonic() + wait_s
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            if b"K" in console.read_bytes():
                return KvmState(works=True, reason="a probe guest ran and printed its letter")
        if process.poll() is not None:
            words = (process.stderr.read() if process.stderr else "").strip().splitlines()
            return KvmState(works=False, reason=f"QEMU ended at once: {words[-1] if words else 'without a word'}")
        time.sleep(0.02)
    return KvmState(
        works=False, reason=f"/dev/kvm opens, but a probe guest printed nothing in {wait_s:g} s: no guest runs on it"
    )
