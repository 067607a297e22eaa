# SPDX-License-Identifier: MIT
"""A stored value of loops per jiffy with where it came from, and whether it still fits a machine.

How far two calibrations of one machine may differ: `calibrate_delay_converge()` adds halves of a step as long as they
are larger than 2^-LPS_PREC (LPS_PREC is 8) of its first, too small bound, and drops those that pass the tick. What it
returns is below the true value by up to one last step. Two of them can therefore differ by 2^-8 either way, and the
work of the tick itself, which is not the same in two kernels, is a part of the tick that the loop does not get: one
more step for it.

With another HZ the value scales with 1/HZ but for that work: the loop gets 1/HZ minus the tick's work, so that more
ticks a second leave it a smaller share and never a larger one. On the emulated vexpress-a9 (62 MIPS) the work is 24
microseconds, 2 % of a tick at HZ=1000.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.logs.delay_loop import DelayLoop, LogMachine

LPS_PREC_BITS = 8
"""init/calibrate.c: LPS_PREC."""

TOLERANCE = 2 * 2.0**-LPS_PREC_BITS
"""Relative difference of two calibrations on one machine at one clock and tick rate: 0.78 %."""

TICK_WORK_S = 50e-6
"""What a tick's own work may take where two tick rates are compared: twice what a processor of 62 MIPS spends on it."""

Judgement = Literal["fits", "clock-changed", "rate-changed", "wrong-board", "cannot-tell"]


class StoredLpj(msgspec.Struct, frozen=True, kw_only=True):
    """`lpj.json`: a calibrated value, the tick rate of its kernel, and the machine as the kernel's log names it.

    `machine` is QEMU's type and processor where the value came from an emulated boot, with `shift` its clock.
    """

    format: str = "bootlab-lpj"
    version: int = 2
    lpj: int
    hz: int | None
    kernel: str
    board: LogMachine
    machine: str = ""
    shift: int | None = None
    cost_ns: int | None = None
    origin: str = ""


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a stored value fits. `expected`: the stored value at the measured kernel's tick rate.

    `ratio`: measured over expected; above 1 the machine became faster, and delays with the stored value come out too
    short. `tolerance` is relative. `use`: the value to store now; None where nothing was measured.
    """

    judgement: Judgement
    reason: str
    tolerance: float
    expected: int | None = None
    measured: int | None = None
    ratio: float | None = None
    use: int | None = None

    @property
    def fits(self) -> bool:
        """Tell whether the stored value can be used as it is."""
        return self.judgement == "fits"


def stored_from(found: DelayLoop, *, origin: str, machine: str = "", shift: int | None = None) -> StoredLpj:
    """Return what to store of a calibration."""
    return StoredLpj(
        lpj=found.lpj,
        hz=found.hz,
        kernel=found.kernel,
        board=found.board,
        machine=machine,
        shift=shift,
        cost_ns=found.cost_ns,
        origin=origin,
    )


def validate(
    stored: StoredLpj, found: DelayLoop, *, machine: str = "", shift: int | None = None, tolerance: float = TOLERANCE
) -> Validation:
    """Say whether a stored value fits the machine of a boot that calibrated anew."""
    if found.source != "measured":
        why = {
            "preset": f"the boot used a preset value (lpj={found.lpj}), so nothing was measured",
            "computed": f"this kernel computes the value (lpj={found.lpj}) from its timer and measures nothing",
        }[found.source]
        return Validation(judgement="cannot-tell", reason=why, tolerance=tolerance)
    if other := _other_board(stored, found, machine):
        return Validation(judgement="wrong-board", reason=other, tolerance=tolerance, measured=found.lpj, use=found.lpj)
    known = stored.hz is not None and found.hz is not None
    expected = round(stored.lpj * (stored.hz or 1) / (found.hz or 1)) if known else stored.lpj
    ratio = found.lpj / expected if expected else 0.0
    more_ticks = (found.hz or 0) - (stored.hz or 0) if known else 0
    lost = TICK_WORK_S * more_ticks
    near = -tolerance - max(lost, 0) <= ratio - 1 <= tolerance + max(-lost, 0)
    judgement, reason = _judged(stored, found, ratio, near=near, clock=(stored.shift, shift))
    return Validation(
        judgement=judgement,
        reason=reason,
        tolerance=tolerance,
        expected=expected,
        measured=found.lpj,
        ratio=round(ratio, 6),
        use=stored.lpj if judgement == "fits" else found.lpj,
    )


def _other_board(stored: StoredLpj, found: DelayLoop, machine: str) -> str:
    pairs = (
        ("machine", stored.machine, machine),
        ("board", stored.board.model, found.board.model),
        ("processor", stored.board.cpu.partition(", cr=")[0], found.board.cpu.partition(", cr=")[0]),
    )
    for what, was, now in pairs:
        if was and now and was != now:
            return f"another {what}: the value was measured on {was!r}, this is {now!r}"
    return ""


def _judged(
    stored: StoredLpj, found: DelayLoop, ratio: float, *, near: bool, clock: tuple[int | None, int | None]
) -> tuple[Judgement, str]:
    if not near:
        faster = ratio > 1
        times = ratio if faster else (1 / ratio if ratio else float("inf"))
        word = "faster" if faster else "slower"
        effect = "too short, which breaks hardware" if faster else "too long, which only costs time"
        shifts = (
            f" (the clock's shift was {clock[0]}, it is {clock[1]})"
            if None not in clock and clock[0] != clock[1]
            else ""
        )
        return (
            "clock-changed",
            f"the delay loop runs {times:.3f} times {word}{shifts}: delays with the old value are {effect}",
        )
    if stored.hz is not None and found.hz is not None and stored.hz != found.hz:
        rates = f"the kernel ticks at HZ={found.hz} instead of {stored.hz}"
        return "rate-changed", f"the clock is the same, {rates}: the value is that of one tick, so it scales with 1/HZ"
    return "fits", f"measured again: lpj={found.lpj}, stored: lpj={stored.lpj}"
