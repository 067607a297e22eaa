# SPDX-License-Identifier: MIT
"""The host's instructions by which the plugins redirect QEMU's functions, executed on this machine and as arm64."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from bootlab.data import source_folder

SOURCE = Path(__file__).with_name("host_code.c")
FLAGS = ("-O2", "-static", "-fno-ipa-cp", "-fno-ipa-sra", "-Wall", "-Wextra", "-Werror")


def run(compiler: str, runner: tuple[str, ...], made: Path, *flags: str) -> str:
    folder = source_folder("", "host-code.c", top="qemu-plugin")
    command = [compiler, *FLAGS, *flags, f"-I{folder}", "-o", str(made), str(SOURCE), str(folder / "host-code.c")]
    subprocess.run(command, check=True)
    done = subprocess.run([*runner, str(made)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("flags", [(), ("-mbranch-protection=standard",), ("-fcf-protection=full",)], ids=str)
@pytest.mark.parametrize("arch", ["x86_64", "aarch64"])
def test_calls_and_functions_are_redirected(arch, flags, tmp_path):
    if any(("branch" in flag) != (arch == "aarch64") for flag in flags):
        pytest.skip("a flag of the other architecture")
    compiler = shutil.which(f"{arch}-linux-gnu-gcc")
    own = platform.machine() == arch
    emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if compiler is None or not (own or (arch == "aarch64" and emulator)):
        pytest.skip(f"no compiler for {arch}, or nothing that runs it")
    runner = () if own else (str(emulator),)
    # weight is 1: first(2, 3) is 3 + 4, its caller adds one; second(2, 3) is 2003.
    expected = "page 2003 before 8 called 2004 jumped 2003\n"
    assert run(compiler, runner, tmp_path / "program", *flags) == expected
