# SPDX-License-Identifier: MIT
"""Goals out of a first boot: the first match of each is what it is said to be, or it is none."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.sources.facts import RootFacts, UnitFacts
from bootlab.systemfile.goals import from_boot
from bootlab.systemfile.printed import Printed
from tests.examples import examples


def printed(*texts: str, begin: int = 0) -> Printed:
    """Return lines of which each took 100 ns, a nanosecond a character."""
    return Printed(texts, lambda index, character: 100 * index + character, begin)


def test_the_time_is_that_of_the_first_match_of_the_pattern():
    found = from_boot(printed("hwclock: set", "app 1: step 5", "other words", "app 1: step 9"), None)
    assert found is not None
    # "app 1: step 9" was printed before, but for its number: a boot would end at the first of the two.
    assert (found.goal.pattern, found.goal.ns) == ("other words", 210)
    assert found.others == (), "app 1: step 5 came again"
    twice = from_boot(printed("go on", "go on"), None)
    assert twice is None


@pytest.mark.parametrize(
    "complaint",
    [
        "hwclock: clock skew detected",
        "/etc/init.d/rcS: line 4: can't open '/dev/null'",
        "WARNING: no swap",
        "udhcpc: no lease, failing",
        "The system is going down NOW!",
        "systemd[1]: Listening on udev Control Socket.",
    ],
)
def test_no_complaint_is_a_goal(complaint):
    found = from_boot(printed("sensor: calibrated", complaint), None)
    assert found is not None
    assert (found.goal.pattern, found.goal.kind) == ("sensor: calibrated", "unknown")
    assert "not known" in found.certainty
    assert from_boot(printed(complaint), None) is None


@pytest.mark.parametrize(
    "line",
    [
        "(initramfs) ",
        "ALERT!  UUID=1 does not exist.  Dropping to a shell!",
        "You are in emergency mode. After logging in, type",
        "Please unlock disk root_crypt: ",
        "dracut:/# ",
    ],
)
def test_a_system_that_waits_for_a_person_shows_no_goal(line):
    found = from_boot(printed("Begin: Mounting root file system", line, "~ # "), None)
    assert found is not None
    assert found.stuck == line.strip()
    went_on = from_boot(printed(line, "box login: "), None)
    assert went_on is not None
    assert went_on.stuck == ""
    assert went_on.goal.pattern == "box login:"


def test_a_prompt_and_a_program_on_one_line_are_two():
    found = from_boot(printed("init: starts", "/ # panel: ready"), None)
    assert found is not None
    # Behind the prompt: the byte that completes the text, not the line's first.
    assert (found.goal.pattern, found.goal.kind, found.goal.ns) == ("panel: ready", "application", 115)
    assert [(o.pattern, o.ns) for o in found.others][:1] == [("^/ #", 102)]
    glued = from_boot(printed("init: starts", "panel: on port 80box login: "), RootFacts(hostname="box"))
    assert glued is not None
    assert (glued.goal.pattern, glued.goal.ns) == ("box login:", 126)


def test_the_kernels_open_line_is_no_part_of_a_goal():
    texts = ("SeaBIOS", "Probing EDD (edd=off to disable)... okhub: listening on port 7000")
    told = Printed(texts, lambda index, character: 100 * index + character, 1, texts[1].index("hub"))
    found = from_boot(told, None)
    assert found is not None
    assert (found.goal.pattern, found.goal.kind) == (r"hub: listening on port \d+", "application")
    assert found.goal.ns == 100 + len(texts[1]) - 1


def test_kinds():
    root = RootFacts(units=(UnitFacts("web.service", "The web server"),))
    for line, kind in (
        ("[  OK  ] Started web.service - The web server.", "unit"),
        ("box login: ", "prompt"),
        ('10.0.2.2 - "GET / HTTP/1.1" 200 17', "http-answer"),
        ("camera: listening on port 80", "application"),
        ("camera: 3 lenses", "unknown"),
    ):
        found = from_boot(printed("starts now", line), root)
        assert found is not None
        assert (found.goal.kind, found.sure) == (kind, True), line
    port = from_boot(printed("camera: listening on port 80"), None)
    assert port is not None
    assert re.search(port.goal.pattern, "camera: listening on port 8080")


def test_what_loaders_say_is_none_of_user_space():
    lines = ("Starting kernel ...", "Welcome to GRUB!", "EFI stub: Loaded initrd", "app: up now")
    found = from_boot(printed(*lines, begin=3), None)
    assert found is not None
    assert found.goal.pattern == "app: up now"
    assert found.marks == ()
    assert from_boot(printed(*lines[:3], begin=3), None) is None
    # A goal that a loader printed too would end the boot there.
    again = from_boot(printed("box login: ", "hello there", "box login: ", begin=1), None)
    assert again is not None
    assert again.goal.pattern == "hello there"


_TEXTS = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from(["/ # ", "box login: ", "a: ready", "x can't y", "7: up", "8: up", "[    0.5] k", "a\\d+b"]),
    ),
    max_size=12,
)


@examples(200)
@given(_TEXTS, st.integers(0, 12))
def test_whatever_was_printed_a_goal_s_first_match_is_its_own_time(texts, begin):
    console = printed(*(text.replace("\n", " ") for text in texts), begin=begin)
    found = from_boot(console, RootFacts(hostname="box"))
    if found is None or found.stuck:
        return
    for seen in (found.goal, *found.others):
        match = console.first(seen.pattern)
        assert match is not None
        assert match.ns == seen.ns
        assert match.index >= begin
        if seen.kind in {"unknown", "application"}:
            assert console.first(seen.pattern, match.index + 1) is None


def test_a_uuid_in_a_goal_may_be_another_one():
    found = from_boot(printed("disk 6a1f3c52-9a3e-4b8e-8a52-0c2b6f4f1d11 on port 7"), None)
    assert found is not None
    assert found.goal.pattern == r"disk [0-9a-fA-F-]{36} on port \d+"
