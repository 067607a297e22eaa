# SPDX-License-Identifier: MIT
"""A named technique whose compiler is missing is refused before anything is booted."""

from __future__ import annotations

import shutil

import msgspec
import pytest

from bootlab.errors import ToolMissing
from bootlab.experiments.bench import Bench
from bootlab.experiments.campaign import stack, try_each
from bootlab.experiments.selection import Selection
from bootlab.experiments.trials import require_tools
from bootlab.model.program import Program
from bootlab.model.system import Kernel, KernelBuild
from bootlab.techniques import get
from tests.experiments.fake_bench import SYSTEM, FakeTarget, additive

BUILT = msgspec.structs.replace(
    SYSTEM, kernel=Kernel(image="", build=KernelBuild(source="6.1", prebuilt="/boot/vmlinuz"))
)


@pytest.fixture
def without(monkeypatch):
    """Take one program off the path."""
    which = shutil.which

    def take(missing: str) -> None:
        monkeypatch.setattr(shutil, "which", lambda name, *a, **k: None if name == missing else which(name) or name)

    return take


@pytest.mark.parametrize("tool", ["bison", "flex", "make"])
def test_a_tool_that_every_kernel_needs(without, tool, tmp_path):
    without(tool)
    target = FakeTarget(additive(100))
    bench = Bench(target, tmp_path / "store", jobs=1)
    with pytest.raises(ToolMissing, match=f"^{tool} is not installed; it is needed to build a kernel") as caught:
        try_each(bench, BUILT, (get("proc-off"),), None, forced=True)
    assert "install" in caught.value.hint
    with pytest.raises(ToolMissing, match=f"^{tool} is not installed"):
        stack(bench, BUILT, Selection(ids=("proc-off",)), None)
    assert target.booted == [], "nothing was booted"


def test_what_builds_nothing_needs_none(without):
    without("bison")
    require_tools(BUILT, (get("quiet"),))
    require_tools(SYSTEM, (get("proc-off"),))


def test_the_compiler_of_the_programs(without):
    program = Program(path="/usr/bin/app", sources=(), compiler="none-such-")
    system = msgspec.structs.replace(SYSTEM, programs=(program,))
    without("none-such-gcc")
    with pytest.raises(ToolMissing, match=r"^none-such-gcc is not installed"):
        require_tools(system, (get("static-linking"),))
