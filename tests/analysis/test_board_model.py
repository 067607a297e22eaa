# SPDX-License-Identifier: MIT
"""The board's model: known boards are found again, and what the boots cannot tell is not claimed."""

from __future__ import annotations

import random

import pytest

from bootlab.analysis.board_model import ModelledBoot, fit
from bootlab.errors import MeasurementError

NS = (1.4, 50.0, 86_805.6, 350e6)
"""1.4 ns an instruction, 20 MB/s, 115200 baud, 350 ms of fixed waits."""


def boots(count: int, *, noise: float = 0.0, seed: int = 1) -> list[ModelledBoot]:
    dice = random.Random(seed)
    made = []
    for number in range(count):
        boot = ModelledBoot(
            name=str(number),
            instructions=dice.randrange(400_000_000, 2_000_000_000),
            bytes=dice.randrange(2_000_000, 12_000_000),
            characters=dice.randrange(500, 20_000),
        )
        time_ns = sum(a * b for a, b in zip(NS, boot.amounts, strict=True)) * dice.gauss(1, noise)
        made.append(
            ModelledBoot(
                **{f: getattr(boot, f) for f in ("name", "instructions", "bytes", "characters")}, measured_ns=time_ns
            )
        )
    return made


def test_a_known_board_is_found_again():
    model = fit(boots(6))
    assert model.ns == pytest.approx(NS, rel=1e-6)
    assert model.used == ("instructions", "bytes", "characters", "fixed")
    assert model.worst_error == pytest.approx(0, abs=1e-9)
    assert round(model.baud) == 115_200
    assert round(model.bytes_per_s) == 20_000_000


def test_a_forecast_is_within_the_error_that_is_said():
    known = boots(10, noise=0.01)
    model = fit(known)
    new = boots(40, seed=7)
    wrong = [abs(model.forecast(boot).error) for boot in new]
    assert 0 < model.worst_error < 0.10
    assert sum(error <= model.worst_error for error in wrong) >= 36


def test_no_cost_is_negative():
    model = fit(boots(5, noise=0.2, seed=3))
    assert min(model.ns) >= 0


def test_what_does_not_vary_is_not_told_apart():
    """Boots that print alike say nothing of the console: its time is in the fixed part."""
    known = [
        ModelledBoot(name=str(n), instructions=n * 10**8, characters=1000, measured_ns=n * 2e8 + 5e8)
        for n in range(1, 5)
    ]
    model = fit(known)
    assert len(model.used) == 2
    assert model.ns[0] == pytest.approx(2.0)
    assert model.forecast(ModelledBoot(name="x", instructions=10**8, characters=5000)).beyond


def test_one_image_is_too_few():
    with pytest.raises(MeasurementError, match="different images"):
        fit([ModelledBoot(name="a", instructions=1, measured_ns=5.0)] * 3)
