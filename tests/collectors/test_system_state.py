# SPDX-License-Identifier: MIT
"""What a booted system is, out of an agent's report, and what another one lost against it."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.collectors.system_state import SystemState, compared, on, state_of
from bootlab.model.contrast import Contrast
from bootlab.model.recording import Diagnosis, Meta, Outcome, Recording

LOG = (
    "[    0.100000] Spectre V2 : Mitigation: Retpolines",
    "[    0.100001] Spectre V2 : User space: Mitigation: STIBP via prctl",
    "[    1.000000] systemd[1]: Started camera.service - The camera.",
    "[    1.500000] WARNING: CPU: 0 PID: 1 at kernel/a.c:10 f+0x1/0x2",
)
PROC = {
    "date": "1767225603",
    "troubles": "3 ata1: reset failed after 5000 ms\n4 spare entry\n3 camera 0x1f lost",
    "route": "eth0 default\neth0 network",
    "listening": "80\n22",
    "maps": "\n".join(
        (
            "1 55-56 r-xp 00 08:01 1 /sbin/init",
            "20 55-56 r--p 00 08:01 1 /usr/bin/camera",
            "20 7f-80 r-xp 00 08:01 2 /lib/libc.so",
            "21 55-56 r-xp 00 08:01 3 /bin/busybox",
        )
    ),
}
STARTED = 1767225600


def diagnosed(log=LOG, **proc):
    recording = Recording(meta=Meta(key="k", outcome=Outcome.GOAL), lines=(), marks=())
    return Diagnosis(recording=recording, log=tuple(log), proc=PROC | proc)


def test_what_a_report_says():
    state = state_of(diagnosed())
    assert state.protections == {"Spectre V2": "Mitigation: Retpolines; User space: Mitigation: STIBP via prctl"}
    assert list(state.faults.values()) == ["WARNING: CPU: 0 PID: 1 at kernel/a.c:10 f+0x1/0x2"]
    assert list(state.errors.values()) == ["ata1: reset failed after 5000 ms", "camera 0x1f lost"]
    assert list(state.warnings.values()) == ["spare entry"]
    assert (state.units, state.programs) == ({"camera.service"}, {"camera"}), "a shell stands for anything"
    assert (state.routes, state.ports, state.date) == ({"eth0 default", "eth0 network"}, {"80", "22"}, 1767225603)


def test_a_report_that_does_not_tell_is_no_clean_log():
    state = state_of(Diagnosis(recording=diagnosed().recording))
    assert (state.protections, state.faults, state.errors, state.warnings, state.date) == (None,) * 5
    assert compared(state, state_of(diagnosed())) == (), "nothing is new against what nobody knows"
    old_agent = Diagnosis(recording=diagnosed().recording, log=LOG)
    assert state_of(old_agent).errors is None


def test_the_same_words_with_other_numbers_are_no_news():
    after = diagnosed(
        [line.replace("0x1", "0x3").replace("0.1", "0.2") for line in LOG],
        troubles=PROC["troubles"].replace("5000", "4000"),
    )
    assert compared(state_of(diagnosed()), state_of(after), started=STARTED) == ()


@pytest.mark.parametrize(
    ("changed", "kind", "subject", "before", "after"),
    [
        ({"troubles": PROC["troubles"] + "\n3 no clock"}, "error", "no clock", "", "new"),
        ({"troubles": PROC["troubles"] + "\n4 slow clock"}, "warning", "slow clock", "", "new"),
        ({"route": "eth0 network"}, "network", "eth0 default", "has a route", "has none"),
        ({"listening": "22"}, "network", "TCP port 80", "somebody listens", "nobody listens"),
        ({"maps": ""}, "program", "camera", "runs", "does not run"),
        ({"date": "3"}, "clock", "date", "right", "3 s since 1970"),
    ],
)
def test_each_loss(changed, kind, subject, before, after):
    found = compared(state_of(diagnosed()), state_of(diagnosed(**changed)), started=STARTED)
    assert found == (Contrast(kind=kind, subject=subject, before=before, after=after),)
    assert compared(state_of(diagnosed(**changed)), state_of(diagnosed()), started=STARTED) == () or kind == "program"


def test_what_protects_the_kernel_no_more():
    log = [line for line in LOG if "Spectre" not in line] + ["[    2.000000] x86/mm: Checked W+X mappings: passed"]
    found = compared(state_of(diagnosed()), state_of(diagnosed(log)))
    before = "Mitigation: Retpolines; User space: Mitigation: STIBP via prctl"
    assert found == (
        Contrast(kind="protection", subject="Spectre V2", before=before),
        Contrast(kind="protection", subject="W+X mappings", after="passed"),
    )
    assert not any(one.refused for one in found), "whether it is a loss is for people to judge"


def test_an_oops_and_a_unit():
    log = [*(line for line in LOG if "systemd" not in line), "[    2.000000] systemd[1]: Started b.service - B."]
    found = compared(state_of(diagnosed()), state_of(diagnosed([*log, "[    3.000000] kernel BUG at mm/slub.c:12!"])))
    assert [(one.kind, one.subject) for one in found] == [
        ("kernel fault", "kernel BUG at mm/slub.c:12!"),
        ("unit", "camera.service"),
    ]
    assert all(one.refused for one in found)


def test_what_is_up_at_any_moment_is_up():
    early = SystemState(programs=frozenset({"once"}), errors={"e": "e"}, date=3)
    late = SystemState(programs=frozenset({"camera"}), ports=frozenset({"80"}), date=9)
    assert on((early, late)) == msgspec.structs.replace(
        early, programs=frozenset({"once", "camera"}), ports=frozenset({"80"})
    )
