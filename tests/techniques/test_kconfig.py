# SPDX-License-Identifier: MIT
"""Names of options held against the Kconfig files of real kernels, for the versions whose sources are installed."""

import functools
import os
import re
import tarfile
from pathlib import Path

import pytest

from bootlab.model.recording import Meta, Recording
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.techniques.base import Context
from bootlab.techniques.option import OptionTechnique
from bootlab.techniques.registry import BUILT_IN
from bootlab.techniques.scope import kernel_range
from tests.conftest import REPOSITORY

SOURCES = [Path("/usr/src"), *map(Path, filter(None, os.environ.get("BOOTLAB_LINUX_SOURCES", "").split(":")))]
ARCHIVES = {
    tuple(map(int, found[1].split("."))): path
    for folder in SOURCES
    for path in sorted(folder.glob("linux-source-*.tar.xz"))
    if (found := re.fullmatch(r"linux-source-(\d+\.\d+)\.tar\.xz", path.name))
}
CONFIG = re.compile(rb"^\s*(?:menu)?config\s+(\w+)", re.MULTILINE)


LITERAL = re.compile(r"\bCONFIG_([A-Z0-9][A-Za-z0-9_]*[A-Za-z0-9])\b")
LATER = {"CRYPTO_SELFTESTS"}
"""Options of kernels after 6.1 (6.16: in place of CRYPTO_MANAGER_DISABLE_TESTS)."""
GONE = {
    "RANDOM_TRUST_CPU": (6, 2),
    "DEBUG_TIMEKEEPING": (6, 12),
    "CRYPTO_MANAGER_DISABLE_TESTS": (6, 16),
    "SCHED_DEBUG": (6, 15),
    "PROC_SYSCTL": (7, 3),
    "DEBUG_FORCE_WEAK_PER_CPU": (7, 3),
    # KUnit tests now, which CONFIG_KUNIT=n of the same technique leaves out.
    "GLOB_SELFTEST": (7, 3),
    "CRC32_SELFTEST": (7, 3),
    "RANDOM32_SELFTEST": (7, 3),
    "DMABUF_SELFTESTS": (7, 3),
    "IOMMU_IO_PGTABLE_LPAE_SELFTEST": (7, 3),
}
"""Options that a kernel lost, and the first version that is known to be without: nothing to switch off there."""
EXAMPLES = {"X", "NAME"}
"""What comments call any option."""


@functools.cache
def names_of(archive: Path) -> set[str]:
    names: set[str] = set()
    with tarfile.open(archive, "r|xz") as tar:
        for member in tar:
            if member.isfile() and Path(member.name).name.startswith("Kconfig"):
                file = tar.extractfile(member)
                names |= {found.decode() for found in CONFIG.findall(file.read() if file else b"")}
    return names


@pytest.mark.slow
@pytest.mark.skipif(not ARCHIVES, reason="no kernel source: apt-get install linux-source-6.1")
@pytest.mark.parametrize("version", ARCHIVES, ids=lambda version: ".".join(map(str, version)))
def test_every_option_of_a_row_is_one_of_the_kernel(version):
    known = names_of(ARCHIVES[version])
    assert len(known) > 10_000
    system = SystemDescription(name="none", kernel=Kernel(image=""), goal=Goal(console=""))
    context = Context(system=system, recording=Recording(meta=Meta(), lines=(), marks=()), kernel_version=version)
    unknown = []
    for technique in BUILT_IN:
        if isinstance(technique, OptionTechnique) and kernel_range(technique.kernels).holds(version):
            asked = [name for name, _ in technique.wanted(context)]
            missing = [name for name in (*asked, *technique.only_if, *technique.held_by) if name not in known]
            # What a longer list switches off may be gone; what is switched on, or is all that it does, must be there.
            lost = {name for name in missing if version >= GONE.get(name, (99,))}
            off = {name for name, value in technique.wanted(context) if value == "n"}
            if set(missing) - (lost & off) or not known.intersection(asked):
                unknown.append(f"{technique.id}: {', '.join(missing)}")
    assert unknown == []


@pytest.mark.slow
@pytest.mark.skipif((6, 1) not in ARCHIVES, reason="no kernel source: apt-get install linux-source-6.1")
@pytest.mark.parametrize("version", ARCHIVES, ids=lambda version: ".".join(map(str, version)))
def test_every_option_that_the_code_names_is_one_of_the_kernel(version):
    named = {
        name: path.relative_to(REPOSITORY)
        for path in sorted((REPOSITORY / "python/bootlab").rglob("*.py"))
        if "loader" not in path.parts  # U-Boot has options of its own
        for name in LITERAL.findall(path.read_text(encoding="utf-8"))
    }
    assert len(named) > 60
    known = names_of(ARCHIVES[version]) | EXAMPLES | {name for name, last in GONE.items() if version >= last}
    known |= LATER if version < (6, 16) else set()
    unknown = {name: path for name, path in named.items() if name not in known}
    assert unknown == {}
