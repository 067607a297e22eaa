# SPDX-License-Identifier: MIT
"""What a boot in falcon mode must show beside the same boot through U-Boot."""

from collections.abc import Sequence

from bootlab.analysis.stages import stages_of
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.techniques.base import Evidence
from bootlab.techniques.registry import get


def assert_falcon(
    normal: tuple[SystemDescription, Recording],
    falcon: tuple[SystemDescription, Recording],
    again: Recording,
    *,
    first: Sequence[str],
) -> None:
    """Assert that U-Boot stayed away, the technique's own check says so, and the boot, shorter, is the same `again`.

    `first`: the names of the falcon boot's first stages.
    """
    (system, before), (changed, after) = normal, falcon
    assert before.mark("u-boot") is not None
    assert b"\nU-Boot 2" in before.console
    assert after.mark("u-boot") is None
    assert b"\nU-Boot 2" not in after.console
    effect = get("falcon-mode").took_effect(
        Evidence(system=system, recording=before), Evidence(system=changed, recording=after)
    )
    assert effect.shown, effect
    assert after.meta.goal_ns < before.meta.goal_ns
    stages = stages_of(after)
    assert [stage.name for stage in stages][: len(first)] == list(first)
    assert sum(stage.duration_ns for stage in stages) == after.meta.goal_ns
    assert (again.marks, again.console) == (after.marks, after.console)
