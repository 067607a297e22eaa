# SPDX-License-Identifier: MIT
"""Events and stages of a recording are computed once, however many trials it is compared in."""

from __future__ import annotations

from collections import Counter

import pytest

import bootlab
from bootlab.analysis import events, stages
from tests.conftest import REPLAYED
from tests.mini_kernel import mini_kernel


@pytest.fixture
def computed(monkeypatch):
    """Return what was computed of which recording, and how often."""
    counted = Counter()

    def counting(what, real):
        def computing(recording, *others):
            # With another goal it is another recording.
            counted[what, recording.path, recording.meta.goal_ns, *others] += 1
            return real(recording, *others)

        return computing

    monkeypatch.setattr(events, "_found_events", counting("events", events._found_events))
    monkeypatch.setattr(stages, "_found_stages", counting("stages", stages._found_stages))
    return counted


def once_each(computed) -> bool:
    assert {what: count for what, count in computed.items() if count > 1} == {}
    return {"stages", "events"} <= {what for what, *_ in computed}


def test_a_boot(computed, tmp_path):
    assert bootlab.System.load(REPLAYED, store=tmp_path / "store").boot().stages
    assert not once_each(computed), "nobody asks for the events of one boot"


def test_trials(computed, tmp_path):
    system = bootlab.System.load(REPLAYED, store=tmp_path / "store")
    assert system.try_("quiet", "lpj-preset").trials
    assert once_each(computed)
    # Base and variant under dithers: each of them was in several comparisons.
    assert len({path for _, path, *_ in computed}) > 4


@pytest.mark.qemu
@pytest.mark.parametrize("verb", ["stack", "optimize"])
def test_a_search(verb, computed, tmp_path):
    image = mini_kernel(tmp_path / "kernel", "begin\r\n", "idle", text_after="GOAL\r\n", obeys=True)
    file = tmp_path / "small.toml"
    file.write_text(
        f'name = "small"\n[machine]\nmemory_mib = 32\n[kernel]\nimage = "{image}"\n'
        'cmdline = "console=ttyS0 wwww"\n[goal]\nconsole = "GOAL"\n'
    )
    getattr(bootlab.System.load(file, store=tmp_path / "store"), verb)()
    assert once_each(computed)
