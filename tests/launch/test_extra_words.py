# SPDX-License-Identifier: MIT
"""What a user's own words change of the machine."""

from __future__ import annotations

import pytest

from bootlab.launch import extra_words
from tests.launches import launch


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ((), 3),
        (("-smp", "4"), 4),
        (("-smp", "cpus=2"), 2),
        (("-smp", "1,maxcpus=4"), 1),
        (("--smp", "sockets=1,cores=2,threads=2"), 4),
        (("-smp", "8", "-smp", "1"), 1),
        (("-smp",), 3),
    ],
)
def test_processors(words, count):
    assert extra_words.processors(launch(*words, processors=3)) == count


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ((), True),
        (("-rtc", "base=utc"), False),
        (("-rtc", "clock=vm"), False),
        (("-rtc", "base=utc", "-rtc", "base=2026-01-01,clock=vm"), True),
    ],
)
def test_the_last_clock_counts(words, own):
    assert extra_words.own_clock(launch(*words)) is own


def test_the_hosts_clock_is_not_the_machines_own():
    assert not extra_words.own_clock(launch(clock=None))


def test_a_processor_of_the_users():
    assert extra_words.cpu(launch("-cpu", "qemu64", cpu="max")) == "qemu64"
    assert extra_words.cpu(launch("-s", cpu="max")) == "max"


def test_options_are_kept_together():
    words = ("stray", "-s", "-nic", "user,id=n", "-append", "a b", "-S")
    assert extra_words.grouped(words) == (("stray",), ("-s",), ("-nic", "user,id=n"), ("-append", "a b"), ("-S",))
    assert extra_words.grouped(()) == ()
