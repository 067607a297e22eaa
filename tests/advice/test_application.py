# SPDX-License-Identifier: MIT
"""Advice from an application's system calls: what was planted is named, with its line and cost."""

import pytest

from bootlab import logs
from bootlab.advice.application import advise
from bootlab.logs.application import ApplicationProfile

# As strace -f -tt -T -o writes it: a device polled for, a sleep in a loop, a timeout, probes, a helper, a slow fsync.
HEAD = """\
70    10:00:00.000000 execve("./app", ["./app"], 0x7ffc /* 9 vars */) = 0 <0.000500>
"""
POLLED = """\
70    10:00:00.010000 openat(AT_FDCWD, "/dev/video0", O_RDWR) = -1 ENOENT (No such file or directory) <0.000010>
70    10:00:00.011000 nanosleep({tv_sec=0, tv_nsec=100000000}, NULL) = 0 <0.100000>
70    10:00:00.111000 openat(AT_FDCWD, "/dev/video0", O_RDWR) = -1 ENOENT (No such file or directory) <0.000010>
70    10:00:00.112000 nanosleep({tv_sec=0, tv_nsec=100000000}, NULL) = 0 <0.100000>
70    10:00:00.212000 openat(AT_FDCWD, "/dev/video0", O_RDWR) = 4 <0.000010>
"""
SLEEPS = "".join(
    f"70    10:00:0{1 + n}.000000 nanosleep({{tv_sec=0, tv_nsec=50000000}}, NULL) = 0 <0.050100>\n" for n in range(3)
)
TIMEOUT = "70    10:00:04.000000 poll([{fd=4, events=POLLIN}], 1, 250) = 0 (Timeout) <0.250100>\n"
PROBES = "".join(
    f'70    10:00:05.{n:06} openat(AT_FDCWD, "/usr/lib/x/lib{n}.so.1", O_RDONLY) = -1 ENOENT (None) <0.000010>\n'
    for n in range(30)
)
MISSING = PROBES.replace(".so.1", ".conf").replace("/usr/lib/x", "/etc/x")
HELPER = """\
70    10:00:06.000000 clone(child_stack=NULL, flags=SIGCHLD) = 71 <0.000100>
71    10:00:06.001000 execve("/bin/helper", ["helper", "-x"], 0x7ffc /* 9 vars */) = 0 <0.000500>
70    10:00:06.002000 wait4(71, NULL, 0, NULL) = 71 <0.120000>
"""
WORK = """\
70    10:00:07.000000 openat(AT_FDCWD, "/data/log", O_RDWR) = 9 <0.000010>
70    10:00:07.001000 fsync(9) = 0 <0.090000>
"""
LOCALE = "".join(
    f'70    10:00:08.{n:06} openat(AT_FDCWD, "/usr/lib/locale/C/LC_{n}", O_RDONLY) = 3 <0.000010>\n' for n in range(12)
)
BACKGROUND = SLEEPS.replace("70  ", "99  ")
QUIET = '70    10:00:00.100000 write(1, "ready", 5) = 5 <0.000010>\n'


def profile(text: str, goal: str | None = None) -> ApplicationProfile:
    (part,) = logs.analyze((HEAD + text).encode(), name="app.strace", goal=goal).document.parts
    assert isinstance(part, ApplicationProfile)
    return part


@pytest.mark.parametrize(
    ("text", "id_", "line", "cost_ms", "words"),
    [
        (POLLED, "polls-for-file", 2, 202.0, "/dev/video0: 2 failed tries (ENOENT), until it was there"),
        (SLEEPS, "sleeps", 2, 150.3, "sleep of 50.0 ms, 3 times: 150.3 ms"),
        (TIMEOUT, "timeout", 2, 250.1, "its time ran out"),
        (PROBES, "library-probes", 2, 0.3, "30 searches for shared libraries"),
        (MISSING, "missing-files", 2, 0.3, "30 searches in /etc/x that find nothing"),
        (HELPER, "helpers", 4, 120.0, "waits 120.0 ms for 1 helper processes (/bin/helper -x)"),
        (WORK, "slow-call", 3, 90.0, "fsync takes 90.0 ms on /data/log"),
        (LOCALE, "locale", 2, 0.12, "12 files of the locale"),
    ],
)
def test_what_was_planted_is_found_and_nothing_else(text, id_, line, cost_ms, words):
    found = [one for one in advise(profile(text)) if one.id != "computes"]
    assert [one.id for one in found] == [id_], found
    assert words in found[0].seen
    assert found[0].line == line
    assert found[0].cost_ns == pytest.approx(cost_ms * 1e6)
    assert found[0].advice
    assert not found[0].background


def test_the_background_comes_last():
    found = [one for one in advise(profile(BACKGROUND + POLLED)) if one.id != "computes"]
    assert [(one.id, one.background) for one in found] == [("polls-for-file", False), ("sleeps", True)]


def test_the_process_that_reaches_the_goal_is_the_application():
    found = profile(BACKGROUND + '99    10:00:09.000000 write(1, "frame 1", 7) = 7 <0.000010>\n', goal="frame 1")
    assert found.main == 99
    assert [(one.id, one.background) for one in advise(found) if one.id == "sleeps"] == [("sleeps", False)]


def test_a_program_that_computes():
    (one,) = advise(profile(QUIET + "70    10:00:03.000000 exit_group(0) = ?\n"))
    assert one.id == "computes"
    assert one.cost_ns == pytest.approx(3e9, rel=0.01)


def test_nothing_stands_out():
    assert advise(profile(QUIET.replace(".100000", ".000600"))) == ()


def test_every_technique_named_exists():
    from bootlab.techniques import get  # noqa: PLC0415 - only here

    everything = POLLED + SLEEPS + PROBES + LOCALE.replace("/usr/lib/locale/C/LC_", "/lib/liba.so.")
    for one in advise(profile(everything)):
        for technique in one.techniques:
            assert get(technique)
