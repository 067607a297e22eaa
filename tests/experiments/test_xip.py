# SPDX-License-Identifier: MIT
"""What a start from flash does not show is unknown, and never 0."""

from __future__ import annotations

import pytest

from bootlab.errors import UserError
from bootlab.experiments import xip, xip_partial
from bootlab.experiments.xip_partial import Counted
from bootlab.model import figures
from bootlab.model.comparison import Column, Row
from bootlab.model.flash_model import FlashModel
from bootlab.model.recording import Line, Meta, Recording
from bootlab.views.table.cells import text


def row(start: str, **values) -> Row:
    told = {"init_insns": 1_000_000, "image_bytes": 4096, "total_ns": 5_000_000, "bench_syscall_ns": None}
    return Row(id=start, title=start, values={**told, **values})


@pytest.mark.parametrize(
    ("start", "unknown"), [("in-place", "init_insns"), ("copied", "image_bytes"), ("copied", "total_ns")]
)
def test_what_is_not_known_is_not_modelled_as_0(start, unknown):
    known = xip.Xip()._modelled(row(start), 0).values
    assert known["model_total_ns"] == 5_000_000 + known["model_added_ns"] > 5_000_000
    told = xip.Xip()._modelled(row(start, **{unknown: None}), 0).values
    assert told["model_total_ns"] is None


def test_instructions_lie_between_two_marks_that_counted_them():
    assert xip._between(5, 12) == 7
    assert xip._between(None, 12) is None
    assert xip._between(5, None) is None


def test_the_code_s_size_is_the_kernel_s_word_for_it():
    def booted(said: str) -> Recording:
        return Recording(meta=Meta(), lines=(Line(1, said, 0),), marks=())

    line = "Memory: 118000K/131072K available (4096K kernel code, 300K rwdata)"
    assert xip._kernel_code_bytes(booted(line)) == 4096 * 1024
    assert xip._kernel_code_bytes(booted("Memory: it is there")) is None


def test_unknown_is_drawn_as_a_dash():
    assert text(Column(key="text_bytes", title="code", kind="bytes"), row("copied", text_bytes=None)) == figures.ABSENT


def test_hot_functions_have_their_share_of_all_instructions():
    counts = Counted(init={"a": 10, "b": 50}, whole={"a": 100, "b": 50, "c": 40, "d": 10})
    assert counts.hot(0.5) == ("a",)
    assert counts.hot(0.75) == ("a", "b")
    assert counts.hot(1.0) == ("a", "b", "c", "d")
    assert counts.run == {"a": 90, "c": 40, "d": 10}


def test_what_runs_in_ram_does_not_wait_for_flash():
    model = FlashModel(flash_line_ns=100, ram_line_ns=0, misses_per_1000=10, line_bytes=32)
    shares = {"init_ram_share": 0.75, "run_ram_share": 0.5, "ram_code_bytes": 3200}
    told = {"init_insns": 1_000_000, "bench_stat_ns": 10_000}
    whole = xip.Xip(model=model)._modelled(row("in-place", **told), 0).values
    partly = xip.Xip(model=model)._modelled(row("partial", **told, **shares), 0).values
    # A microsecond for each thousand instructions from flash; the code is read once, for 100 lines.
    assert whole["model_added_ns"] == 1_000_000
    assert partly["model_added_ns"] == 250_000 + 10_000
    assert whole["model_bench_stat_ns"] == 10_000 + 10_000
    assert partly["model_bench_stat_ns"] == 10_000 + 5_000


def test_the_symbols_say_what_is_in_ram(monkeypatch):
    table = [
        (0xBF000000, "T", "cold"), (0xC0008000, "T", "_sdata"), (0xC0008000, "T", "hot"),
        (0xC0008100, "T", "warm"), (0xC0008200, "D", "_ramtext_end"), (0xC0008200, "D", "variable"),
    ]  # fmt: skip
    monkeypatch.setattr(xip_partial, "kernel_symbols", lambda _plan: table)
    counts = Counted(init={"hot": 30, "cold": 70}, whole={"hot": 90, "cold": 90, "warm": 20})
    found = xip_partial.in_ram(None, counts)
    assert (found.code_bytes, found.hottest, found.hottest_address) == (0x200, "hot", 0xC0008000)
    assert (found.init_share, found.run_share) == (0.3, 0.8)
    monkeypatch.setattr(xip_partial, "kernel_symbols", lambda _plan: table[:1])
    with pytest.raises(UserError, match="no function in RAM"):
        xip_partial.in_ram(None, counts)


def test_columns_of_the_partial_way_are_shown_only_with_it():
    plain = {key for table in xip.Xip().tables((row("in-place"),)) for key in table.columns}
    both = {key for table in xip.Xip().tables((row("in-place"), row("partial"))) for key in table.columns}
    assert both - plain == {"ram_code_bytes", "init_ram_share", "run_ram_share"}
