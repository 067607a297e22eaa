# SPDX-License-Identifier: MIT
"""The Open POSIX Test Suite beside ours, with a suite of three programs."""

from __future__ import annotations

import pytest

from bootlab.errors import UserError
from bootlab.timers import conform, open_posix
from bootlab.timers.stress import StressPlace
from tests.timers.samples import CONFORM_HEAD, check, output


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "posixtest.h").write_text("#define PTS_PASS 0\n#define PTS_UNTESTED 5\n")
    folder = tmp_path / "conformance" / "interfaces" / "timer_create"
    folder.mkdir(parents=True)
    (folder / "1-1.c").write_text('#include "posixtest.h"\nint main(void) { return PTS_PASS; }\n')
    (folder / "2-1.c").write_text('#include "posixtest.h"\nint main(void) { return PTS_UNTESTED; }\n')
    (folder / "13-1.c").write_text("int main(void) { return *(volatile int *)8; }\n")
    (folder / "14-1.c").write_text("this is not C\n")
    (folder / "speculative.c").write_text("int main(void) { return 1; }\n")
    return tmp_path


def test_programs_are_built_run_and_put_beside_ours(suite):
    tests = open_posix.run(suite)
    assert {t.name: t.result for t in tests} == {
        "timer_create/1-1": "pass",
        "timer_create/2-1": "untested",
        "timer_create/13-1": "crashed",
        "timer_create/14-1": "not built",
    }
    result = conform.parse(
        output(
            CONFORM_HEAD,
            check(1, "pass", opts="1"),
            check(2, "pass", opts="2"),
            check(3, "pass", opts="13"),
            check(4, "fail", opts="1"),
            check(5, "pass", opts=""),
        ),
        StressPlace(name="here", clock="wall"),
    )
    rows = {row.check.number: row.difference for row in open_posix.beside(result, tests)}
    assert rows[1] == ""
    assert "does not test it" in rows[2]
    assert "pointer" in rows[3]
    assert rows[4].startswith("ours: fail")
    assert 5 not in rows


def test_numbers_of_the_suite():
    def of(opts, **fields):
        result = conform.parse(
            output(CONFORM_HEAD, check(1, "pass", opts=opts, **fields)), StressPlace(name="", clock="wall")
        )
        return open_posix.assertions_of(result.checks[0])

    assert of("1, 13") == ("timer_create", {1, 13})
    assert of("clock_settime 4, 5") == ("clock_settime", {4, 5})
    assert of("nanosleep 1-3") == ("nanosleep", {1, 2, 3})
    assert of("") == ("timer_create", set())


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(UserError, match="not the source of the Open POSIX Test Suite"):
        open_posix.run(tmp_path)
