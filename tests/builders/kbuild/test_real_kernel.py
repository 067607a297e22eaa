# SPDX-License-Identifier: MIT
"""A real kernel in two folders, once out of another one's objects: the same bytes. Minutes: only when asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import KernelBuilder
from bootlab.builders.kbuild.source import debian_archive
from bootlab.model.system import KernelBuild

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("BOOTLAB_BUILD_KERNELS") or not debian_archive("6.1").is_file(),
        reason="builds kernels: set BOOTLAB_BUILD_KERNELS=1 and run scripts/setup-debian.sh kernels",
    ),
    # Three builds and the unpacked source; more on a machine that is busy.
    pytest.mark.timeout(3600),
]


def test_two_ways_to_a_kernel_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCACHE_DISABLE", "1")
    # objtool checks every object for ORC, and is newer than all of them once it is built again.
    small = KernelBuild(options=(("64BIT", "y"), ("UNWINDER_ORC", "y")))
    changed = small.with_options((("BINFMT_SCRIPT", "y"),))
    first = KernelBuilder(Cache(tmp_path / "one"))
    base = first.build(small, "x86_64")
    variant = first.build(changed, "x86_64")
    alone = KernelBuilder(Cache(tmp_path / "another" / "place")).build(changed, "x86_64")
    assert (base.folder / "config").read_text().count("CONFIG_UNWINDER_ORC=y") == 1
    assert 0 < variant.facts.objects_built * 20 < base.facts.objects_built
    for name in ("bzImage", "vmlinux", "System.map", "config"):
        assert (variant.folder / name).read_bytes() == (alone.folder / name).read_bytes(), name
