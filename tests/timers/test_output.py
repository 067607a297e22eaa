# SPDX-License-Identifier: MIT
"""Lines of JSON on a console that anybody prints on."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from bootlab.timers import conform, stress
from bootlab.timers.output import LINE_MAX_BYTES
from bootlab.timers.stress import StressPlace
from tests.examples import examples
from tests.timers.samples import CONFORM_HEAD, HEAD, ROW, check, output

HERE = StressPlace(name="here", clock="wall")


def test_what_timerstress_prints_is_read():
    result = stress.parse(output(HEAD, ROW), HERE)
    assert (result.head.clock, result.rows[0].expirations, result.rows[0].lateness.max_ns) == (
        "monotonic",
        2494,
        912345,
    )
    assert result.damaged_lines == 0
    assert result.faults == ()


def test_other_lines_and_carriage_returns_do_no_harm():
    text = b"[    1.0] booting\r\n" + output(HEAD, ROW).replace(b"\n", b"\r\n") + b"@timers end 0\r\n"
    result = stress.parse(text, HERE)
    assert len(result.rows) == 1
    assert result.damaged_lines == 0


def test_a_damaged_line_is_counted_and_left_out():
    row = output(ROW)
    for damaged in (row[:300] + b"[ 9.1] random: crng\n" + row[300:], b"x" + row, row.replace(b"2494", b"-1")):
        result = stress.parse(output(HEAD) + damaged, HERE)
        assert result.rows == ()
        assert result.damaged_lines >= 1


def test_no_head_is_no_result():
    assert stress.parse(output(ROW), HERE) is None
    assert stress.parse(output(HEAD | {"version": 2}, ROW), HERE) is None
    assert conform.parse(b"", HERE) is None


def test_deep_and_long_lines_do_not_stop_the_reader():
    deep = b'{"kind":' + b"[" * 100_000 + b"\n"
    long = b'{"kind":"stress","x":"' + b"x" * LINE_MAX_BYTES + b'"}\n'
    numbers = b'{"kind":"stress","timers":' + b"9" * 5000 + b"}\n"
    assert stress.parse(output(HEAD) + deep + long + numbers + output(ROW), HERE).damaged_lines == 3


def test_the_last_verdict_of_a_check_holds():
    result = conform.parse(output(CONFORM_HEAD, check(3, "fail"), check(1, "pass"), check(3, "pass")), HERE)
    assert [(c.number, c.verdict) for c in result.checks] == [(1, "pass"), (3, "pass")]


_VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just([[1, [2]]]) | st.just({"a": {}})


@examples(60, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.binary(max_size=30) | st.dictionaries(st.sampled_from([*HEAD, *ROW]), _VALUES, max_size=6), max_size=4)
)
def test_anything_can_be_printed(lines):
    text = b"\n".join(x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines)
    result = stress.parse(output(HEAD) + text + b"\n" + output(ROW), HERE)
    assert result.rows[-1].timers == 1000
    conform.parse(output(CONFORM_HEAD) + text, HERE)
