# SPDX-License-Identifier: MIT
"""A processor is modelled beside a real boot, and watching it changes nothing."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.api import System
from bootlab.costs.named import costs_of

pytestmark = pytest.mark.qemu


@pytest.mark.timeout(900)
def test_a_costing_boot_is_the_timing_boot_and_costs_each_of_its_stages(small, tmp_path):
    system = System(small, store=tmp_path / "store", cache=tmp_path / "cache", jobs=1)
    # It raises when the plugin moved the goal by an instruction.
    boot, costing = system.boot_costed("x86-small@2GHz")
    assert costing is not None
    whole, meta = costing.whole, boot.recording.meta
    assert meta.goal_insns is not None
    assert abs(whole.instructions - meta.goal_insns) < 1 << 18
    assert [stage.name for stage in costing.stages] == [stage.name for stage in boot.stages]
    assert sum(stage.computed_ns.low for stage in costing.stages) == pytest.approx(whole.computed_ns.low, rel=1e-6)
    # Between four instructions a cycle and one in ten cycles: else the model is of no processor.
    assert 0.125 < whole.instruction_ns.low <= whole.instruction_ns.high < 5
    assert sum(whole.classes.values()) == pytest.approx(whole.instructions, rel=0.01)
    assert whole.events["accesses"] > whole.events["l1d misses"] > whole.events["l2 misses"] > 0
    # Costs that name a core take its time from the same boot.
    costs = msgspec.structs.replace(small, costs=costs_of("sd-card-20MB,115200,x86-small@2GHz"))
    judged = System(costs, store=tmp_path / "store", cache=tmp_path / "cache", jobs=1)
    with judged.bench():
        assert judged.value.costs is not None
        assert judged.value.costs.core is not None
        assert judged.value.costs.core.instruction_ns == whole.instruction_ns
