# SPDX-License-Identifier: MIT
"""First boots apart from later ones, sums of the same parts, and texts as CI's machines print them."""

from __future__ import annotations

import io
import json
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.api.history import gate, measured
from bootlab.errors import UserError
from bootlab.history.boot_times import FIRST_BOOT, FIRST_SHOWN, WHOLE, BootTimes, Side
from bootlab.history.of_log import of_text
from bootlab.views.gate.text import sentence
from tests.examples import examples
from tests.history.boots import times

TIME = "Startup finished in {0:.3f}s (kernel) + 4.000s (userspace) = {1:.3f}s \n"
EARLY = (
    "Bootup is not yet finished (org.freedesktop.systemd1.Manager.FinishTimestampMonotonic=0).\n"
    "Please try again later.\nHint: Use 'systemctl list-jobs' to see active jobs\n"
)
WIZARD = "systemd-firstboot.service - First Boot Wizard was skipped because of an unmet condition check ({0})."


def told(kernel_s: float, *behind: str) -> bytes:
    return (TIME.format(kernel_s, kernel_s + 4) + "".join(line + "\n" for line in behind)).encode()


def boot(total_ms: float, first: bool | None) -> BootTimes:
    facts = {} if first is None else {FIRST_BOOT: "yes" if first else "no", FIRST_SHOWN: "a unit"}
    return msgspec.structs.replace(times(total_ms, key=str(total_ms)), facts=facts)


def side(*boots: BootTimes, name: str = "new") -> Side:
    return Side(name=name, boots=boots)


def journal(*messages: tuple[float, str, str]) -> bytes:
    lines = [
        {
            "__REALTIME_TIMESTAMP": str(1_700_000_000_000_000 + round(second * 1e6)),
            "__MONOTONIC_TIMESTAMP": str(round(second * 1e6)),
            "_BOOT_ID": "0" * 31 + "1",
            "SYSLOG_IDENTIFIER": who,
            "_PID": "1",
            "_TRANSPORT": "kernel" if who == "kernel" else "journal",
            "MESSAGE": text,
        }
        for second, who, text in messages
    ]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


BOOT = ((0, "kernel", "Linux version 6.1.0 (a@b) #1 SMP"), (2, "systemd", "systemd 252 running in system mode"))
END = (9.0, "systemd", "Startup finished in 2.000s (kernel) + 7.000s (userspace) = 9.000s.")


def test_units_and_lines_tell_a_first_boot() -> None:
    (first,) = of_text(told(2.0, "3.100s docker.service", "1.200s systemd-machine-id-commit.service"), "log")
    assert first.first
    assert first.facts[FIRST_SHOWN] == "systemd-machine-id-commit.service"
    (unknown,) = of_text(told(2.0, "3.100s docker.service"), "log")
    assert unknown.first is None
    (first,) = of_text(journal(*BOOT, (2.1, "systemd", "Detected first boot."), END), "journal")
    assert first.first
    (later,) = of_text(journal(*BOOT, (3, "systemd", WIZARD.format("ConditionFirstBoot=yes")), END), "journal")
    assert later.first is False


def test_a_journal_has_systemds_sum_where_it_shows_no_first_use() -> None:
    (boot,) = of_text(journal(*BOOT, END), "journal")
    assert boot.values["total"] == 9_000_000_000
    assert boot.facts[WHOLE] == "systemd's sum of kernel + userspace"
    (goal,) = of_text(journal(*BOOT, END), "journal", goal="never printed")
    assert "total" not in goal.values


def test_what_had_not_finished_is_undecided() -> None:
    (early,) = of_text(EARLY.encode(), "log")
    assert early.not_measured == {"total": "systemd had not finished starting when it was asked"}
    assert early.unfinished
    found = gate(side(early), budget=["total=9s"])
    assert found.answer.value == "undecided"
    assert "had not finished" in found.budgets[0].why


def test_a_first_boot_among_later_ones_is_left_out_and_said() -> None:
    new = side(boot(90_000, True), *(boot(10_000 + n, None) for n in range(5)))
    found = gate(new, budget=["total=20s"])
    assert (found.answer.value, found.boots[1]) == ("passed", 5)
    assert found.odd[0].startswith("new: 1 of 6 boots is a first boot (shown by a unit) and left out; --first-boot")
    assert gate(new, budget=["total=20s"], first_boot=True).budgets[0].median_ns == 90_000_000_000


def test_first_boots_alone_are_judged_but_not_against_later_ones() -> None:
    fresh = side(*(boot(50_000 + n, True) for n in range(5)))
    assert gate(fresh, budget=["total=60s"]).answer.value == "passed"
    later = side(*(boot(10_000 + n, False) for n in range(5)), name="base")
    found = gate(fresh, later)
    assert found.answer.value == "undecided"
    assert "the boots of new are first boots, those of base later ones" in sentence(found)
    with pytest.raises(UserError, match="base: no boot is shown to be its system's first one"):
        gate(fresh, later, first_boot=True)


def test_sums_of_other_parts_are_not_compared() -> None:
    (whole,) = of_text(b"Startup finished in 5s (firmware) + 2s (kernel) + 4s (userspace) = 11s\n", "log")
    (less,) = of_text(told(2.0), "log")
    found = gate(side(whole), side(less, name="base"))
    assert found.total is not None
    assert "the whole boot does not mean the same" in found.total.why


def test_an_answer_says_how_often_noise_does_that() -> None:
    base = side(*(boot(10_000 + n, None) for n in range(5)), name="base")
    slower = gate(side(*(boot(12_000 + n, None) for n in range(5))), base, budget=["total=13s"])
    assert sentence(slower).startswith(
        "failed: new: slower than base by 2000.0 ms (20.0 %); noise alone does that in 8 of"
    )
    assert slower.budgets[0].why == "5 of 5 boots are within it; noise alone does that in at most 31 of 1000 cases"


def test_standard_input_may_hold_several(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    class Input:
        buffer = io.BytesIO(told(2.0) + told(2.5, "1.0s a.service"))

    monkeypatch.setattr(sys, "stdin", Input)
    assert measured("-", store=tmp_path).values_ns("kernel") == (2_000_000_000, 2_500_000_000)


NOISE = st.sampled_from(
    (
        "Warning: Permanently added 'vm' (ED25519) to the list of known hosts.",
        "bash: warning: setlocale: LC_ALL: cannot change locale (de_DE.UTF-8)",
        "Connection to vm closed.",
        "** WARNING: connection is not using a post-quantum key exchange algorithm.",
        "",
    )
)


@examples(40)
@given(
    st.lists(NOISE, max_size=3), st.lists(NOISE, max_size=3), st.sampled_from(("\n", "\r\n")), st.integers(100, 9999)
)
def test_noise_around_the_text_changes_nothing(before: list[str], behind: list[str], end: str, ms: int) -> None:
    text = told(ms / 1000).decode().replace("\n", end)
    raw = end.join([*before, text, *behind]).encode()
    (boot,) = of_text(raw, "log")
    assert boot.values["kernel"] == ms * 1_000_000
    assert boot.values["total"] == (ms + 4000) * 1_000_000


@examples(40)
@given(st.integers(0, 400))
def test_a_text_that_is_cut_anywhere_never_says_another_time(length: int) -> None:
    whole = told(2.345, "3.100s docker.service", "1.200s systemd-machine-id-commit.service")
    try:
        boots = of_text(whole[:length], "log")
    except UserError:
        return
    for boot in boots:
        assert boot.values.get("kernel", 2_345_000_000) == 2_345_000_000
