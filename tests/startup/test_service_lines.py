# SPDX-License-Identifier: MIT
"""Services that inits other than systemd start, out of lines with one time or two."""

from __future__ import annotations

import pytest

from bootlab.startup.service_lines import read

MS = 1_000_000


def rows(*lines: tuple[int, int, str]) -> list[tuple[str, str, int, int | None]]:
    found = read((n, text, first * MS, last * MS) for n, (first, last, text) in enumerate(lines, start=1))
    return [(one.name, one.manager, one.start_ns // MS, one.duration_ns and one.duration_ns // MS) for one in found]


@pytest.mark.parametrize(
    ("text", "name", "manager"),
    [
        ("Starting syslogd: OK", "Starting syslogd", "scripts"),
        ("[ ok ] Starting enhanced syslogd: rsyslogd.", "Starting enhanced syslogd: rsyslogd", "scripts"),
        ("\x1b[32;01m * \x1b[0mStarting camera ...  \x1b[34;01m[ \x1b[32;01mok\x1b[34;01m ]\x1b[0m", "Starting camera",
         "openrc"),
        ("[  OK  ] camera", "camera", "dinit"),
    ],
)  # fmt: skip
def test_a_line_that_says_begin_and_end(text, name, manager):
    assert rows((10, 25, text)) == [(name, manager, 10, 15)]


def test_an_end_that_the_terminal_writes_behind_the_line():
    begin, end = " * Starting camera ...", "\x1b[A\x1b[72C  [ ok ]"
    assert rows((10, 11, begin), (40, 41, end)) == [("Starting camera", "openrc", 10, 31)]


def test_android_writes_to_the_kernels_log():
    began = "[    2.100000] init: starting service 'logd'..."
    took = "[    2.500000] init: Command 'mount_all /fstab' action=fs (/init.rc:1) took 300ms and succeeded"
    assert rows((2100, 2101, began), (2500, 2500, took)) == [
        ("logd", "android", 2100, None),
        ("mount_all /fstab", "android", 2200, 300),
    ]


def test_a_line_that_comes_at_once_shows_no_length():
    line = "Starting the camera: camera."
    (one,) = read([(1, line, 5 * MS, 5 * MS + 7_000)])
    assert (one.done_ns, one.remark) == (None, "start scripts; how long is not shown")
    assert [one.duration_ns for one in read([(1, line, MS, MS), (2, line, 3 * MS, 3 * MS)])] == [2 * MS, None]


def test_lines_of_others_and_without_times():
    assert rows((1, 1, "[    1.000000] Starting something: OK"), (2, 2, "[  OK  ] Started web.service - Web.")) == []
    assert read([(1, "Starting syslogd: OK", None, None)]) == ()
