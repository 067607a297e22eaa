"""What a start from flash does not show is unknown, and never 0."""

from __future__ import annotations

import pytest

from bootlab.experiments import xip
from bootlab.model import figures
from bootlab.model.comparison import Column, Row
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
