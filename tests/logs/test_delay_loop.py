# SPDX-License-Identifier: MIT
"""The delay loop out of logs of all kinds, and whether a stored value fits another boot."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.errors import UserError
from bootlab.logs.delay_loop import RATES_HZ, rate_hz, read_console
from bootlab.logs.lpj_value import TOLERANCE, stored_from, validate

HEAD = """\
[    0.000000] Booting Linux on physical CPU 0x0
[    0.000000] Linux version 6.1.192 (bootlab@bootlab) (gcc 12.2.0) #1 Thu Jan  1 00:00:00 UTC 2026
[    0.000000] CPU: ARMv7 Processor [410fc090] revision 0 (ARMv7), cr=10c5387d
[    0.000000] OF: fdt: Machine model: V2P-CA9
[    0.000000] Kernel command line: console=ttyAMA0 {words}
[    0.000003] sched_clock: 32 bits at 24MHz, resolution 41ns, wraps every 89478484971ns
"""
TAIL = """\
[    0.151729] CPU: Testing write buffer coherency: ok
[    0.761400] Run /init as init process
"""
# QEMU's vexpress-a9 in exact mode, shift 4, HZ=100.
CALIBRATED = "[    0.061612] Calibrating delay loop... 62.25 BogoMIPS (lpj=311296)\n"
PRESET = "[    0.061612] Calibrating delay loop (skipped) preset value.. 62.25 BogoMIPS (lpj=311296)\n"
COMPUTED = (
    "[    0.001000] Calibrating delay loop (skipped), value calculated using timer frequency.. "
    "125.00 BogoMIPS (lpj=625000)\n"
)


def log(line: str, words: str = "panic=-1", **replaced: str) -> bytes:
    text = HEAD.format(words=words) + line + TAIL
    for old, new in replaced.items():
        text = text.replace({"model": "V2P-CA9", "cpu": "410fc090"}[old], new)
    return text.encode()


def found(line: str = CALIBRATED, words: str = "panic=-1", **replaced: str):
    return read_console(log(line, words, **replaced), "boot")


def bogomips(lpj: int, hz: int) -> str:
    """As calibrate_delay() prints it."""
    return f"{lpj // (500000 // hz)}.{lpj // (5000 // hz) % 100:02d}"


def measured(lpj: int, hz: int = 100, **replaced: str):
    return found(f"[    0.061612] Calibrating delay loop... {bogomips(lpj, hz)} BogoMIPS (lpj={lpj})\n", **replaced)


def test_a_calibration_with_its_cost_and_its_machine():
    value = found()
    assert (value.source, value.lpj, value.hz, value.cost_ns) == ("measured", 311296, 100, 90_117_000)
    assert value.kernel == "6.1.192"
    assert value.board.model == "V2P-CA9"
    assert "410fc090" in value.board.cpu
    assert "24MHz" in value.board.clock


def test_a_preset_has_no_cost_and_the_last_one_asked_for_counts():
    value = found(PRESET, "lpj=1 lpj=311296")
    assert (value.source, value.cost_ns, value.asked) == ("preset", None, "311296")


def test_a_computed_value_was_not_measured():
    assert found(COMPUTED).source == "computed"


def test_a_log_without_the_line_says_what_to_give():
    with pytest.raises(UserError) as raised:
        found("")
    assert "quiet" in raised.value.hint


@given(st.sampled_from(RATES_HZ), st.integers(min_value=1, max_value=2**31))
def test_the_rate_follows_from_what_the_kernel_prints(hz, lpj):
    assert rate_hz(lpj, float(bogomips(lpj, hz))) in {hz, None}


@pytest.mark.parametrize("hz", RATES_HZ)
def test_the_rate_of_a_fast_machine_is_certain(hz):
    assert rate_hz(7_864_320, float(bogomips(7_864_320, hz))) == hz


def test_no_rate_of_nonsense():
    assert rate_hz(0, 1.0) is None
    assert rate_hz(311296, 5000.0) is None


@given(st.integers(min_value=-1, max_value=1))
def test_one_last_step_either_way_still_fits(steps):
    said = validate(stored_from(found(), origin="a"), measured(round(311296 * (1 + steps / 256))))
    assert said.judgement == "fits"
    assert said.use == 311296


@pytest.mark.parametrize(("lpj", "word"), [(622592, "too short"), (155648, "too long"), (315_000, "too short")])
def test_another_clock_is_seen_with_what_it_does(lpj, word):
    said = validate(stored_from(found(), origin="a"), measured(lpj))
    assert said.judgement == "clock-changed"
    assert word in said.reason
    assert said.use == lpj


def test_another_rate_scales_the_value():
    said = validate(stored_from(found(), origin="a"), measured(31_130, hz=1000))
    assert (said.judgement, said.expected, said.use) == ("rate-changed", 31130, 31_130)


def test_more_ticks_leave_the_loop_a_smaller_share_and_never_a_larger_one():
    # Booted: HZ=1000 on the same emulated machine.
    assert validate(stored_from(found(), origin="a"), measured(30464, hz=1000)).judgement == "rate-changed"
    assert validate(stored_from(measured(30464, hz=1000), origin="a"), found()).judgement == "rate-changed"
    assert validate(stored_from(found(), origin="a"), measured(31_800, hz=1000)).judgement == "clock-changed"


def test_another_rate_and_another_clock_is_another_clock():
    assert validate(stored_from(found(), origin="a"), measured(62_000, hz=1000)).judgement == "clock-changed"


@pytest.mark.parametrize("replaced", [{"model": "V2P-CA15"}, {"cpu": "412fc0f1"}])
def test_another_board_is_named(replaced):
    said = validate(stored_from(found(), origin="a"), measured(311296, **replaced))
    assert said.judgement == "wrong-board"
    assert next(iter(replaced.values())) in said.reason


def test_another_emulated_machine_is_another_board():
    stored = stored_from(found(), origin="a", machine="QEMU vexpress-a9 cortex-a9")
    assert validate(stored, found(), machine="QEMU vexpress-a15 cortex-a15").judgement == "wrong-board"
    assert validate(stored, found()).fits


@pytest.mark.parametrize("line", [PRESET, COMPUTED])
def test_what_was_not_measured_judges_nothing(line):
    said = validate(stored_from(found(), origin="a"), found(line))
    assert said.judgement == "cannot-tell"
    assert not said.fits


def test_the_tolerance_is_two_steps_and_can_be_given():
    assert pytest.approx(0.0078125) == TOLERANCE
    stored = stored_from(found(), origin="a")
    assert validate(stored, measured(320_000), tolerance=0.05).fits
    assert not validate(stored, measured(312_000), tolerance=0.001).fits


def test_a_value_of_a_kernel_with_an_unknown_rate_is_compared_as_it_is():
    stored = msgspec.structs.replace(stored_from(found(), origin="a"), hz=None)
    assert validate(stored, found()).fits
