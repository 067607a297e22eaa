# SPDX-License-Identifier: MIT
"""A console of millions of separate bytes: each has its time, also behind the second million."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bare_guests import Guest, boot

pytestmark = pytest.mark.qemu

LINES = 40_000
LINE_BYTES = 64


def test_the_last_of_millions_of_bytes_has_its_time(tmp_path):
    """2.56 million bytes by one instruction each: what the last ones say is what the first ones promise."""
    guest = Guest("x86_64", ("HALTS=1", f"FLOOD={LINES}"))
    if guest.compiler is None:
        pytest.skip("no compiler")
    done = boot("x86_64", guest.build(tmp_path), tmp_path / "boot", tmp_path)
    stamps = done.stamps
    assert stamps is not None
    assert not stamps.lost
    first = done.console.index(b"0123456789")
    ends = first + LINE_BYTES * np.arange(1, LINES + 1)
    assert done.console[int(ends[-1]) - 1 : int(ends[-1])] == b"\n"
    times = [stamps.at(int(end) - 1) for end in ends]
    # Every line is the same loop: the same number of instructions, from the first to the last of them.
    steps = np.diff(np.array(times)[:, 1])
    assert set(steps.tolist()) == {int(steps[0])}
    assert len(stamps.ends) > 1 << 21
    last = stamps.at(len(done.console) - 1)
    assert last is not None
    assert last > times[-1]
