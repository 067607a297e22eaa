# SPDX-License-Identifier: MIT
"""Real systems for the tests that boot: the demo, and a small one."""

from __future__ import annotations

import subprocess

import msgspec
import pytest

from bootlab.model.cmdline import CommandLine
from bootlab.systemfile import load
from tests.conftest import REPLAYED, REPOSITORY
from tests.lean_kernel import PARAMETERS, lean_kernel


@pytest.fixture(scope="session")
def demo(debian_kernel):
    """Return the demo's system."""
    subprocess.run(["make", "-s", "-C", str(REPOSITORY / "guest")], check=True)
    return load(REPOSITORY / "examples/demo/system.toml", environ={"BOOTLAB_KERNEL": str(debian_kernel)})


@pytest.fixture(scope="session")
def small(debian_kernel):
    """Return the replayed system for QEMU, with a kernel that starts in a third of its time."""
    system = load(REPLAYED, environ={"BOOTLAB_KERNEL": str(debian_kernel)})
    line = CommandLine.parse(f"{system.cmdline} {PARAMETERS}")
    kernel = lean_kernel(system.kernel.image)
    return msgspec.structs.replace(system, target="qemu", recordings=None, kernel=kernel, cmdline=line)
