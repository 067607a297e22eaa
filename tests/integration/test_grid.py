# SPDX-License-Identifier: MIT
"""A guest that waits for the second to turn: its goal says nothing, what comes before the wait does."""

from __future__ import annotations

import itertools
import subprocess

import msgspec
import pytest

from bootlab.analysis.events import Event, events_of
from bootlab.analysis.grid import holding_wait
from bootlab.api import System
from bootlab.model.verdict import Verdict
from bootlab.systemfile import load
from tests.conftest import REPOSITORY
from tests.lean_kernel import PARAMETERS

pytestmark = pytest.mark.qemu

TEXT = f"""
name = "second"
[kernel]
image = "$BOOTLAB_KERNEL"
form = "vmlinux"
cmdline = "console=ttyS0,115200 quiet {PARAMETERS} panic=5"
[initramfs.files]
"/init" = {{ source = "second", mode = "0755" }}
"/dev/console" = {{ char = [5, 1], mode = "0600" }}
[goal]
console = "second: turned"
"""


@pytest.fixture(scope="module")
def waiting(debian_kernel, tmp_path_factory):
    """Return a function that boots the guest with so many thousand turns of its loop before its wait."""
    folder = tmp_path_factory.mktemp("second")
    source = REPOSITORY / "guest/tests/second.c"
    subprocess.run(["gcc", "-Os", "-static", "-o", folder / "second", source], check=True)
    (folder / "system.toml").write_text(TEXT)
    system = load(folder / "system.toml", environ={"BOOTLAB_KERNEL": str(debian_kernel)})
    with System(system, store=folder / "store", jobs=2).bench() as bench:

        def boots(turns):
            lines = [system.cmdline.with_param("work", str(round(n))) for n in turns]
            systems = [msgspec.structs.replace(system, cmdline=line) for line in lines]
            return bench.wait_all([bench.submit(s, "second") for s in systems])

        yield boots


def waits(recording) -> list[tuple[Event, Event]]:
    """Return the neighbouring events between which the machine stood still for at least a millisecond."""
    pairs = itertools.pairwise(events_of(recording))
    return [(one, following) for one, following in pairs if following.idle_ns - one.idle_ns >= 1_000_000]


def test_a_turn_of_the_second_is_found_and_the_work_before_it_judged(waiting):
    first, second = waiting([1000, 5000])
    ((start, end),), ((later, later_end),) = waits(first), waits(second)
    assert (start.name, end.name) == ("second: waiting", "second: turned")
    per_ms = 4000 / (later.ns - start.ns) * 1e6
    assert abs(later_end.ns - end.ns) < 1_000_000, "the second turns when it turns"
    # From here the boots' work is laid around the turn of the second: some of one side just miss it.
    edge_ms = 1000 / per_ms + (end.idle_ns - start.idle_ns) / 1e6
    base = waiting([(edge_ms - 15 + d) * per_ms for d in (0, 3, -2, 1, -1)])
    late = waiting([(edge_ms + d) * per_ms for d in (-1, 4, -2, 5, 3)])
    hold = holding_wait(base, late)
    assert hold is not None
    assert (hold.kind, hold.after, hold.before) == ("jumps", "second: waiting", "second: turned")
    assert hold.period_ns == 1_000_000_000
    assert hold.verdict is Verdict.SLOWER
    assert 10_000_000 < -(hold.saved_ns or 0) < 25_000_000
    # The goals alone say that most of the later boots lost a second.
    assert sum((r.meta.goal_ns or 0) - (base[0].meta.goal_ns or 0) > 900_000_000 for r in late) == 3
