# SPDX-License-Identifier: MIT
"""Whether KVM works is known only once a guest has run on it: a device node proves nothing."""

from __future__ import annotations

import contextlib
import os
import platform
import signal
import struct
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bootlab.launch.emulator import Emulator
from bootlab.model.architecture import ARCHITECTURES, Arch

# x86: a boot sector in 16-bit code. Write 'K' to the first serial port, then halt for good.
_BOOT_SECTOR = bytes.fromhex("baf803b04beefaf4ebfd")
# The same as the kernel of QEMU's virt machine, with a PL011 at 0x09000000 (mov w0, #0x9000000; mov w1, #'K';
# str w1, [x0]; wfi; b .-4) or a 16550 at 0x10000000 (lui a0, 0x10000; li a1, 'K'; sb a1, 0(a0); wfi; j .-4).
_KERNELS: dict[str, bytes] = {
    "arm64": struct.pack("<5I", 0x52A12000, 0x52800961, 0xB9000001, 0xD503207F, 0x17FFFFFF),
    "arm": struct.pack("<5I", 0xE3A00409, 0xE3A0104B, 0xE5801000, 0xE320F003, 0xEAFFFFFD),
    "riscv64": struct.pack("<5I", 0x10000537, 0x04B00593, 0x00B50023, 0x10500073, 0xFFDFF06F),
}
_WAIT_S = 3.0


class KvmState(msgspec.Struct, frozen=True):
    """The answer and its reason."""

    works: bool
    reason: str


def probe(
    emulator: Emulator, arch: Arch = "x86_64", *, device: Path = Path("/dev/kvm"), wait_s: float = _WAIT_S
) -> KvmState:
    """Boot a few instructions under KVM and wait for the letter that they print."""
    host = platform.machine()
    if host not in ARCHITECTURES[arch].host_names:
        return KvmState(works=False, reason=f"this machine is {host}: KVM runs no {arch} guest on it")
    if not device.exists():
        return KvmState(works=False, reason=f"{device} does not exist")
    if not os.access(device, os.R_OK | os.W_OK):
        return KvmState(works=False, reason=f"{device} cannot be opened by this user")
    return run_probe(emulator, arch, ("-accel", "kvm", "-cpu", "host"), wait_s=wait_s)


def run_probe(emulator: Emulator, arch: Arch, accelerator: tuple[str, ...], *, wait_s: float = _WAIT_S) -> KvmState:
    """Boot the probe with the accelerator named by these words."""
    with tempfile.TemporaryDirectory(prefix="bootlab-kvm-") as folder:
        image, console = Path(folder) / "boot.img", Path(folder) / "console"
        command = [emulator.path, "-machine", "pc" if arch == "x86_64" else "virt", *accelerator, "-nodefaults"]
        command += ["-display", "none", "-no-reboot", "-m", "16" if arch == "x86_64" else "64"]
        if arch == "x86_64":
            image.write_bytes(_BOOT_SECTOR.ljust(510, b"\0") + b"\x55\xaa")
            command += ["-drive", f"file={image},format=raw,if=ide"]
        else:
            image.write_bytes(_KERNELS[arch])
            command += ["-kernel", str(image)]
        command += ["-serial", f"file:{console}"]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                return _watch(process, console, wait_s)
            finally:
                process.kill()


def _why_ended(code: int, words: Sequence[str]) -> str:
    """Say why QEMU ended. What it says as it aborts is a line of its source, and tells a reader nothing."""
    if code < 0:
        return f"{signal.Signals(-code).name} ended it; KVM runs no guest here"
    return words[-1] if words else "without a message"


def _watch(process: subprocess.Popen[str], console: Path, wait_s: float) -> KvmState:
    until = time.monotonic() + wait_s
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            if b"K" in console.read_bytes():
                return KvmState(works=True, reason="a probe guest ran and printed its letter")
        if process.poll() is not None:
            words = (process.stderr.read() if process.stderr else "").strip().splitlines()
            return KvmState(works=False, reason=f"QEMU ended at once: {_why_ended(process.returncode, words)}")
        time.sleep(0.02)
    return KvmState(
        works=False, reason=f"/dev/kvm opens, but a probe guest printed nothing in {wait_s:g} s: no guest runs on it"
    )
