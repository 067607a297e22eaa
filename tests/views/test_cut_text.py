# SPDX-License-Identifier: MIT
"""How text of a log is cut and numbers are written, in Python and in the core alike."""

import msgspec

import bootlab
from bootlab.model import figures
from bootlab.views.shown_text import SPARED, visible


def test_a_cut_is_worth_its_words():
    assert visible("x" * (10 + SPARED), 10) == "x" * (10 + SPARED)
    assert visible("x" * (11 + SPARED), 10) == f"{'x' * 10} … {SPARED + 1} more characters"


def test_the_core_cuts_and_spells_as_python_does():
    name = "odd \x1b[1m\u202e\ufeff" + "x" * 500
    analysis = bootlab.analyze(b"[    0.000000] Linux version 6.6.0 (a@b) (gcc) #1\n", name=name)
    assert msgspec.json.decode(analysis.core.page())["file"] == visible(name, 400)


def test_numbers_are_written_as_the_core_writes_them():
    # The cases of crates/bootpage/src/figures.rs.
    assert figures.grouped_ms(-1_234_567_000) == "\u22121\u202f234.567"
    assert (figures.count(1_234_567), figures.count(999)) == ("1\u202f234\u202f567", "999")
    assert (figures.ms(None), figures.ms(2_500_000)) == ("—", "2.500")
    assert (figures.percent(1, 3), figures.percent(1, 0)) == ("33.3 %", "—")
