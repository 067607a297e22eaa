# SPDX-License-Identifier: MIT
"""Fixtures that every layer shares."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from bootlab.builders.cache import Cache
from bootlab.launch import emulator, plugin
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Check, Goal, Kernel, Limits, Machine, SystemDescription
from tests.mini_kernel import Then, mini_kernel

# A loaded machine is slow, and that is no failure.
NO_CLOCK = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("no clock", **NO_CLOCK)
settings.register_profile("quick", **NO_CLOCK, max_examples=20)
settings.load_profile("no clock")

REPOSITORY = Path(__file__).resolve().parents[1]
LONGEST_FILES = (REPOSITORY / "tests" / "longest_files.txt").read_text(encoding="utf-8").split()
SLOWEST_FIRST = ("install", "qemu", "slow", "browser")
"""Marks of the files that follow the longest: workers end with files of a second each, and so together."""

REPLAYED = REPOSITORY / "tests" / "replay" / "system.toml"
"""A system whose boots were recorded: a Debian kernel and a script (tests/replay/record.py)."""


@pytest.fixture(scope="session", autouse=True)
def _private_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    # Never the user's own cache: a test that passes because of it would fail elsewhere. One for all workers, as several
    # commands of a user have one: plugins are compiled and kernels unpacked once.
    # Nor the width of whoever runs the tests, which pytest-xdist hands on.
    os.environ.pop("COLUMNS", None)
    os.environ["BOOTLAB_CACHE"] = str(_of_all_workers(tmp_path_factory) / "cache")


def _of_all_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the plugins that most boots load, compiled once for all workers."""
    place = _of_all_workers(tmp_path_factory) / "plugins"
    found = emulator.find(Machine())
    # Without a compiler there are none, and each test says for itself what it lacks.
    plugin.prepare(found, place)
    plugin.prepare_devices(found, place)
    return place / "plugin"


@pytest.fixture
def cache(tmp_path: Path, request: pytest.FixtureRequest) -> Cache:
    """Return an empty cache; for a test that boots it has copies of the plugins, which the test may spoil."""
    made = Cache(tmp_path / "cache")
    if request.node.get_closest_marker("qemu"):
        (made.root / "plugin").mkdir()
        # Another worker may compile there, in a folder of its own.
        for file in filter(Path.is_file, request.getfixturevalue("plugins").glob("*")):
            shutil.copy2(file, made.root / "plugin")
    return made


@pytest.fixture
def mini(tmp_path: Path):
    """Make a system whose kernel prints a text and does one thing."""

    def make(
        text: str,
        then: Then = "idle",
        *,
        goal: str = "GOAL",
        check: tuple[str, ...] = (),
        machine: Machine | None = None,
        limits: Limits | None = None,
        prefix: str = "\r\n",
        **options: object,
    ) -> SystemDescription:
        image = mini_kernel(
            tmp_path / f"mini-{abs(hash((prefix, text, then, str(options))))}", prefix + text, then, **options
        )
        return SystemDescription(
            name="mini",
            kernel=Kernel(image=str(image)),
            goal=Goal(console=goal),
            check=Check(console=check),
            machine=machine or Machine(memory_mib=32),
            cmdline=CommandLine.parse("console=ttyS0"),
            limits=limits or Limits(virtual_s=20, stall_virtual_s=0.3, wall_s=30, stall_wall_s=10),
        )

    return make


@pytest.fixture(scope="session")
def debian_kernel() -> Path:
    """Return the unpacked Debian cloud kernel; `make test` fetches it."""
    named = os.environ.get("BOOTLAB_KERNEL")
    kernel = Path(named) if named else REPOSITORY / ".cache" / "kernel" / "vmlinuz"
    if not kernel.exists():
        pytest.skip("no Debian kernel here; `make kernel` fetches it")
    return kernel


@pytest.fixture(scope="session")
def cases() -> Path:
    """Return the folder of real logs from public sources, which is not part of this repository."""
    named = os.environ.get("BOOTLAB_CASES")
    if not named or not Path(named).is_dir():
        pytest.skip("BOOTLAB_CASES=FOLDER names no folder of real logs (they are not part of the repository)")
    return Path(named)


def pytest_configure() -> None:
    """Take the emulators of the folder that BOOTLAB_QEMU names (scripts/fetch-qemu.sh), for `make test-qemu10`."""
    named = os.environ.get("BOOTLAB_QEMU")
    if not named:
        return
    if not (Path(named) / "qemu-system-x86_64").is_file():
        raise pytest.UsageError(f"BOOTLAB_QEMU={named}: no qemu-system-x86_64 there; see scripts/fetch-qemu.sh")
    folder = str(Path(named).resolve())
    if os.environ["PATH"].split(os.pathsep)[0] != folder:
        os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]


def pytest_report_header() -> str:
    path = shutil.which("qemu-system-x86_64")
    if path is None:
        return "qemu: none"
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return f"qemu: {version.partition(chr(10))[0]} ({path})"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = shutil.which("qemu-system-x86_64") is None
    for item in items:
        if missing and item.get_closest_marker("qemu"):
            item.add_marker(pytest.mark.skip(reason="qemu-system-x86_64 is not installed: scripts/setup-debian.sh run"))
    long = {REPOSITORY / "tests" / name: place - len(LONGEST_FILES) for place, name in enumerate(LONGEST_FILES)}
    turn: dict[Path, int] = {}
    for item in items:
        marks = [number for number, mark in enumerate(SLOWEST_FIRST) if item.get_closest_marker(mark)]
        turn[item.path] = long.get(item.path, min([*marks, turn.get(item.path, len(SLOWEST_FIRST))]))
    items.sort(key=lambda item: turn[item.path])
