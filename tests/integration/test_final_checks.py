# SPDX-License-Identifier: MIT
"""A final check in a real machine: it runs there, and a result that fails it gets back what the check needs."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.cache import Cache, default_folder
from bootlab.collectors.system_state import state_of
from bootlab.experiments.base import establish
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.final import FinalChecks
from bootlab.experiments.optimize.sanity import Sanity
from bootlab.experiments.stacked import Stacked
from bootlab.model.change import Change, DropFiles, SetParam
from bootlab.model.system import Initramfs
from bootlab.model.tree import Entry
from bootlab.targets.qemu import QemuTarget
from tests.collectors.test_check_command import small


@pytest.mark.qemu
def test_a_file_that_only_the_final_check_reads_comes_back(debian_kernel: Path, tmp_path: Path):
    if shutil.which("busybox") is None:
        pytest.skip("no static busybox here: scripts/setup-debian.sh run")
    system = small(str(debian_kernel), ())
    assert system.tree is not None
    tree = system.tree.put("/etc/idle", Entry(kind="file", mode=0o644, text="never used\n"))
    system = msgspec.structs.replace(system, initramfs=Initramfs(tree=tree, compression="none"))
    slim = Change(technique="initramfs-slim", ops=(DropFiles(("/etc/idle", "/etc/rare")),))
    with Bench(QemuTarget(Cache(default_folder())), tmp_path / "store", jobs=1) as bench:
        base = establish(bench, system, diagnostic=False)
        final = FinalChecks(bench, base, ("/bin/busybox cat /etc/rare",))
        result = bench.boot(slim.apply(system), "result")
        assert result.ok, "the goal does not need the files"
        stacked = Stacked(changes=(slim,), steps=(), left_out=(), recording=result, boots=(result,))
        passed = final.passed(stacked, lambda: "")
    assert "'/bin/busybox cat /etc/rare' ended with 1, in the base with 0" in passed.back["initramfs-slim"]
    (change,) = passed.stacked.changes
    assert change.ops == (DropFiles(("/etc/idle",)),)
    assert set(passed.kept) == {"/etc/rare"}
    assert passed.stacked.recording.ok


@pytest.mark.qemu
@pytest.mark.telling("broken is not faster")
def test_a_machine_that_stays_on_and_a_kernel_without_mitigations_are_told(debian_kernel: Path, tmp_path: Path):
    if shutil.which("busybox") is None:
        pytest.skip("no static busybox here: scripts/setup-debian.sh run")
    system = small(str(debian_kernel), ())
    changed = Change(technique="acpi-off", ops=(SetParam("acpi", "off"), SetParam("mitigations", "off")))
    with Bench(QemuTarget(Cache(default_folder())), tmp_path / "store", jobs=1) as bench:
        base = establish(bench, system)
        assert base.diagnosis is not None
        before = state_of(base.diagnosis)
        result = bench.boot(changed.apply(system), "result")
        sanity = Sanity(bench, base, lambda _change: False)
        found = sanity.contrasts(changed.apply(system), result, "result", (changed,))
        assert sanity.contrasts(system, base.recording, "base", ()) == (), "a system is like itself"
    assert before.date is not None
    assert before.date >= 1767225600, "the clock began at 2026-01-01"
    assert (before.faults, before.errors) == ({}, {})
    (stays_on,) = [one for one in found if one.kind == "power-off"]
    assert stays_on.refused
    # Until 6.1 "reboot: System halted"; 6.12 says that it cannot power off, too.
    assert "System halted" in stays_on.after
    lost = {one.subject: one.before for one in found if one.kind == "protection"}
    assert "Mitigation: Retpolines" in lost["Spectre V2"]
    assert sanity.unchecked == []
