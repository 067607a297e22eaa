# SPDX-License-Identifier: MIT
"""Boots the way from the base to the result: each prefix of the final stack once."""

from __future__ import annotations

import itertools

from bootlab.experiments.base import Base
from bootlab.experiments.bench import Bench
from bootlab.experiments.trial import require_told, why_broken
from bootlab.model.change import Change, apply_all
from bootlab.model.waterfall import Bar


def waterfall(bench: Bench, base: Base, changes: tuple[Change, ...]) -> tuple[Bar, ...]:
    """Return the bars, in the order of taking. Neighbours that build the kernel are one bar: a build takes minutes."""
    groups: list[tuple[Change, ...]] = []
    for change in changes:
        if groups and _builds(base, change) and _builds(base, groups[-1][-1]):
            groups[-1] = (*groups[-1], change)
        else:
            groups.append((change,))
    prefixes = (tuple(itertools.chain(*groups[:count])) for count in range(1, len(groups) + 1))
    systems = [apply_all(base.system, prefix) for prefix in prefixes]
    bench.phase("waterfall", len(systems))
    labels = [f"waterfall {number}" for number in range(1, len(systems) + 1)]
    bench.build_ahead(systems)
    recordings = bench.wait_all([bench.submit(system, label) for system, label in zip(systems, labels, strict=True)])
    bars: list[Bar] = []
    before_ns = base.recording.meta.goal_ns
    if before_ns is None:
        # Without the time of the base there is nothing that a bar could begin at.
        return ()
    for group, label, recording in zip(groups, labels, recordings, strict=True):
        require_told(why_broken(base.recording, recording), label)
        after_ns = recording.meta.goal_ns if recording.ok else None
        ids = tuple(change.id for change in group)
        bars.append(Bar(changes=ids, before_ns=before_ns, after_ns=after_ns, key=recording.meta.key))
        before_ns = before_ns if after_ns is None else after_ns
    return tuple(bars)


def _builds(base: Base, change: Change) -> bool:
    return change.apply(base.system).kernel.build != base.system.kernel.build
